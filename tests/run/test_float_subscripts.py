"""Subscripts that were floats: what does not fit an integer raises as int() does, what is no index
as any other, at the iteration where it stands, in code with one test for both."""

import math

import numpy as np
import pytest

from support import needs_compiler, njit

pytestmark = needs_compiler


def count(x, bins):
    for i in range(len(x)):
        bins[int(x[i])] += 1


def look_up(x, bins):
    for i in range(len(x)):
        x[i] = bins[int(x[i] * 2.0)]


def truncated(x, bins):
    for i in range(len(x)):
        bins[math.trunc(x[i])] -= 1


def plane(x, bins):
    square = bins.reshape((3, 3))
    for i in range(len(x) - 1):
        square[int(x[i]), int(x[i + 1])] += 1


FUNCTIONS = [count, look_up, truncated, plane]
COMPILED = {f: njit(f) for f in FUNCTIONS}
GOOD = [0.0, -0.0, 0.9, -0.9, 2.5, -1.0, -1.5]
BAD = [math.nan, -math.nan, math.inf, -math.inf, 2.0**63, -(2.0**63), -(2.0**63) - 2048.0, 2.0**62,
       2.0**63 - 1024.0, 1e300, -1e300, 9.0, 100.0, -9.5, -10.0, 2.0**52, 2.0**32,
       -(2.0**32)]  # fmt: skip


class Plain:
    """Python's floats, and integers that wrap."""

    def __init__(self, array):
        self.array = array

    def __len__(self):
        return len(self.array)

    def __getitem__(self, i):
        return self.array[i].item()

    def __setitem__(self, i, value):
        self.array[i] = value

    def reshape(self, shape):
        return self.array.reshape(shape)


def outcome(function, arrays):
    try:
        function(*arrays)
    except (ArithmeticError, ValueError, IndexError) as error:
        kind = type(error)
        return kind, "" if kind is IndexError or "too large" in str(error) else str(error)
    return None


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_like_plain_python(function, dtype):
    for bad in [None, *BAD]:
        for at in (0, 3, len(GOOD)):
            x = list(GOOD)
            if bad is not None:
                x.insert(at, bad)
            with np.errstate(over="ignore"):
                expected, found = [(np.array(x, dtype), np.arange(9)) for _ in range(2)]
            want = outcome(function, [Plain(v) for v in expected])
            got = outcome(COMPILED[function], found)
            if want and want[0] is IndexError and abs(bad) >= 2.0**62:
                # int() of it is no int64, or its double is none
                assert got and got[0] in (IndexError, OverflowError)
            else:
                assert got == want, bad
            for a, b in zip(found, expected):
                np.testing.assert_array_equal(a, b, err_msg=str(bad))


def test_smallest_integer_is_one():
    """-2**63 fits, and is the only number of that kind that the cast alone does not tell."""
    with pytest.raises(IndexError, match="-9223372036854775808"):
        COMPILED[count](np.array([-(2.0**63)]), np.arange(9))
    with pytest.raises(OverflowError, match="too large"):
        COMPILED[count](np.array([2.0**63]), np.arange(9))
