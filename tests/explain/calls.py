# What is inlined, what is called, recursion; a helper for two kinds of argument.
import numpy as np

from whipsnake import njit


@njit
def twice(x):
    y = x + x
    return y


def thrice(x):
    return x + twice(x)


@njit
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


@njit
def use(a, n):
    for i in range(len(a)):
        a[i] = thrice(a[i])
    return fib(n) + twice(n)


use(np.ones(4), 5)
