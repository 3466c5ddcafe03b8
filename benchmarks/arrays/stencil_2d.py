"""Five-point Laplacian of a grid, by slices."""

import numpy as np

from engine import njit

SIZE, SMALL = 500, 20


def setup(size):
    grid = np.random.default_rng(5).random((size, size))
    return grid, np.zeros_like(grid)


@njit
def run(u, out):
    out[1:-1, 1:-1] = (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
                       - 4.0 * u[1:-1, 1:-1])


def check(result, u, out):
    want = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4.0 * u[1:-1, 1:-1]
    np.testing.assert_allclose(out[1:-1, 1:-1], want, atol=1e-13)
