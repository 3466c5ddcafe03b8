"""Edit distance of two byte strings, two rows at a time."""

import numpy as np

from engine import njit

SIZE, SMALL = 1_000, 60


def work(size):
    return size * size


def setup(size):
    rng = np.random.default_rng(16)
    a = rng.integers(97, 101, size).astype(np.uint8)
    b = np.delete(a, np.arange(5, size, 9))
    return a, b


@njit
def run(a, b):
    previous = np.arange(len(b) + 1)
    current = np.zeros(len(b) + 1, dtype=np.int64)
    for i in range(len(a)):
        current[0] = i + 1
        for j in range(len(b)):
            substitution = previous[j] + (0 if a[i] == b[j] else 1)
            current[j + 1] = min(previous[j + 1] + 1, current[j] + 1, substitution)
        previous, current = current, previous
    return previous[len(b)]


def check(result, a, b):
    # Elements were only removed, so removing them is the shortest way.
    assert result == len(a) - len(b)
