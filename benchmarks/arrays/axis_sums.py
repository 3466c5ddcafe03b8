"""Sums of rows and of columns."""

import numpy as np

from engine import njit

SIZE, SMALL = 1_000, 30


def setup(size):
    return (np.random.default_rng(7).random((size, size)),)


@njit
def run(a):
    return a.sum(axis=0) + a.sum(axis=1)


def check(result, a):
    np.testing.assert_allclose(result, a.sum(axis=0) + a.sum(axis=1), rtol=1e-12)
