"""A long expression of elementwise functions on arrays that fit into the cache."""

import numpy as np

from engine import njit

SIZE, SMALL = 20_000, 500


def setup(size):
    rng = np.random.default_rng(2)
    return rng.random(size), rng.random(size) + 0.5


@njit
def run(x, y):
    return np.sqrt(x * x + y * y) * np.exp(-x) + np.where(x > 0.5, np.sin(y), np.cos(y)) / (1.0 + x)


def check(result, x, y):
    want = np.sqrt(x * x + y * y) * np.exp(-x) + np.where(x > 0.5, np.sin(y), np.cos(y)) / (1.0 + x)
    np.testing.assert_allclose(result, want, rtol=1e-13)
