"""Matrix product as the textbook has it: three loops, the sum kept in the output element."""

import numpy as np

from engine import njit

SIZE, SMALL = 160, 24


def work(size):
    return size**3


def setup(size):
    rng = np.random.default_rng(1)
    return rng.random((size, size)), rng.random((size, size))


@njit
def run(a, b):
    rows, inner = a.shape
    columns = b.shape[1]
    c = np.zeros((rows, columns))
    for i in range(rows):
        for j in range(columns):
            for k in range(inner):
                c[i, j] += a[i, k] * b[k, j]
    return c


def check(result, a, b):
    np.testing.assert_allclose(result, a @ b, rtol=1e-12)
