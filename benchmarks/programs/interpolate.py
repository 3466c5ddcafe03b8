"""Linear interpolation in a table with equal steps: two neighbours an element, found by a float."""

import numpy as np

from engine import njit

SIZE, SMALL = 500_000, 5_000


def work(size):
    return size


def setup(size):
    table = np.sin(np.linspace(0.0, 3.0, 2048))
    x = np.random.default_rng(18).uniform(0.0, 3.0, size)
    return table, x, 0.0, 2047 / 3.0, np.empty(size)


@njit
def run(table, x, start, scale, out):
    for i in range(len(x)):
        place = (x[i] - start) * scale
        k = int(place)
        rest = place - k
        out[i] = table[k] * (1.0 - rest) + table[k + 1] * rest


def check(result, table, x, start, scale, out):
    assert result is None
    place = (x - start) * scale
    k = place.astype(int)
    rest = place - k
    np.testing.assert_array_equal(out, table[k] * (1.0 - rest) + table[k + 1] * rest)
