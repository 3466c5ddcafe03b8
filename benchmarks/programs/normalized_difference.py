"""The vegetation index of satellite pictures, (near - red) / (near + red): a dividing 2-D map."""

import numpy as np

from engine import njit

SIZE, SMALL = 768, 64


def work(size):
    return size * size


def setup(size):
    rng = np.random.default_rng(13)
    near = rng.integers(1, 10_000, (size, size)).astype(np.uint16)
    red = rng.integers(1, 10_000, (size, size)).astype(np.uint16)
    return near, red, np.empty((size, size))


@njit
def run(near, red, out):
    for i in range(near.shape[0]):
        for j in range(near.shape[1]):
            n = float(near[i, j])
            r = float(red[i, j])
            out[i, j] = (n - r) / (n + r)


def check(result, near, red, out):
    assert result is None
    n, r = near.astype(float), red.astype(float)
    np.testing.assert_array_equal(out, (n - r) / (n + r))
