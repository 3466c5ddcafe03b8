"""Cumulative sums and differences."""

import numpy as np

from engine import njit

SIZE, SMALL = 100_000, 500


def setup(size):
    return (np.random.default_rng(15).random(size), 50)


@njit
def run(a, width):
    total = np.cumsum(a)
    return (total[width:] - total[:-width]) / width


def check(result, a, width):
    total = np.cumsum(a)
    np.testing.assert_allclose(result, (total[width:] - total[:-width]) / width, rtol=1e-9)
