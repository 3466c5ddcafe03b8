"""Jacobi iterations of Poisson's equation, with a norm at each step."""

import numpy as np

from engine import njit

SIZE, SMALL = 200, 20


def setup(size):
    return np.random.default_rng(18).random((size, size)), 20


@njit
def run(f, steps):
    u = np.zeros_like(f)
    change = 0.0
    for _ in range(steps):
        new = u.copy()
        new[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
                                  + f[1:-1, 1:-1])
        change = np.abs(new - u).max()
        u = new
    return change


def check(result, f, steps):
    u = np.zeros_like(f)
    for _ in range(steps):
        new = u.copy()
        new[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
                                  + f[1:-1, 1:-1])
        change, u = np.abs(new - u).max(), new
    np.testing.assert_allclose(result, change, rtol=1e-10)
