"""Ackermann's function: deep recursion whose argument is itself a call."""

from engine import njit

SIZE, SMALL = 7, 3


def work(size):
    return 4.0**size


def setup(size):
    return 3, size


@njit
def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


run = ackermann


def check(result, m, n):
    assert m == 3 and result == 2 ** (n + 3) - 3
