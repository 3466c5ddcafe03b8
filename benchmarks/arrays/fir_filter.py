"""A filter with 32 taps, by shifted slices."""

import numpy as np

from engine import njit

SIZE, SMALL = 20_000, 200


def setup(size):
    rng = np.random.default_rng(11)
    return rng.random(size), rng.random(32)


@njit
def run(x, taps):
    n = x.size - taps.size + 1
    y = np.zeros(n)
    for k in range(taps.size):
        y += taps[k] * x[k:k + n]
    return y


def check(result, x, taps):
    np.testing.assert_allclose(result, np.correlate(x, taps, "valid"), rtol=1e-10)
