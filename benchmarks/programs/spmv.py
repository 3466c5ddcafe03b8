"""Sparse matrix times vector, compressed rows, repeated: the matrix of a random walk."""

import numpy as np

from engine import njit

SIZE, SMALL = 20_000, 300
PER_ROW = 16


def work(size):
    return size


def setup(size):
    rng = np.random.default_rng(17)
    row_start = np.arange(size + 1) * PER_ROW
    column = rng.integers(0, size, size * PER_ROW).astype(np.int32)
    value = np.full(size * PER_ROW, 1.0 / PER_ROW)
    return row_start, column, value, rng.random(size), 4


@njit
def multiply(row_start, column, value, x, y):
    for row in range(len(y)):
        total = 0.0
        for k in range(row_start[row], row_start[row + 1]):
            total += value[k] * x[column[k]]
        y[row] = total


@njit
def run(row_start, column, value, start, steps):
    x = start.copy()
    y = np.empty_like(x)
    for _ in range(steps):
        multiply(row_start, column, value, x, y)
        x, y = y, x
    return x


def check(result, row_start, column, value, start, steps):
    x = start
    for _ in range(steps):
        x = (value * x[column]).reshape(-1, PER_ROW).sum(axis=1)
    np.testing.assert_allclose(result, x, rtol=1e-12)
