"""a * x + y in single precision."""

import numpy as np

from engine import njit

SIZE, SMALL = 1_000_000, 5_000


def work(size):
    return size


def setup(size):
    rng = np.random.default_rng(15)
    x = rng.random(size, dtype=np.float32)
    y = rng.random(size, dtype=np.float32)
    return np.float32(1.5), x, y, np.empty(size, np.float32)


@njit
def run(a, x, y, out):
    for i in range(x.size):
        out[i] = a * x[i] + y[i]


def check(result, a, x, y, out):
    assert result is None
    np.testing.assert_array_equal(out, a * x + y)
