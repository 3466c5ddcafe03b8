"""Loops that run longer than the stretch between two looks for signals: the seams must not show.

A stretch is 65,536 iterations or fewer, the more happens in one the fewer."""

import numpy as np
import pytest

from support import check

N = 200_003
TOP = 2**63 - 1


def up(a, n):
    s = 0
    for i in range(n):
        s += a[i % 7] ^ i
    return s, i


def between(a, start, stop, step):
    s, last = 0, -1
    for i in range(start, stop, step):
        s ^= i * 3
        last = i
    return s, last


def while_less(a, i, n, step):
    s = 0
    if step == 1:
        while i < n:
            s ^= i
            i += 1
    else:
        while i < n:
            s ^= i
            i += 3
    return s, i


def while_at_most(a, i, n):
    s = 0
    while i <= n:
        s ^= i
        i += 2
    return s, i


def while_down(a, i, n):
    s = 0
    while i > n:
        s ^= i
        i -= 1
    while n <= i + 10:
        s ^= i
        i -= 5
    return s, i


def leaves(a, n, where):
    s = 0
    for i in range(n):
        s += i & 3
        if i == where:
            break
    else:
        s = -s
    return s, i


def skips(a, n):
    s, skipped = 0, 0
    for i in range(n):
        if i % 5 == 2:
            skipped += 1
            continue
        s ^= i
    return s, skipped


def nest(a, n, m, k):
    s = 0
    for i in range(n):
        for j in range(m):
            for l in range(k):
                s += i ^ j ^ l
    return s


def triangle(a, n):
    s = 0
    for i in range(n):
        for j in range(i * i, n * n, 7):
            s ^= j + i
    return s


def changes_array(a, n):
    b = np.zeros(n, np.int64)
    for i in range(n):
        b[i] = i * i
    for i in range(1, n):
        b[i] -= b[i - 1]
    return b, b.sum()


def floats(a, n):
    s, t = 0.0, 1
    for i in range(n):
        s += i * 0.5
        t = t * 3 % 1_000_003
    return s, t


CASES = [
    (up, N), (up, 65_536), (up, 65_537), (up, 1),
    (between, 5, N, 1), (between, N, 5, -1), (between, -N, N, 7), (between, N, -N, -13),
    (between, 7, 7, 1), (between, 7, 3, 1), (between, TOP - 100_000, TOP, 1),
    (between, -TOP, -TOP + 100_000, 3), (between, -TOP + 100_000, -TOP, -1),
    (while_less, 0, N, 1), (while_less, -N, N, 3), (while_less, 9, 3, 1),
    (while_less, TOP - 99_999, TOP - 1, 1), (while_less, -TOP - 1, -TOP + N, 3),
    (while_less, 5, -TOP - 1, 1), (while_less, TOP, -TOP, 3),
    (while_at_most, 0, N), (while_at_most, 1, N), (while_at_most, 8, 3),
    (while_at_most, TOP - N, TOP - 3), (while_at_most, 5, -TOP - 1), (while_at_most, 8, 8),
    (while_down, N, -5), (while_down, 3, N), (while_down, -TOP + N, -TOP + 20),
    (leaves, N, 150_000), (leaves, N, N), (leaves, N, 0), (leaves, N, 65_535), (leaves, N, 65_536),
    (skips, N), (nest, 3, 5, 100_000), (nest, 2, 100_000, 3), (nest, 100_000, 1, 2),
    (nest, 100_000, 3, 0), (triangle, 900), (changes_array, N), (floats, N),
]


@pytest.mark.parametrize("function, args", [(c[0], c[1:]) for c in CASES],
                         ids=lambda v: getattr(v, "__name__", str(v)))
def test_the_seams_do_not_show(function, args):
    check(function, np.arange(7), *args)
