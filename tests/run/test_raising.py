"""Exceptions that leave compiled code: types, messages, arguments, side effects, tracebacks.

PYTEST_DONT_REWRITE: the assert statements below belong to the programs.
"""

import math
import traceback

import numpy as np
import pytest

from support import check, check_raises, compiled, needs_compiler, njit, on


class NegativeError(ValueError):
    """A user's own exception."""


class Fancy(Exception):
    """One with several arguments."""

    def __init__(self, code, text, where):
        super().__init__(code, text, where)
        self.code = code


@on(-1, 1)
def test_raise_of_a_builtin_class(x):
    if x < 0:
        raise ValueError("negative")
    return x


@on(-1, 1)
def test_raise_without_a_call(x):
    if x < 0:
        raise KeyError
    return x


@on(-3, 1)
def test_raise_with_run_time_arguments(x):
    if x < 0:
        raise ValueError("negative value", x, x * 0.5, (x, True))
    return x


@on(-3, 1)
def test_raise_with_an_f_string(x):
    if x < 0:
        raise ValueError(f"got {x}, wanted at least {-x}")
    return x


@on(-3, 3)
def test_raise_of_a_user_class(x):
    if x < 0:
        raise NegativeError("x", x)
    raise Fancy(7, "seven", x)


def test_user_exceptions_are_really_constructed():
    def f(x):
        raise Fancy(x, "text", 2.5)

    with pytest.raises(Fancy) as caught:
        compiled(f)(12)
    assert caught.value.code == 12 and caught.value.args == (12, "text", 2.5)


@pytest.mark.parametrize("error", [
    ArithmeticError, AssertionError, AttributeError, IndexError, KeyError, LookupError, MemoryError,
    NotImplementedError, OverflowError, RuntimeError, StopIteration, TypeError, ValueError,
    ZeroDivisionError,
])
def test_every_builtin_class(error):
    def f(x):
        if x > 0:
            raise error("text", x)
        return x

    check(f, 0)
    check(f, 3)


@on(1, -1)
def test_assert(x):
    assert x > 0
    return x


@on(1, -1)
def test_assert_with_a_message(x):
    assert x > 0, "must be positive"
    return x


@on(1, -5)
def test_assert_with_a_run_time_message(x):
    assert x > 0, f"{x} is not positive"
    return x


@njit
def deep(a, i):
    if i > 3:
        raise IndexError("too deep")
    if i < 0:
        return 0
    a[i] = i
    return deep(a, i + 1)


@on(np.zeros(6))
def test_raise_through_recursion(a):
    return deep(a, 0)


@njit
def checked_root(x):
    if x < 0:
        raise NegativeError(x)
    return math.sqrt(x)


@on(np.array([4.0, 9.0, -1.0, 16.0]), np.array([1.0, 4.0]))
def test_raise_in_a_callee_keeps_earlier_writes(a):
    for i in range(len(a)):
        a[i] = checked_root(a[i])


@on((1, 0), (7, 2))
def test_integer_division_by_zero(a, b):
    return a // b


@on((1, 0), (7, 2))
def test_integer_modulo_by_zero(a, b):
    return a % b


@on((1.0, 0.0), (7, 0), (1.0, -0.0))
def test_true_division_by_zero(a, b):
    return a / b


@on((1.0, 0.0))
def test_float_floor_division_by_zero(a, b):
    return a // b


@on((1.0, 0.0))
def test_float_modulo_by_zero(a, b):
    return a % b


@on((3, 0), (3.0, 0.0), (3, 2))
def test_divmod_by_zero(a, b):
    return divmod(a, b)


@on(-1.0, math.nan, 4.0)
def test_domain_errors(x):
    return math.sqrt(x)


@on(1000.0, 1.0)
def test_range_errors(x):
    return math.exp(x)


@on(math.nan, math.inf, -math.inf, 2.5, -2.5)
def test_int_of_floats(x):
    return int(x)


def test_messages_of_index_errors():
    def read(a, i):
        return a[i]

    check_raises(IndexError, "index 10 is out of bounds for axis 0 with size 3", read,
                 np.zeros(3), 10)
    check_raises(IndexError, "index -4 is out of bounds for axis 0 with size 3", read,
                 np.zeros(3), -4)


@needs_compiler
def test_an_assert_that_pytest_rewrote_still_compiles():
    import test_functions
    assert compiled(test_functions.positional_only)(5, 1, 2) == 3


@needs_compiler
def test_the_traceback_shows_the_function_and_its_line():
    def culprit(a, b):
        c = a + 1
        return c // b

    with pytest.raises(ZeroDivisionError) as caught:
        compiled(culprit)(1, 0)
    frames = traceback.extract_tb(caught.value.__traceback__)
    ours = [f for f in frames if f.name == "culprit"]
    assert ours and ours[0].line == "return c // b", frames


@needs_compiler
def test_the_traceback_shows_inner_frames_too():
    with pytest.raises(NegativeError) as caught:
        njit(lambda x: checked_root(x) + 1)(-4.0)
    names = [f.name for f in traceback.extract_tb(caught.value.__traceback__)]
    assert "checked_root" in names and "<lambda>" in names
    assert names.index("<lambda>") < names.index("checked_root")


@needs_compiler
def test_calls_go_on_after_an_exception():
    def f(a, i):
        return a[i] / i

    fast = compiled(f)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            fast(np.ones(3), 0)
        with pytest.raises(IndexError):
            fast(np.ones(3), 3)
        assert fast(np.ones(3), 2) == 0.5


def test_the_context_of_a_handled_exception_is_kept():
    def f(x):
        raise ValueError("second")

    with pytest.raises(ValueError) as caught:
        try:
            raise KeyError("first")
        except KeyError:
            compiled(f)(1)
    assert isinstance(caught.value.__context__, KeyError)


def test_dead_raises_do_not_spoil_the_return_type():
    def f(kind, x):
        if kind == 0:
            return x + 1
        elif kind == 1:
            return x * 2
        else:
            raise NotImplementedError("kind")

    check(f, 0, 5)
    check(f, 1, 5)
    check(f, 2, 5)


def test_a_function_that_only_raises():
    def f(x):
        raise RuntimeError(x)

    check(f, 1)
    check(f, 2.5)
