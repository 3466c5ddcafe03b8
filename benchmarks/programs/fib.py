"""Fibonacci numbers by double recursion: nothing but calls."""

from engine import njit

SIZE, SMALL = 27, 16


def work(size):
    return 1.618034**size


def setup(size):
    return (size,)


@njit
def run(n):
    if n < 2:
        return n
    return run(n - 1) + run(n - 2)


def check(result, n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    assert result == a
