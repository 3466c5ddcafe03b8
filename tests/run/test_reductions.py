"""Reductions with axis, keepdims, dtype, initial, where, out and ddof, against NumPy."""

import itertools

import numpy as np
import pytest

from support import lambda_of, needs_compiler, njit

pytestmark = needs_compiler

CUBE = np.random.default_rng(3).standard_normal((3, 4, 5))
INTS = np.arange(-12, 12, dtype=np.int8).reshape(4, 6)
HOLES = np.where(CUBE > 1, np.nan, CUBE)
NAMES = (
    "sum prod min max mean var std any all argmin argmax ptp count_nonzero nansum nanprod "
    "nanmean nanmin nanmax"
).split()
AXES = ["0", "1", "-1", "(0, 2)", "(-1, 0)", "None", "()", "(0, 1, 2)"]
QUICK_AXES = ["0", "1", "-1", "(0, 2)"]
SINGLE = ("argmin", "argmax")


def agree(text, a, rtol=1e-12):
    func = lambda_of(text, "a")
    with np.errstate(all="ignore"):
        try:
            want = func(a)
        except Exception as error:
            with pytest.raises(type(error)) as got:
                njit(func)(a)
            assert str(got.value) == str(error), text
            return
    got = njit(func)(a)
    assert np.shape(got) == np.shape(want), text
    if isinstance(want, np.ndarray) and want.ndim:
        assert got.dtype == want.dtype, text
    np.testing.assert_allclose(got, want, rtol=rtol, atol=1e-14, err_msg=text)


@pytest.mark.parametrize("name", NAMES)
def test_axes(name, run_all):
    for axis, keep in itertools.product(AXES if run_all else QUICK_AXES, ["", ", keepdims=True"]):
        if name in SINGLE and axis[0] == "(":
            continue
        if not run_all and keep and axis != "1":
            continue
        agree(f"np.{name}(a, axis={axis}{keep})", HOLES if name.startswith("nan") else CUBE)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "a",
    [INTS, np.asfortranarray(CUBE), CUBE[::-1, 1::2], CUBE.astype("f"), INTS > 3, (CUBE + 1j)[0]],
    ids=["int8", "F", "strided", "float32", "bool", "complex"],
)
def test_kinds(name, a, run_all):
    complex_order = a.dtype.kind == "c" and name in (
        "min",
        "max",
        "argmin",
        "argmax",
        "ptp",
        "nanmin",
        "nanmax",
    )
    if complex_order or (a.dtype.kind == "b" and name in ("ptp", "min", "max", "nanmin", "nanmax")):
        return
    for axis in ["0", "1"] + ["None"] * run_all:
        agree(f"np.{name}(a, axis={axis})", a, rtol=1e-5 if a.dtype == np.float32 else 1e-12)


KEYWORDS = [
    "np.sum(a, dtype=np.float32)",
    "np.sum(a, 1, np.float32)",
    "np.mean(a, axis=0, dtype=np.float32)",
    "np.var(a, ddof=1)",
    "np.std(a, axis=1, ddof=2)",
    "a.sum(axis=0)",
    "a.mean(1)",
    "a.min(axis=(0, 1))",
    "a.std()",
    "a.var(axis=0)",
    "np.max(a, initial=2.0)",
    "np.min(a, axis=0, initial=-0.5)",
    "np.sum(a, axis=1, initial=10)",
    "np.sum(a, axis=0, where=a > 0)",
    "np.prod(a, where=a > 1)",
    "np.cumsum(a)",
    "np.cumsum(a, axis=1)",
    "np.cumprod(a, axis=-1)",
    "a.cumsum(0)",
    "np.sum(a, axis=3)",
    "np.sum(a, axis=(0, 0))",
    "np.max(a, axis=-4)",
    "np.sum(a[:, :0], axis=1)",
    "np.sum(a, out=np.zeros((4, 5)), axis=0)",
    "np.mean(a * 2, axis=0)",
    "(a > 0).sum(axis=1)",
    "np.sum(a > 0)",
    "np.sum(a[0, 0], axis=0)",
    "np.max(a[:, :0], axis=1)",
    "np.argmax(a, axis=1, keepdims=True)",
]


@pytest.mark.parametrize("text", KEYWORDS)
def test_keywords(text):
    agree(text, CUBE, rtol=1e-5 if "float32" in text else 1e-12)


def test_axis_known_when_running():
    fast = njit(lambda_of("np.sum(a, axis=k)", "a, k"))
    for axis in (0, 1, 2, -1, -3):
        np.testing.assert_allclose(fast(CUBE, axis), CUBE.sum(axis=axis), rtol=1e-13)
    with pytest.raises(ValueError, match="axis 3 is out of bounds for array of dimension 3"):
        fast(CUBE, 3)


def test_softmax():
    def softmax(x):
        e = np.exp(x - np.max(x, axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)

    np.testing.assert_allclose(njit(softmax)(CUBE[0]), softmax(CUBE[0]), rtol=1e-14)
