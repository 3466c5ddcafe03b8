"""Running sum of a series."""

import numpy as np

from engine import njit

SIZE, SMALL = 1_000_000, 5_000


def work(size):
    return size


def setup(size):
    return np.random.default_rng(5).random(size), np.empty(size)


@njit
def run(x, out):
    total = 0.0
    for i in range(len(x)):
        total += x[i]
        out[i] = total
    return total


def check(result, x, out):
    np.testing.assert_allclose(out, np.cumsum(x), rtol=1e-12)
    assert result == out[-1]
