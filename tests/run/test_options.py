"""What error_model, boundscheck, fastmath, parallel and inline change, and what they do not."""

import math

import numpy as np
import pytest

from support import check, check_result, compiled, needs_compiler, njit, prange


def divide(x, y):
    return x / y


@needs_compiler
@pytest.mark.parametrize("x, y, want", [
    (1.0, 0.0, math.inf), (-1.0, 0.0, -math.inf), (1.0, -0.0, -math.inf), (0.0, 0.0, math.nan),
    (1, 0, math.inf), (0, 0, math.nan), (6.0, 3.0, 2.0),
])
def test_numpy_error_model_divides_by_zero(x, y, want):
    check_result(want, divide, x, y, error_model="numpy")


@needs_compiler
def test_numpy_error_model_floor_division_of_floats():
    check_result(math.inf, lambda x, y: x // y, 1.0, 0.0, error_model="numpy")
    check_result(math.nan, lambda x, y: x % y, 1.0, 0.0, error_model="numpy")


@needs_compiler
def test_numpy_error_model_in_a_loop():
    def ratio(a, b, out):
        for i in range(len(a)):
            out[i] = a[i] / b[i]

    b = np.arange(600.0) % 7
    out = np.empty(600)
    compiled(ratio, error_model="numpy")(np.ones(600), b, out)
    with np.errstate(all="ignore"):
        assert np.array_equal(out, 1 / b)


def test_python_error_model_is_the_default():
    check(divide, 1.0, 0.0)
    check(divide, 1, 0, error_model="python")


@needs_compiler
def test_boundscheck_off_still_computes():
    def total(a, n):
        s = 0.0
        for i in range(n):
            s += a[i] * a[-1 - i]
        return s

    check(total, np.arange(10.0), 10, boundscheck=False)
    check(total, np.arange(10.0), 11)
    check(total, np.arange(10.0), 11, boundscheck=True)


def test_fastmath_is_close():
    def dot(a, b):
        s = 0.0
        for i in range(len(a)):
            s += a[i] * b[i]
        return s

    a = np.random.RandomState(1).uniform(-1, 1, 1000)
    for flags in (True, {"reassoc"}, {"contract", "afn"}, set()):
        got = compiled(dot, fastmath=flags)(a, a)
        assert abs(got - float(a @ a)) < 1e-10


@needs_compiler
def test_without_fastmath_sums_keep_their_order():
    def total(a):
        s = 0.0
        for x in a:
            s += x
        return s

    check(total, np.random.RandomState(2).uniform(-1, 1, 1000) * 10.0 ** np.arange(1000) % 1e10)


@needs_compiler
def test_without_fastmath_nothing_is_contracted():
    def f(a, b, c):
        return a * b + c

    x = 1.0 + 2.0**-30
    check(f, x, x, -1.0 - 2.0**-29)


def test_isnan_and_isinf_keep_their_meaning_under_fastmath():
    def f(x):
        return math.isnan(x), math.isinf(x), np.isnan(x), np.isinf(x)

    for x in (math.nan, math.inf, -math.inf, 1.0):
        check(f, x, fastmath={"reassoc", "contract", "nsz", "arcp", "afn"})
        check(f, x, fastmath=True)


def test_prange_gives_the_serial_result():
    def triple(a, out):
        for i in prange(len(a)):
            out[i] = 3 * a[i]

    def total(n):
        s = 0
        for i in prange(1, n, 2):
            s += i
        return s

    check(triple, np.arange(1000.0), np.zeros(1000), parallel=True)
    check(total, 1001, parallel=True)
    check(total, 1001)


@pytest.mark.parametrize("inline", ["always", "never"])
def test_inline(inline):
    @njit(inline=inline)
    def clamp(x, low, high):
        if x < low:
            return low
        if x > high:
            raise ValueError("too high")
        return x

    def f(x):
        y = 100
        return clamp(x, 1, 5) * y

    for x in (-1, 3, 9):
        check(f, x)


@needs_compiler
def test_debug_computes_the_same():
    def f(n):
        s = 0
        for i in range(n):
            if i % 3:
                s += i
        return s

    check(f, 100, debug=True)
