"""A three-dimensional field from three axes."""

import numpy as np

from engine import njit

SIZE, SMALL = 80, 8


def setup(size):
    rng = np.random.default_rng(4)
    return (rng.random((size, 1, 1)), rng.random((1, size, 1)), rng.random((1, 1, size)),
            rng.random((size, size, size)))


@njit
def run(x, y, z, field):
    return field * (x + y * z) - x * y


def check(result, x, y, z, field):
    np.testing.assert_allclose(result, field * (x + y * z) - x * y, rtol=1e-12, atol=1e-14)
