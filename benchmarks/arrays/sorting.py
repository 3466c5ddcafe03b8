"""np.sort of random numbers."""

import numpy as np

from engine import njit

SIZE, SMALL = 100_000, 500


def setup(size):
    return (np.random.default_rng(16).random(size),)


@njit
def run(a):
    return np.sort(a)


def check(result, a):
    assert np.array_equal(result, np.sort(a))
