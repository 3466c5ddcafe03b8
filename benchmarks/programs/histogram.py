"""A histogram with equal bins."""

import numpy as np

from engine import njit

SIZE, SMALL = 1_000_000, 5_000


def work(size):
    return size


def setup(size):
    return np.random.default_rng(10).normal(size=size), -3.0, 3.0, 64


@njit
def run(x, low, high, bins):
    counts = np.zeros(bins, dtype=np.int64)
    scale = bins / (high - low)
    for i in range(len(x)):
        if x[i] >= low and x[i] < high:
            b = int((x[i] - low) * scale)
            counts[b] += 1
    return counts


def check(result, x, low, high, bins):
    inside = x[(x >= low) & (x < high)]
    expected = np.bincount(((inside - low) * (bins / (high - low))).astype(int), minlength=bins)
    np.testing.assert_array_equal(result, expected)
