"""Integer division and remainder over arrays: minutes and seconds, negative times included."""

import numpy as np

from engine import njit

SIZE, SMALL = 200_000, 5_000


def work(size):
    return size


def setup(size):
    rng = np.random.default_rng(14)
    time = rng.integers(-100_000, 100_000, size)
    unit = rng.integers(1, 100, size)
    return time, unit, np.empty(size, np.int64), np.empty(size, np.int64)


@njit
def run(time, unit, whole, rest):
    for i in range(len(time)):
        whole[i] = time[i] // unit[i]
        rest[i] = time[i] % unit[i]


def check(result, time, unit, whole, rest):
    assert result is None
    np.testing.assert_array_equal(whole, time // unit)
    np.testing.assert_array_equal(rest, time % unit)
