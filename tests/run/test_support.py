"""The comparison helpers must notice what they are there to notice."""

import collections
import math

import numpy as np
import pytest

import support
import values

Point = collections.namedtuple("Point", "x y")


@pytest.mark.parametrize("got, want", [
    (1, 1.0), (1, True), (0.0, -0.0), (1.0, math.nan), (0, None), ((1, 2), [1, 2]),
    ((1, 2), (1, 2, 3)), ((1, 2.0), (1, 2)), (Point(1, 2), (1, 2)), (1 + 0j, complex(1, -0.0)),
    (1.0, math.nextafter(1.0, 2)), ("a", "b"), (np.float64(1), 1.0),
])
def test_differences_of_scalars_and_tuples_are_seen(got, want):
    with pytest.raises(AssertionError):
        support.assert_same(got, want)


@pytest.mark.parametrize("change", [
    lambda a: a.astype(np.float32), lambda a: a.reshape(3, 2), lambda a: np.asfortranarray(a),
    lambda a: -a, lambda a: values.read_only(a), lambda a: a.tolist(),
    lambda a: np.where(a == 1, np.nan, a), lambda a: np.where(a == 0, -0.0, a),
])
def test_differences_of_arrays_are_seen(change):
    array = np.arange(6.0).reshape(2, 3)
    support.assert_same(array.copy(), array)
    with pytest.raises(AssertionError):
        support.assert_same(change(array), array)


def test_ulp_distance():
    assert support.ulp_distance(1.0, math.nextafter(1.0, 2)) == 1
    assert support.ulp_distance(-0.0, 0.0) == 0
    assert support.ulp_distance(5e-324, -5e-324) == 2
    support.assert_same(1.0, math.nextafter(1.0, 2), ulp=1)


@pytest.mark.parametrize("error, other", [
    (ValueError("a"), ValueError("b")), (ValueError("a"), TypeError("a")),
    (ValueError(1), ValueError("1")),
])
def test_differences_of_errors_are_seen(error, other):
    if support.message(error) == support.message(other) and type(error) is type(other):
        other = KeyError("b")
    with pytest.raises(AssertionError):
        support.assert_same_error(error, other)


@pytest.mark.parametrize("shape", [(), (5,), (3, 4), (2, 3, 4), *values.EMPTY_SHAPES])
@pytest.mark.parametrize("dtype", [np.float64, np.int8, np.complex64, np.bool_])
def test_clones_keep_the_layout(shape, dtype):
    for name, array in values.layouts(shape, dtype):
        copy = support.clone(array)
        assert copy.strides == array.strides and copy.dtype == array.dtype, name
        assert copy.flags.writeable == array.flags.writeable
        assert copy.flags.aligned == array.flags.aligned
        assert np.array_equal(copy, array) and not np.shares_memory(copy, array)


def test_clones_go_on_sharing_memory():
    base = np.arange(10.0)
    a, b, c = support.clone((base, base[2:5], base))
    assert a is c and np.shares_memory(a, b) and not np.shares_memory(a, base)
    b[0] = -1
    assert a[2] == -1


def test_the_plain_run_types_elements_as_the_contract_does():
    def divide(a, b, i):
        return a[i] / b[i]

    _, error, _ = support.reference(divide, (np.ones(2), np.zeros(2), 0))
    assert isinstance(error, ZeroDivisionError)
    value, _, _ = support.reference(lambda a: a[0] + a[0], (np.array([127], np.int8),))
    assert value == 254 and type(value) is int
    value, _, _ = support.reference(lambda a: a[0] * 0.1, (np.array([1], np.float32),))
    assert value == float(np.float32(0.1))


def test_reductions_of_the_plain_run_are_numbers():
    def f(a):
        return a.sum(), a.max() + a[1:].mean(), a.argmax(), a[1] * a.sum()

    value, _, _ = support.reference(f, (np.arange(4.0),))
    assert value == (6.0, 5.0, 3, 6.0) and [type(v) for v in value] == [float, float, int, float]
    value, _, _ = support.reference(f, (np.arange(4, dtype=np.float32),))
    assert value == (6.0, 5.0, 3, 6.0) and type(value[0]) is float


def helper(x):
    return x + 1


helper.py_func = helper


def calls_helper(x):
    def inner(y):
        return helper(y) * 2
    return inner(x)


def test_the_plain_run_leaves_compiled_functions_out():
    seen = support.plain(calls_helper)
    assert seen(1) == 4 and seen.__globals__["helper"] is not None


def test_unequal_results_fail_a_check(monkeypatch):
    monkeypatch.setattr(support, "PLAIN", False)
    monkeypatch.setattr(support, "compiled", lambda func, **options: lambda x: x + 1)
    with pytest.raises(AssertionError, match="instead of"):
        support.check(lambda x: x + 2, 1)
    support.check(lambda x: x + 1, 1)


def test_a_missing_exception_fails_a_check(monkeypatch):
    monkeypatch.setattr(support, "PLAIN", False)
    monkeypatch.setattr(support, "compiled", lambda func, **options: lambda x: 0)
    with pytest.raises(AssertionError, match="ZeroDivisionError"):
        support.check(lambda x: 1 // x, 0)


def test_a_missing_side_effect_fails_a_check(monkeypatch):
    def write(a):
        a[0] = 5.0

    monkeypatch.setattr(support, "PLAIN", False)
    monkeypatch.setattr(support, "compiled", lambda func, **options: lambda a: None)
    with pytest.raises(AssertionError, match="afterwards"):
        support.check(write, np.zeros(3))
