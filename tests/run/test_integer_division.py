"""Integer division in loops, which strips do in floats where the numbers are small: every quotient
and remainder is Python's, whatever the size of the numbers, the types and the place of a zero."""

import numpy as np
import pytest

from support import needs_compiler, njit

pytestmark = needs_compiler


def quotients(a, b, out, more):
    for i in range(len(a)):
        out[i] = a[i] // b[i]


def remainders(a, b, out, more):
    for i in range(len(a)):
        out[i] = a[i] % b[i]


def both(a, b, out, more):
    for i in range(len(a)):
        out[i] = a[i] // b[i]
        more[i] = a[i] % b[i]


def under_a_condition(a, b, out, more):
    for i in range(len(a)):
        if b[i] != 0:
            out[i] = a[i] // b[i]
        else:
            out[i] = -a[i]


def by_one_number(a, b, out, more):
    d = b[0]
    for i in range(len(a)):
        out[i] = a[i] // d - a[i] % d


def in_place(a, b, out, more):
    for i in range(len(a)):
        a[i] = a[i] // b[i]


def summed(a, b, out, more):
    total = 0
    for i in range(len(a)):
        total += a[i] // b[i]
    out[0] = total


FUNCTIONS = [quotients, remainders, both, under_a_condition, by_one_number, in_place, summed]
COMPILED = {f: njit(f) for f in FUNCTIONS}
TYPES = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]


class Plain:
    """An array of Python's integers, which wraps what is stored."""

    def __init__(self, array):
        self.array = array

    def __len__(self):
        return len(self.array)

    def __getitem__(self, i):
        return int(self.array[i])

    def __setitem__(self, i, value):
        info = np.iinfo(self.array.dtype)
        self.array[i] = (value - info.min) % (info.max - info.min + 1) + info.min


def edges(dtype):
    """Around every power of two where a way of dividing could go wrong, on both sides of zero."""
    info = np.iinfo(dtype)
    near = [s * (2**k + d) for k in (0, 1, 7, 8, 15, 16, 31, 32, 50, 51, 52, 53, 62, 63)
            for d in (-1, 0, 1) for s in (-1, 1)]  # fmt: skip
    return sorted({v for v in [*near, 3, -3, 10, info.min, info.max] if info.min <= v <= info.max})


def outcome(function, arrays):
    try:
        function(*arrays)
    except ZeroDivisionError as error:
        return str(error)
    return None


def compare(function, a, b):
    expected = [a.copy(), b.copy(), np.full_like(a, 7), np.full_like(a, 7)]
    found = [x.copy() for x in expected]
    want = outcome(function, [Plain(x) for x in expected])
    assert (outcome(COMPILED[function], found) is None) == (want is None)
    for x, y in zip(found, expected):
        np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("dtype", TYPES, ids=lambda t: t.__name__)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_edge_values(function, dtype):
    if function is summed and dtype is np.uint64:
        pytest.skip("int64 + uint64 is a float64")
    values = np.array(edges(dtype), dtype)
    for divisor in values[values != 0]:
        compare(function, values, np.full_like(values, divisor))
        small = values[np.abs(values.astype(float)) < 2.0**51]
        compare(function, small, np.full_like(small, divisor))


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_all_pairs(function):
    """Small ones in all strips; and large ones behind them."""
    values = [v for v in edges(np.int64) if v]
    pairs = np.array([(x, y) for x in values for y in values])
    small = (np.abs(pairs.astype(float)) < 2.0**51).all(axis=1)
    for chosen in (pairs[small], np.concatenate([pairs[small][:200], pairs[~small][:50]])):
        compare(function, chosen[:, 0].copy(), chosen[:, 1].copy())


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_zero_divisors(function):
    rng = np.random.default_rng(2)
    for size in (1, 7, 8, 64, 65, 200):
        for fault in {None, 0, size // 2, size - 1}:
            a = rng.integers(-(10**6), 10**6, size)
            b = rng.integers(1, 1000, size) * rng.choice([-1, 1], size)
            if fault is not None:
                b[fault] = 0
            compare(function, a, b)


def test_arrays_that_are_one():
    """What is stored is read again, at once or later."""
    a = np.arange(-100, 100) * 7
    for shift in (0, 1, 70):
        one, other = np.concatenate([a, a + 1]), np.concatenate([a, a + 1])
        b = np.full(200, 3)
        rest = np.empty(200, np.int64)
        both(Plain(one[:200]), Plain(b), Plain(one[shift : shift + 200]), Plain(rest))
        COMPILED[both](other[:200], b, other[shift : shift + 200], rest.copy())
        np.testing.assert_array_equal(one, other)


@njit
def multiples(x, k, m):
    found = other = 0
    for i in range(len(x)):
        if x[i] % k == 0:
            found += 1
        if x[i] % 12 == 0 or not x[i] % -7:
            other += 1
        if x[i] % m != 0 and x[i] % 1 == 0:
            other += 2
    return found, other


@pytest.mark.parametrize("dtype", TYPES, ids=lambda t: t.__name__)
def test_divides(dtype):
    values = edges(dtype)
    for k in (1, 2, 3, 5, -1, -3, 2**31, -(2**63)):
        plain = multiples.py_func(values, k, 6)
        assert multiples(np.array(values, dtype), k, 6) == plain or dtype is np.uint64, k
