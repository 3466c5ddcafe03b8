"""Differences of all pairs, by broadcasting a column against a row."""

import numpy as np

from engine import njit

SIZE, SMALL = 600, 30


def setup(size):
    rng = np.random.default_rng(3)
    return rng.random(size), rng.random(size)


@njit
def run(x, y):
    d = x.reshape(-1, 1) - y
    return d * d + 1.0


def check(result, x, y):
    np.testing.assert_allclose(result, (x[:, None] - y) ** 2 + 1.0, rtol=1e-13)
