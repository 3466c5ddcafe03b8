"""The table of differences from Python, docs/manual/differences.md: one test for each of its lines.

Each test shows both sides: what plain Python does and what compiled code does.
"""

import math

import numpy as np
import pytest

from support import compiled, needs_compiler
from whipsnake.errors import TypingError

pytestmark = needs_compiler


def differs(func, *args, python, compiled_gives):
    """Both results, with their types."""
    for got, want in ((func(*args), python), (compiled(func)(*args), compiled_gives)):
        assert type(got) is type(want), (got, want)
        assert got == want or (got != got and want != want), (got, want)


def raises(error, func, *args):
    with pytest.raises(error):
        compiled(func)(*args)


# --- integers -------------------------------------------------------------------------------------

def test_integers_wrap():
    differs(lambda x: x + 1, 2**63 - 1, python=2**63, compiled_gives=-(2**63))
    differs(lambda x, y: x * y, 2**40, 2**40, python=2**80, compiled_gives=0)


def test_integers_beyond_64_bits_do_not_come_in():
    raises(OverflowError, lambda x: x, 2**64)
    assert compiled(lambda x: x)(2**64 - 1) == 2**64 - 1


def test_integers_from_2_to_the_63_on_are_unsigned():
    differs(lambda x: -x, 2**63 + 1, python=-(2**63) - 1, compiled_gives=2**63 - 1)


def test_results_that_do_not_fit_64_bits_raise():
    for func, x in ((lambda x: int(x), 1e20), (lambda x: round(x), 1e20),
                    (lambda x: math.floor(x), 1e20), (lambda n: math.factorial(n), 21)):
        assert func(x) > 2**63
        raises(OverflowError, func, x)


def test_negative_exponents_known_at_run_time_raise():
    def power(x, n):
        return x**n

    assert power(2, -1) == 0.5
    raises(ValueError, power, 2, -1)
    assert compiled(lambda x: x**-1)(2) == 0.5


def test_narrow_integers_compute_in_64_bits():
    def square(a):
        return a[0] * a[0]

    a = np.full(1, 100, np.int8)
    with np.errstate(over="ignore"):
        assert square(a) == 16  # NumPy wraps in the array's type
    assert compiled(square)(a) == 10_000


def test_unsigned_and_signed_give_a_float():
    assert compiled(lambda x, y: x - y)(2**63, 1) == 2.0**63


# --- floats and complex numbers -------------------------------------------------------------------

def test_a_negative_base_stays_real():
    def root(x):
        return x ** (1 / 3)

    assert isinstance(root(-8.0), complex)
    assert math.isnan(compiled(root)(-8.0))


def test_an_int_meets_a_float_as_a_float():
    def equal(n, x):
        return n == x

    differs(equal, 2**53 + 1, 2.0**53, python=False, compiled_gives=True)


def test_a_variable_int_is_no_weak_number():
    def scale(x, n):
        return x * n

    if np.lib.NumpyVersion(np.__version__) >= "2.0.0":
        assert scale(np.float32(0.1), 3).dtype == np.float32
    assert compiled(scale)(np.float32(0.1), 3) == float(np.float32(0.1)) * 3
    assert compiled(lambda x: x * 3)(np.float32(0.1)) == float(np.float32(0.1) * np.float32(3))


def test_numbers_meet_arrays_as_python_numbers():
    def scale(x, y):
        return x * y[0]

    x, y = np.ones(3, np.float32), np.ones(3)
    if np.lib.NumpyVersion(np.__version__) >= "2.0.0":
        assert scale(x, y).dtype == np.float64
    assert compiled(scale)(x, y).dtype == np.float32


# --- types ----------------------------------------------------------------------------------------

def test_numpy_scalars_come_back_as_python_numbers():
    def same(x):
        return x

    assert type(same(np.float32(1))) is np.float32
    assert type(compiled(same)(np.float32(1))) is float
    assert type(compiled(same)(np.int8(1))) is int
    assert type(compiled(same)(np.bool_(True))) is bool


def test_float32_prints_as_the_float_it_is():
    def text(x):
        return str(x)

    assert text(np.float32(0.1)) == "0.1"
    assert compiled(text)(np.float32(0.1)) == str(float(np.float32(0.1)))


def test_int_and_float_mean_all_widths():
    def is_int(x):
        return isinstance(x, int)

    differs(is_int, np.int8(1), python=False, compiled_gives=True)
    assert compiled(lambda x: isinstance(x, float))(np.float32(1)) is True


def test_one_variable_one_type_where_paths_meet():
    differs(lambda x: 1 if x else 2.5, True, python=1, compiled_gives=1.0)
    differs(lambda x: x or 2.5, 1, python=1, compiled_gives=1.0)
    differs(lambda x: min(x, 2.5), 1, python=1, compiled_gives=1.0)


def test_is_compares_values():
    def same(x, y):
        return x is y

    differs(same, 10**6, int("1000000"), python=False, compiled_gives=True)


def test_tuples_are_copied():
    pair = (1, 2)
    func = compiled(lambda x: x)
    assert func(pair) == pair and func(pair) is not pair
    array = np.ones(2)
    assert func(array) is array


# --- arrays ---------------------------------------------------------------------------------------

def test_elements_are_divided_as_python_numbers_are():
    def divide(a):
        return a[0] / a[1]

    a = np.array([1.0, 0.0])
    with np.errstate(divide="ignore"):
        assert divide(a) == math.inf
    raises(ZeroDivisionError, divide, a)


def test_stored_numbers_are_cut_to_the_element_type():
    def store(a, x):
        a[0] = x
        return a[0]

    with pytest.raises(OverflowError):
        store(np.zeros(1, np.uint8), 300)
    assert compiled(store)(np.zeros(1, np.uint8), 300) == 44


def test_split_gives_a_tuple():
    def split(a):
        return np.split(a, 2)

    assert type(split(np.arange(4))) is list
    got = compiled(split)(np.arange(4))
    assert type(got) is tuple and [list(part) for part in got] == [[0, 1], [2, 3]]


def test_the_covariance_of_one_row_is_a_matrix():
    def covariance(a):
        return np.cov(a)

    a = np.array([[1.0, 2.0, 4.0]])
    assert covariance(a).shape == () and compiled(covariance)(a).shape == (1, 1)
    assert compiled(covariance)(a[0]).shape == ()


def test_argsort_is_stable():
    def order(a):
        return np.argsort(a)

    a = np.arange(1000) % 3
    assert list(compiled(order)(a)) == list(np.argsort(a, kind="stable"))


def test_numpy_functions_do_not_warn(recwarn):
    assert math.isnan(compiled(lambda x: np.sqrt(x))(-1.0))
    assert compiled(lambda x: np.divide(1.0, x))(0.0) == math.inf
    assert not recwarn


# --- names and calls ------------------------------------------------------------------------------

LIMIT = 3


def read_limit():
    return LIMIT


def test_globals_are_constants_of_each_compile():
    global LIMIT
    func = compiled(read_limit)
    assert func() == 3
    LIMIT = "other"
    try:
        assert func() == "other"  # noticed at the next call, and compiled again
    finally:
        LIMIT = 3


def test_what_comes_with_python_does_not_change(monkeypatch):
    def add(x, y=1):
        return x + y

    def f(x):
        return math.sqrt(x) + add(x)

    fast = compiled(f)
    assert fast(4.0) == f(4.0) == 7.0
    monkeypatch.setattr(math, "sqrt", abs)
    add.__defaults__ = (2,)
    assert (fast(4.0), f(4.0)) == (7.0, 10.0)


def test_recursion_ends_with_the_stack():
    func = compiled(depth)
    assert func(50_000) == 50_000
    with pytest.raises(RecursionError):
        func(10**9)


def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)


def test_a_class_is_called_when_its_exception_reaches_python():
    class Strict(Exception):
        def __init__(self):
            raise TypeError("never")

    def f(x):
        try:
            raise Strict
        except Strict:
            return x

    with pytest.raises(TypeError):
        f(1)
    assert compiled(f)(1) == 1  # nobody looked at the exception: it was not made

    def leave(x):
        raise Strict

    with pytest.raises(TypeError, match="never"):
        compiled(leave)(1)


def test_args_have_one_type():
    def f(x):
        try:
            if x:
                raise ValueError("text", x)
            raise KeyError(1.5)
        except Exception as e:
            return e.args[0]

    assert (f(1), f(0)) == ("text", 1.5)
    raises(TypingError, f, 1)

    def g(x):
        try:
            if x:
                raise ValueError(x)
            raise KeyError(1.5)
        except Exception as e:
            return e.args[0]

    assert (g(1), g(0)) == (1, 1.5) and isinstance(compiled(g)(1), float)


def test_a_late_change_does_not_change_types():
    """A number that has changed twice is read at each call; the result keeps its type."""
    global LIMIT
    func = compiled(read_limit)
    try:
        for LIMIT in (1, 2, 3, 4, 2.5, 5):
            assert repr(func()) == repr(LIMIT)
    finally:
        LIMIT = 3


def test_a_captured_variable_has_one_type():
    def f(x):
        n = 0

        def half():
            nonlocal n
            n = x / 2

        if x > 1:
            half()
        return n

    differs(f, 1, python=0, compiled_gives=0.0)


def test_random_streams_are_apart_from_pythons():
    func = compiled(lambda: np.random.random())
    seed = compiled(lambda n: np.random.seed(n))
    seed(1)
    np.random.seed(1)
    first = func()
    assert np.random.random() == first  # the same generator, in another state
    func()
    func()
    assert np.random.random() != func()


def test_deep_tracebacks_are_shortened():
    def fall(n):
        if n == 0:
            raise ValueError("bottom")
        return 1 + fall_compiled(n - 1)

    fall_compiled = compiled(fall)
    with pytest.raises(ValueError) as caught:
        fall_compiled(100)
    entries, traceback = 0, caught.value.__traceback__
    while traceback:
        entries += traceback.tb_frame.f_code.co_name == "fall"
        traceback = traceback.tb_next
    assert 10 <= entries <= 20
