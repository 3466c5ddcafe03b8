"""The extension interface: overload, overload_method, overload_attribute, register_jitable."""

import importlib

import numpy as np
import pytest

import support
from support import PLAIN, check, compiled, errors, njit, types

if PLAIN:
    pytest.skip("looks at the compiler itself", allow_module_level=True)

extending = importlib.import_module(support.engine.__name__ + ".extending")
overload, register_jitable = extending.overload, extending.register_jitable


def test_overload_of_a_users_function():
    def clip01(x):
        return min(max(x, 0.0), 1.0)

    @overload(clip01)
    def ol_clip01(x):
        def impl(x):
            if x < 0.0:
                return 0.0
            return 1.0 if x > 1.0 else x * 1.0
        return impl

    def f(x):
        return clip01(x) + clip01(x * 2)

    check(f, 0.25)
    check(f, 3.0)


def test_overload_chooses_by_type():
    def kind(x):
        raise AssertionError("never called")

    @overload(kind)
    def ol_kind(x):
        if isinstance(x, types.Integer):
            return lambda x: 1
        if isinstance(x, types.Float):
            return lambda x: 2
        if isinstance(x, types.Array):
            return lambda x: 3 + x.ndim
        return None

    fast = njit(lambda x: kind(x))
    assert fast(1) == 1 and fast(1.5) == 2 and fast(np.zeros((2, 2))) == 5
    with pytest.raises(errors.TypingError):
        fast((1, 2))


def test_overload_with_defaults_and_keywords():
    def scaled(x, factor=2.0, offset=0):
        return x * factor + offset

    @overload(scaled)
    def ol_scaled(x, factor=2.0, offset=0):
        def impl(x, factor=2.0, offset=0):
            return x * factor + offset
        return impl

    def f(x):
        return scaled(x), scaled(x, 3.0), scaled(x, offset=1), scaled(offset=5, x=x)

    check(f, 2.0)


def test_overload_of_a_library_function():
    @overload(np.isneginf)
    def ol_isneginf(x):
        def impl(x):
            return x < 0 and x == x - 1
        return impl

    def f(x):
        return np.isneginf(x)

    for x in (-1.0, 0.0, np.inf, -np.inf, np.nan):
        check(f, x)


def test_overloads_call_each_other_and_recurse():
    def outer(x):
        return inner(x) + 1

    def inner(x):
        return x * 2

    @overload(inner)
    def ol_inner(x):
        return lambda x: x * 2

    @overload(outer)
    def ol_outer(x):
        return lambda x: inner(x) + 1

    check(lambda x: outer(x), 5)


def test_overload_sees_none_and_optional_arguments():
    def or_zero(x, y=None):
        return x if y is None else y

    @overload(or_zero)
    def ol_or_zero(x, y=None):
        if y is None or isinstance(y, (types.NoneType, types.Omitted)):
            return lambda x, y=None: x
        return lambda x, y=None: y

    def f(x):
        return or_zero(x), or_zero(x, x + 1), or_zero(x, None)

    check(f, 3)


def test_overload_method():
    @extending.overload_method(types.Array, "second")
    def array_second(a, k=1):
        def impl(a, k=1):
            return a[k]
        return impl

    fast = njit(lambda a: a.second() + a.second(2))
    assert fast(np.arange(4.0)) == 3.0


def test_overload_attribute():
    @extending.overload_attribute(types.Array, "middle")
    def array_middle(a):
        def get(a):
            return a[a.size // 2]
        return get

    assert njit(lambda a: a.middle)(np.arange(5)) == 2


def test_register_jitable():
    @register_jitable
    def twice(x):
        return x * 2

    @register_jitable(fastmath=True)
    def thrice(x):
        return x * 3

    assert twice(4) == 8
    assert njit(lambda x: twice(x) + thrice(x))(5) == 25


def test_an_error_inside_an_overload_names_the_call():
    def broken(x):
        return x

    @overload(broken)
    def ol_broken(x):
        return lambda x: x.no_such_attribute

    def caller(x):
        return broken(x)

    with pytest.raises(errors.TypingError) as caught:
        compiled(caller)(1)
    assert "no_such_attribute" in str(caught.value) and "broken(x)" in str(caught.value)


def test_an_exception_in_the_overload_itself_is_shown():
    def faulty(x):
        return x

    @overload(faulty)
    def ol_faulty(x):
        raise RuntimeError("in the overload")

    with pytest.raises(Exception, match="in the overload"):
        njit(lambda x: faulty(x))(1)


def test_an_overload_whose_signature_differs_is_refused():
    def two(x, y):
        return x + y

    with pytest.raises(Exception):
        @overload(two)
        def ol_two(x):
            return lambda x: x
        njit(lambda x: two(x, x))(1)
