"""The Lorenz system by Runge-Kutta: states are tuples that helper functions take and return."""

import numpy as np

from engine import njit

SIZE, SMALL = 40_000, 200
SIGMA, RHO, BETA = 10.0, 28.0, 8.0 / 3.0
STEP = 0.00025


def work(size):
    return size


def setup(size):
    return (1.0, 1.0, 1.0), STEP, size


@njit
def slope(state):
    x, y, z = state
    return SIGMA * (y - x), x * (RHO - z) - y, x * y - BETA * z


@njit
def moved(state, direction, h):
    return (
        state[0] + h * direction[0],
        state[1] + h * direction[1],
        state[2] + h * direction[2],
    )


@njit
def run(state, h, steps):
    for _ in range(steps):
        k1 = slope(state)
        k2 = slope(moved(state, k1, h / 2))
        k3 = slope(moved(state, k2, h / 2))
        k4 = slope(moved(state, k3, h))
        state = moved(state, k1, h / 6)
        state = moved(state, k2, h / 3)
        state = moved(state, k3, h / 3)
        state = moved(state, k4, h / 6)
    return state


def check(result, state, h, steps):
    def f(s):
        x, y, z = s
        return np.array([SIGMA * (y - x), x * (RHO - z) - y, x * y - BETA * z])

    s = np.array(state)
    for _ in range(steps):
        k1 = f(s)
        k2 = f(s + h / 2 * k1)
        k3 = f(s + h / 2 * k2)
        s = s + h / 6 * (k1 + 2 * k2 + 2 * k3 + f(s + h * k3))
    # The system is chaotic: rounding grows a few thousandfold over the run.
    np.testing.assert_allclose(np.array(result), s, rtol=1e-8)
