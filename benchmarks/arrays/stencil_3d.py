"""Seven-point heat step of a cube, by slices."""

import numpy as np

from engine import njit

SIZE, SMALL = 80, 10


def setup(size):
    cube = np.random.default_rng(6).random((size, size, size))
    return cube, cube.copy(), 0.1


@njit
def run(u, out, k):
    inner = u[1:-1, 1:-1, 1:-1]
    out[1:-1, 1:-1, 1:-1] = inner + k * (
        u[:-2, 1:-1, 1:-1] + u[2:, 1:-1, 1:-1] + u[1:-1, :-2, 1:-1] + u[1:-1, 2:, 1:-1]
        + u[1:-1, 1:-1, :-2] + u[1:-1, 1:-1, 2:] - 6.0 * inner)


def check(result, u, out, k):
    i = u[1:-1, 1:-1, 1:-1]
    want = i + k * (u[:-2, 1:-1, 1:-1] + u[2:, 1:-1, 1:-1] + u[1:-1, :-2, 1:-1]
                    + u[1:-1, 2:, 1:-1] + u[1:-1, 1:-1, :-2] + u[1:-1, 1:-1, 2:] - 6.0 * i)
    np.testing.assert_allclose(out[1:-1, 1:-1, 1:-1], want, atol=1e-12)
