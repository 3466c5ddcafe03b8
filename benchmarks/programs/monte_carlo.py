"""Pi by throwing darts, with NumPy's legacy generator, so that every engine throws the same."""

import numpy as np

from engine import njit

SIZE, SMALL = 300_000, 5_000


def work(size):
    return size


def setup(size):
    return (size,)


@njit
def run(darts):
    np.random.seed(2024)
    hits = 0
    for _ in range(darts):
        x = np.random.random()
        y = np.random.random()
        if x * x + y * y < 1.0:
            hits += 1
    return 4.0 * hits / darts


def check(result, darts):
    x, y = np.random.RandomState(2024).random_sample((darts, 2)).T
    assert result == 4.0 * np.count_nonzero(x * x + y * y < 1.0) / darts
