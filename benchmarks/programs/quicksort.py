"""Quicksort written by hand: median of three, recursion, insertion sort for short stretches."""

import numpy as np

from engine import njit

SIZE, SMALL = 60_000, 1_000


def work(size):
    return size * np.log2(size)


def setup(size):
    return (np.random.default_rng(4).random(size),)


@njit
def insertion_sort(a, low, high):
    for i in range(low + 1, high + 1):
        value = a[i]
        j = i - 1
        while j >= low and a[j] > value:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = value


@njit
def partition(a, low, high):
    middle = (low + high) // 2
    if a[middle] < a[low]:
        a[low], a[middle] = a[middle], a[low]
    if a[high] < a[low]:
        a[low], a[high] = a[high], a[low]
    if a[high] < a[middle]:
        a[middle], a[high] = a[high], a[middle]
    pivot = a[middle]
    i = low
    j = high
    while i <= j:
        while a[i] < pivot:
            i += 1
        while a[j] > pivot:
            j -= 1
        if i <= j:
            a[i], a[j] = a[j], a[i]
            i += 1
            j -= 1
    return i, j


@njit
def quicksort(a, low, high):
    if high - low < 16:
        insertion_sort(a, low, high)
        return
    i, j = partition(a, low, high)
    quicksort(a, low, j)
    quicksort(a, i, high)


@njit
def run(data):
    a = data.copy()
    quicksort(a, 0, len(a) - 1)
    return a


def check(result, data):
    np.testing.assert_array_equal(result, np.sort(data))
