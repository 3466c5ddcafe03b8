"""np.array of what is written in place; joining, sorting, searching."""

import numpy as np
import pytest

from support import check, check_raises, errors, lambda_of, needs_compiler, njit

pytestmark = needs_compiler

X = np.array([3.0, -1.0, 2.5, 7.0, -1.0, 0.0, 2.5])
N = np.array([[5, 1, 4], [2, 9, 3]])
DISPLAYS = [
    "np.array([1, 2, 3])",
    "np.array((1.5, 2))",
    "np.array([[1, 2], [3, x]])",
    "np.array([x, 2 * x])",
    "np.array([True, False])",
    "np.array([1, 2j])",
    "np.array([1, 2], dtype=np.float32)",
    "np.array([])",
    "np.asarray([1.0, x])",
    "np.array([[[1], [2]], [[3], [4]]])",
    "np.array([1, 2]) + np.array([0.5, x])",
    "np.sum(np.array([1, 2, 3]))",
]


@pytest.mark.parametrize("text", DISPLAYS)
def test_displays(text):
    check(lambda_of(text, "x"), 4)


def test_arrays_are_copied_or_not():
    check(lambda_of("np.array(x)", "x"), np.asfortranarray(N))
    check(lambda_of("np.array(x, np.float32)", "x"), N)
    check(lambda_of("np.asarray(x)", "x"), N)
    check(lambda_of("np.asarray(x, np.float64)", "x"), N)


@pytest.mark.parametrize("text", ["np.array([[1, 2], [3]])", "[1, 2]", "len([1, 2])"])
def test_lists_elsewhere(text):
    with pytest.raises(errors.CompileError):
        njit(lambda_of(text, "x"))(1)


FUNCTIONS = [
    "np.concatenate((x, x))",
    "np.concatenate([n, n + 1], axis=1)",
    "np.concatenate((n, n * 0.5))",
    "np.diff(x)",
    "np.diff(n)",
    "np.diff(x, 2)",
    "np.outer(x, n)",
    "np.roll(x, 2)",
    "np.roll(n, -1)",
    "np.flatnonzero(x > 0)",
    "np.sort(x)",
    "np.sort(n)",
    "np.argsort(n)",
    "np.unique(x)",
    "np.unique(n)",
    "np.searchsorted(np.sort(x), 2.5)",
    "np.searchsorted(np.sort(x), x)",
    "np.searchsorted(np.sort(x), 2.5, side='right')",
]


@pytest.mark.parametrize("text", FUNCTIONS)
def test_functions(text):
    check(lambda_of(text, "x, n"), X, N)


def test_joins_that_do_not_fit():
    text = (
        "all the input array dimensions except for the concatenation axis must match exactly, but "
        "along dimension 1, the array at index 0 has size 3 and the array at index 1 has size 2"
    )
    check_raises(ValueError, text, lambda_of("np.concatenate((x, y))"), N, N[:, :2])
    for axes in (2, 1), (1, 2), (3, 2):
        x, y = (np.ones((1,) * n) for n in axes)
        text = (
            "all the input arrays must have same number of dimensions, but the array at index "
            f"0 has {axes[0]} dimension(s) and the array at index 1 has {axes[1]} dimension(s)"
        )
        for call in "np.concatenate((x, y))", "np.append(x, y, axis=0)":
            check_raises(ValueError, text, lambda_of(call), x, y)


@pytest.mark.parametrize("n", [0, 1, 2, 15, 16, 17, 100, 1000])
@pytest.mark.parametrize("dtype", ["float64", "int16"])
def test_sorting(n, dtype):
    x = np.random.default_rng(n).integers(-50, 50, n).astype(dtype)
    if dtype == "float64" and n > 3:
        x[n // 2] = np.nan
    np.testing.assert_array_equal(njit(lambda_of("np.sort(x)", "x"))(x), np.sort(x))
    got = njit(lambda_of("np.argsort(x)", "x"))(x)
    np.testing.assert_array_equal(got, np.argsort(x, kind="stable"))
