"""Selecting by a mask, and writing through one."""

import numpy as np

from engine import njit

SIZE, SMALL = 100_000, 500


def setup(size):
    rng = np.random.default_rng(14)
    return rng.random(size), rng.random(size)


@njit
def run(a, b):
    chosen = a[(a > 0.3) & (b < 0.6)]
    c = a.copy()
    c[b > 0.5] = 0.0
    return chosen.sum() + c.sum()


def check(result, a, b):
    want = a[(a > 0.3) & (b < 0.6)].sum() + np.where(b > 0.5, 0.0, a).sum()
    np.testing.assert_allclose(result, want, rtol=1e-10)
