"""Properties that hold for all values, searched by hypothesis."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import model
from model import Val
from support import assert_same, check, check_result, compiled, plain

settings.register_profile("whipsnake", max_examples=200, deadline=None, database=None)
settings.load_profile("whipsnake")

INT64 = st.integers(-2**63, 2**63 - 1)
FLOAT64 = st.floats()


def modelled(func, *values):
    try:
        return unwrapped(func(*values))
    except (ZeroDivisionError, OverflowError, ValueError) as error:
        return type(error)()


def unwrapped(value):
    if isinstance(value, tuple):
        return tuple(unwrapped(v) for v in value)
    return value.value if isinstance(value, Val) else value


def int_operators(x, y):
    return x + y, x - y, x * y, x & y, x | y, x ^ y, x < y, x == y, -x, ~y


def int_division(x, y):
    return x // y, x % y


def float_operators(x, y):
    return x + y, x - y, x * y, x < y, x <= y, x == y, -x, abs(y)


def float_division(x, y):
    return x / y, x // y, x % y


def mixed_compare(n, x):
    return n < x, n <= x, n == x, x > n, n + x, n * x


@given(INT64, INT64)
def test_int64_operators(x, y):
    check_result(modelled(int_operators, Val("int64", x), Val("int64", y)), int_operators, x, y)
    check_result(modelled(int_division, Val("int64", x), Val("int64", y)), int_division, x, y)


@given(FLOAT64, FLOAT64)
def test_float64_operators(x, y):
    check(float_operators, x, y)
    check(float_division, x, y)


@given(INT64, FLOAT64)
def test_int_against_float(n, x):
    check_result(modelled(mixed_compare, Val("int64", n), Val("float64", x)), mixed_compare, n, x)


@given(FLOAT64)
def test_int_of_a_float(x):
    want = modelled(model.to_int, Val("float64", x))
    check_result(want, f_int, x)


def f_int(x):
    return int(x)


@given(FLOAT64)
def test_rounding(x):
    check(round_digits, x, 3)
    if abs(x) < 1e15:
        check(roundings, x)


def round_digits(x, n):
    return round(x, n)


def roundings(x):
    return round(x), math.floor(x), math.ceil(x), math.trunc(x)


@given(FLOAT64)
def test_text_of_floats(x):
    import contextlib
    import io
    texts = []
    for func in (plain(show), compiled(show)):
        stream = io.StringIO()
        with contextlib.redirect_stdout(stream):
            func(x)
        texts.append(stream.getvalue())
    assert texts[0] == texts[1]


def show(x):
    print(x, f"{x}")


def ranged(start, stop, step):
    total = 0
    for i in range(start, stop, step):
        total += i
    r = range(start, stop, step)
    return total, len(r), stop in r


@given(st.integers(-50, 50), st.integers(-50, 50), st.integers(-7, 7))
def test_ranges(start, stop, step):
    check(ranged, start, stop, step)


def sliced(a, start, stop, step):
    return a[start:stop:step]


BOUND = st.integers(-15, 15)


@given(BOUND, BOUND, st.integers(-4, 4))
def test_slices(start, stop, step):
    check(sliced, np.arange(9.0), start, stop, step)


def element(a, i, j):
    a[i, j] += 1.0
    return a[i, j]


@given(st.integers(-5, 5), st.integers(-6, 6))
def test_subscripts(i, j):
    check(element, np.arange(12.0).reshape(3, 4), i, j)


@given(st.lists(st.floats(-1e6, 1e6), max_size=40))
def test_reductions(values):
    check(reduce_all, np.array(values, np.float64))


def reduce_all(a):
    return a.sum(), a.size, a.prod() * 0.0


@given(st.tuples(INT64, FLOAT64, st.booleans(), st.complex_numbers()))
def test_scalars_pass_through_unchanged(values):
    check(back, values)


def back(t):
    a, b, c, d = t
    return d, c, b, a, t


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))
def test_uint64_operators(x, y):
    want = modelled(int_operators_unsigned, Val("uint64", x), Val("uint64", y))
    check_result(want, int_operators_unsigned, np.uint64(x), np.uint64(y))


def int_operators_unsigned(x, y):
    return x + y, x - y, x * y, x & y, x ^ y, x < y, x == y, x >> 3, x << 5


@given(st.floats(width=32), st.floats(width=32))
def test_float32_operators(x, y):
    want = modelled(float_operators, Val("float32", x), Val("float32", y))
    check_result(want, float_operators, np.float32(x), np.float32(y))
    want = modelled(float_division, Val("float32", x), Val("float32", y))
    check_result(want, float_division, np.float32(x), np.float32(y))


@given(FLOAT64)
def test_the_rounding_of_the_model_is_numpys(x):
    with np.errstate(all="ignore"):
        assert_same(model.round32(x), float(np.float32(x)))


@pytest.mark.parametrize("n", [0, 1, -1, 2**62, -2**63])
def test_examples_that_once_failed_elsewhere(n):
    check_result(modelled(int_division, Val("int64", n), Val("int64", -1)), int_division, n, -1)
