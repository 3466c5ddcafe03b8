"""Inner loops whose bounds are read from arrays, as in compressed sparse rows: the subscripts are
asked about where such a loop starts, and wherever one is out of range, the same is raised with the
same elements written."""

import numpy as np
import pytest

from support import check, needs_compiler

pytestmark = needs_compiler

INT64 = np.iinfo(np.int64)


def sums(start, stop, value, out):
    for row in range(len(out)):
        for k in range(start[row], stop[row]):
            out[row] += value[k]


def products(start, stop, value, out):
    for row in range(len(out)):
        total = 0.0
        for k in range(start[row], stop[row], 2):
            total += value[k] * value[k + 1]
        out[row] = total


def gathered(start, stop, value, out):
    column = np.arange(len(value)) * 3 - 7
    for row in range(len(out)):
        total = 0.0
        for k in range(start[row], stop[row]):
            total += value[column[k]]
        out[row] = total


def shifted_writes(start, stop, value, out):
    for row in range(len(start)):
        base = start[row]
        for k in range(stop[row] - base):
            out[k] = value[base + k] + out[k]


def three_deep(start, stop, value, out):
    for again in range(2):
        for row in range(len(start)):
            for k in range(start[row], stop[row]):
                for m in range(start[row], k):
                    out[row] += value[m] * value[k] + again


FUNCTIONS = [sums, products, gathered, shifted_writes, three_deep]
ROWS = [
    ([0, 3, 3, 5], [3, 3, 5, 12]),
    ([0, 3, 4, 5], [3, 4, 5, 13]),
    ([0, 2, -3, 0], [2, 4, 2, 1]),
    ([0, -13, 0, 0], [1, -11, 0, 0]),
    ([5, 9, 2, 7], [1, 9, 12, 3]),
    ([0, INT64.min, 0, 2], [4, INT64.min, 0, 4]),
    ([0, INT64.max, 3, 2], [4, 0, 3, 4]),
    ([0, INT64.max - 1, 0, 2], [4, INT64.max, 0, 4]),
    ([0, 1, 2, 2], [4, 3, INT64.max, 4]),
    ([0, INT64.min, 2, 2], [4, -1, 5, 4]),
]


@pytest.mark.parametrize("rows", range(len(ROWS)))
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_rows(function, rows):
    start, stop = (np.array(list(column)) for column in ROWS[rows])
    check(function, start, stop, np.arange(12.0) + 1.0, np.zeros(4))


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_random_rows(function):
    rng = np.random.default_rng(5)
    for _ in range(40):
        start = rng.integers(-2, 10, 4)
        check(function, start, start + rng.integers(-1, 5, 4), rng.random(12), np.zeros(4))
