"""A million exceptions with run-time arguments, raised in a callee and caught."""

import numpy as np

from engine import njit

SIZE, SMALL = 1_000_000, 10_000


def work(size):
    return size


def setup(size):
    return (2 * np.arange(size) + 1,)


@njit
def halve(n):
    if n % 2 == 1:
        raise ValueError("odd", n)
    return n // 2


@njit
def run(values):
    total = caught = 0
    for n in values:
        try:
            total += halve(n)
        except Exception:
            caught += 1
    return total + caught


def check(result, values):
    assert result == len(values)
