"""Indirect subscripts: weights applied to elements picked through an array of indices."""

import numpy as np

from engine import njit

SIZE, SMALL = 1_000_000, 5_000


def work(size):
    return size


def setup(size):
    rng = np.random.default_rng(11)
    table = rng.random(4096)
    return table, rng.integers(0, len(table), size), rng.random(size), np.empty(size)


@njit
def run(table, index, weight, out):
    for i in range(len(index)):
        out[i] = table[index[i]] * weight[i]


def check(result, table, index, weight, out):
    assert result is None
    np.testing.assert_array_equal(out, table[index] * weight)
