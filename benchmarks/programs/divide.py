"""A dividing map: one quotient per element."""

import numpy as np

from engine import njit

SIZE, SMALL = 500_000, 5_000


def work(size):
    return size


def setup(size):
    rng = np.random.default_rng(12)
    return rng.random(size), rng.uniform(0.5, 1.5, size), np.empty(size)


@njit
def run(a, b, out):
    for i in range(len(a)):
        out[i] = a[i] / b[i]


def check(result, a, b, out):
    assert result is None
    np.testing.assert_array_equal(out, a / b)
