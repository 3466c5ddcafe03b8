"""y = a*x + b: a short expression out of cache, bound by memory."""

import numpy as np

from engine import njit

SIZE, SMALL = 4_000_000, 1_000


def setup(size):
    rng = np.random.default_rng(1)
    return rng.random(size), rng.random(size), 2.5


@njit
def run(x, y, a):
    return a * x + y


def check(result, x, y, a):
    np.testing.assert_allclose(result, a * x + y, rtol=1e-15)
