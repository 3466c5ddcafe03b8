"""Loops in which an iteration loads what the one before has stored: the same as in plain Python,
with no, one and many iterations, forwards and backwards, whatever else lies in the same memory."""

import numpy as np
import pytest

from support import needs_compiler, njit

pytestmark = needs_compiler


def running_sum(x, y):
    for i in range(1, len(x)):
        x[i] = x[i - 1] + y[i]


def filtered(x, y):
    for i in range(len(x) - 1):
        x[i + 1] = x[i] // 2 + y[i]


def backwards(x, y):
    for i in range(len(x) - 2, -1, -1):
        x[i] = y[i] - x[i + 1]


def with_while(x, y):
    i = 2
    while i < len(x):
        x[i] = x[i - 1] + x[i - 2]
        i += 1


def in_steps(x, y):
    for i in range(3, len(x), 3):
        x[i] = x[i - 3] - y[i]


def smallest(x, y):
    for i in range(len(x) - 1):
        x[i + 1] = min(y[i] + 1, x[i] + 1, y[i + 1])


def chain(x, y):
    for i in range(1, len(x)):
        x[i] = (x[i - 1] + y[i]) + (y[i - 1] + i)


def under_a_condition(x, y):
    for i in range(1, len(x)):
        if y[i] > 3:
            x[i] = x[i - 1] + 1


def read_twice(x, y):
    for i in range(1, len(x)):
        a = x[i - 1]
        x[i] = a + y[i]
        y[0] = x[i - 1]


def rows(x, y):
    t = x.reshape((len(x) // 4, 4))
    for i in range(1, t.shape[0]):
        for j in range(1, 4):
            t[i, j] = min(t[i, j - 1], t[i - 1, j], y[j]) + 1


FUNCTIONS = [running_sum, filtered, backwards, with_while, in_steps, smallest, chain,
             under_a_condition, read_twice, rows]  # fmt: skip
COMPILED = {f: njit(f) for f in FUNCTIONS}


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint8, np.float64, np.float32])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_like_plain_python(function, dtype):
    rng = np.random.default_rng(3)
    for size in (4, 8, 16, 100):
        x, y = (rng.integers(0, 9, size).astype(dtype) for _ in range(2))
        check(function, x, y, np.copy)
        check(function, x, y, lambda v: np.repeat(v, 2)[::2])  # with gaps


def check(function, x, y, lay):
    if function is rows and lay is not np.copy:
        return  # a view of it takes no strides
    expected, found = [x.copy(), y.copy()], [lay(x), lay(y)]
    with np.errstate(all="ignore"):
        function(*expected)
    COMPILED[function](*found)
    for a, b in zip(found, expected):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("function", FUNCTIONS[:-1], ids=lambda f: f.__name__)
def test_no_iterations(function):
    for size in (0, 1, 2):
        x, y = np.arange(size), np.arange(size) + 1
        expected = x.copy(), y.copy()
        try:
            function(*expected)
        except IndexError:
            with pytest.raises(IndexError):
                COMPILED[function](x, y)
            continue
        COMPILED[function](x, y)
        np.testing.assert_array_equal(x, expected[0])


def test_other_array_is_the_same_memory():
    for shift in (0, 1, 2):
        one, other = np.arange(50), np.arange(50)
        chain(one[:40], one[shift : shift + 40])
        COMPILED[chain](other[:40], other[shift : shift + 40])
        np.testing.assert_array_equal(one, other)


def test_a_place_that_is_all_places():
    """Strides of 0: every subscript is the same element."""
    one, other = np.array([5]), np.array([5])
    y = np.arange(20)
    strided = np.lib.stride_tricks.as_strided
    running_sum(strided(one, (20,), (0,)), y)
    COMPILED[running_sum](strided(other, (20,), (0,)), y)
    assert one[0] == other[0] == 5 + sum(range(1, 20))
