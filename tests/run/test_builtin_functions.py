"""Python's builtin functions inside compiled code."""

import collections
import importlib

import numpy as np
import pytest

import values
from support import check, check_all, needs_compiler, njit, on


@on(3, -3, 2.5, -0.0, True, 3 + 4j)
def test_abs(x):
    return abs(x)


@on(((1, 2, 3),), ((0, 0),), ((1, 0.0, True),), ((),))
def test_all_and_any_of_tuples(t):
    return all(t), any(t)


@on(np.array([True, True]), np.array([0, 2]), np.zeros(3), np.zeros(0))
def test_all_and_any_of_arrays(a):
    return all(a), any(a)


@on((3, 2.5), (0, 0.0), (-1, float("nan")))
def test_bool_int_float_complex(n, x):
    return bool(n), bool(x), float(n), complex(n, x), complex(x), int(n), bool(), int(), float()


def test_divmod():
    check_all(lambda x, y: divmod(x, y), [-7, 7, 0, 2**62], [-3, 3, 1, -1])
    check_all(lambda x, y: divmod(x, y), [-7.5, 7.25, 0.0, -0.0, 1e300], [-3.0, 3.5, 1.0, 2])


@on(0, 1, -1, 2**61 - 1, 2**61, -2**63, 0.5, 0.0, -0.0, 1.0, 1e300, float("inf"), True,
    (1, 2), (1, 2.5, (3, True)), (), 1 + 2j)
def test_hash(x):
    return hash(x)


@on((np.zeros((3, 4)), (1, 2, 3)))
def test_len(a, t):
    return len(a), len(t), len(a[0]), len(range(3, 10, 2)), len("text"), len(())


@on((3, 7), (7, 3), (2.5, -1.0), (0.0, -0.0), (-0.0, 0.0), (float("nan"), 1.0),
    (1.0, float("nan")), (True, False))
def test_min_and_max_of_two(a, b):
    return min(a, b), max(a, b)


@on((3, 7.5), (9, 2.5), as_type=lambda t: tuple(map(float, t)))
def test_min_and_max_of_mixed_types(a, b):
    return min(a, b), max(a, b)


@on((5, 2, 9), (1, 1, 1), (-3, -9, 0))
def test_min_and_max_of_three(a, b, c):
    return min(a, b, c), max(a, b, c)


@on(((4, 2, 8),), ((1.5, -2.0),))
def test_min_and_max_of_a_tuple(t):
    return min(t), max(t)


@on(np.array([3.0, -1.0, 2.0]), np.array([5, 4]))
def test_min_and_max_of_an_array(a):
    return min(a), max(a)


@on((5, -7, 3), (1, 2, -2))
def test_min_and_max_with_key(a, b, c):
    return min(a, b, c, key=abs), max((a, b, c), key=lambda v: v * v), min((a, b), key=lambda v: -v)


@on(np.zeros(0), np.array([3.0, 1.0]))
def test_min_and_max_with_default(a):
    return min(a, default=-1.0), max(a, default=99.0)


@on(np.zeros(0))
def test_min_of_nothing(a):
    return min(a)


@on((2, 10), (3, 0), (-2, 3), (0, 0))
def test_pow_of_ints(a, b):
    return pow(a, b)


@on((2.0, 0.5), (2, -1.5), (1.5, 3), ulp=1)
def test_pow_of_floats(a, b):
    return pow(a, b)


@on((3, 200, 13), (7, 0, 5), (2, 62, 1000003))
def test_pow_with_modulus(a, b, m):
    return pow(a, b, m)


def test_round_without_digits():
    halves = [0.5, 1.5, 2.5, -0.5, -1.5, 2.4999999, 1e15 + 0.5, -0.0, 4503599627370495.5, 1e18]
    check_all(lambda x: round(x), [*halves, 3, -7, True])


def test_round_with_digits():
    points = [2.675, 1.005, -2.5, 1234.5678, 0.1 + 0.2, 1e22, 5e-324, 0.0, -0.0, 1e300,
              float("inf"), float("nan"), 0.125, 2.5, 55.55]
    check_all(lambda x, n: round(x, n), points, [0, 1, 2, 5, -1, -3, 20, 400, -400])
    check_all(lambda x, n: round(x, n), [1234, -15, 25, 0, 7], [0, 1, -1, -2, -5])


@pytest.mark.parametrize("x", [float("inf"), float("nan")])
def test_round_of_what_has_no_integer(x):
    check(lambda x: round(x), x)


@on(np.array([1.5, 2.5]), np.array([3, 4]), np.array([True, True]))
def test_sum_of_an_array(a):
    return sum(a)


@on(((1, 2, 3),), ((1.5, 2),), ((),))
def test_sum_of_a_tuple(t):
    return sum(t)


@on(5)
def test_sum_with_start_and_of_a_range(n):
    return sum(range(n)), sum((1, 2), n), sum(range(n, 0, -2), 0.5)


@on((1, 2.5), (True, 3))
def test_tuple(a, b):
    return tuple((a, b)), tuple(()), (a,) + tuple((b,))


@on(3, 2.5, True, 1j, (1, 2), None)
def test_isinstance(x):
    return (isinstance(x, int), isinstance(x, float), isinstance(x, (bool, complex)),
            isinstance(x, tuple), x is None)


@on(np.zeros(2))
def test_isinstance_of_arrays(a):
    return isinstance(a, np.ndarray), isinstance(a, float), isinstance(a, tuple)


@on(3, (1, 2), np.ones(2))
def test_isinstance_chooses_the_code(x):
    if isinstance(x, tuple):
        return x[0] + x[1]
    elif isinstance(x, np.ndarray):
        return x.sum()
    else:
        return x * 2


@on(2)
def test_callable(x):
    return callable(x), callable(abs), callable(helper)


@njit
def helper(x):
    return x


@on((1, 2), (1, 2.5), (True, False))
def test_type_comparison(a, b):
    return type(a) is type(b), type(a) == int, type(b) == float


@on((10, 2))
def test_range_and_slice_builders(n, k):
    r = range(n)
    s = slice(1, n, k)
    t = slice(n)
    return len(r), r[3], r[-1], s.start, s.step, t.stop, r[k]


@on((3, 1), (3, 0), (3, 2), (3, 5))
def test_getitem_of_a_range(n, i):
    return range(n)[i]


@on(((3, 1, 2), (1.5, 2.5, 3.5)))
def test_zip_enumerate_reversed_together(a, b):
    total = 0.0
    for i, (x, y) in enumerate(zip(a, reversed(b))):
        total += (i + 1) * x * y
    return total


def test_int_of_every_kind():
    check_all(lambda x: int(x), [x for x in values.MODEST] + [3, True, -9.99e17])


def test_int_of_a_literal_text():
    def f():
        return int("12"), int(" -3 "), int("ff", 16), int("0b11", 0), int("1_000")

    check(f)


def test_limits_of_dtypes():
    def f(a, b):
        eps = np.finfo(a.dtype).eps
        return (eps, np.finfo(np.float64).max, np.finfo("float32").tiny, np.iinfo(b.dtype).max,
                np.iinfo(np.int32).min, np.iinfo("uint8").max, np.iinfo(np.int16).bits)

    check(f, np.zeros(1, np.float32), np.zeros(1, np.int16))
    check(f, np.zeros(1), np.zeros(1, np.int64))


# -- the tables -----------------------------------------------------------------------------------

@needs_compiler
def test_no_row_hides_another():
    """Rows are found by the object that their name leads to, methods by their name."""
    rows = importlib.import_module("whipsnake._core").builtin_rows()
    names = collections.Counter(name for name, *_ in rows)
    assert [name for name, n in names.items() if n > 1] == []
    found = {}
    for name, kind, params, _, prelude in rows:
        module, _, last = name.rpartition(".")
        if kind != "function" or not hasattr(importlib.import_module(module), last):
            continue  # of another version of NumPy
        owner = getattr(importlib.import_module(module), last)
        assert found.setdefault(owner, (params, prelude)) == (params, prelude), name
