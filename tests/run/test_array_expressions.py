"""Whole-array expressions: broadcasting, assignment, overlap, reductions, and what is fused."""

import os
import re
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support import check, check_raises, lambda_of, make, needs_compiler, njit, run_python

pytestmark = needs_compiler

A = np.arange(12.0).reshape(3, 4)
B = np.linspace(-1, 1, 12).reshape(3, 4)
ROW, COLUMN = np.array([1.0, 2.0, 3.0, 4.0]), np.array([[10.0], [20.0], [30.0]])
I8 = np.arange(-6, 6, dtype=np.int8).reshape(3, 4)


EXPRESSIONS = [
    "x + y",
    "x * y - x / 2",
    "-x + abs(y)",
    "(x > 0) & (y < 0.5)",
    "~(x > y)",
    "x ** 2 + y ** 2",
    "np.where(x > y, x, y * 2)",
    "np.sqrt(x * x + y * y)",
    "np.minimum(x, y).astype(np.float32)",
    "x[1:] + y[:-1]",
    "x[:, None] * 2 + y[:, None]",
    "x.T + y.T",
    "(x + y)[0]",
    "(x + y).T + x.T",
    "np.exp(-x) * np.sin(y)",
    "x % 3 + y // 2",
    "np.clip(x, 1, 5) + y.clip(0, 1)",
    "x.round() + np.round(y, 1)",
    "np.float32(x) * np.float32(0.5)",
    "(x + y).sum() + x",
    "x + y[0, 1]",
    "2 ** (x > 1)",
    "divmod(3, 2)[0] + x",
    "x == y",
    "x != y",
    "np.isnan(x) | np.isfinite(y)",
    "+x - +y",
]


@pytest.mark.parametrize("text", EXPRESSIONS)
@pytest.mark.parametrize("layouts", ["CC", "FF", "CF", "CA"])
def test_expressions(text, layouts):
    def lay(a, how):
        return {"C": a, "F": np.asfortranarray(a), "A": np.repeat(a, 2, axis=1)[:, ::2]}[how]

    if "[:, None]" in text and layouts != "CC":
        pytest.skip("the order of what has more axes than F arrays have is C")
    func = lambda_of(text)
    x, y = lay(A, layouts[0]), lay(B, layouts[1])
    if layouts == "CA" or ".T" in text or "[1:]" in text:  # the order may differ
        np.testing.assert_array_equal(njit(func)(x, y), func(x, y))
    else:
        check(func, x, y, ulp=1)


SHAPES = [
    (3, 4),
    (4,),
    (3, 1),
    (1, 4),
    (1,),
    (),
    (1, 1),
    (2, 3, 4),
    (2, 1, 1),
    (0, 4),
    (5,),
    (2, 4),
]


@pytest.mark.parametrize("a", SHAPES)
@pytest.mark.parametrize("b", SHAPES)
def test_broadcasting(a, b):
    def func(x, y):
        return x * 2 + y

    x, y = (
        np.arange(np.prod(a, dtype=int)).reshape(a) + 0.5,
        np.arange(np.prod(b, dtype=int)).reshape(b) * 1.0,
    )
    if a == b == ():
        assert njit(func)(x, y) == func(x, y)
    else:
        check(func, x, y)


def three(x, y, z):
    return np.where(x > 0, y, z) + x


@pytest.mark.parametrize(
    "shapes",
    [
        ((3,), (3,), (3,)),
        ((3,), (1,), (3,)),
        ((3,), (2, 1), (1,)),
        ((3,), (2,), (3,)),
        ((2, 3), (3,), (4,)),
    ],
)
def test_three_operands(shapes):
    check(three, *(np.arange(np.prod(s, dtype=float)).reshape(s) - 1 for s in shapes))


# -- in place -------------------------------------------------------------------------------------

INPLACE = [
    "x += y",
    "x -= y * 2",
    "x *= x",
    "x /= y + 3",
    "x //= y + 2",
    "x %= 3",
    "x **= 2",
    "x[...] = y + 1",
    "x[1:] = x[:-1] + y[1:]",
    "x[:-1] = x[1:] * 2",
    "x[:, ::2] = y[:, 1::2] - x[:, ::2]",
    "x += x[0]",
    "x -= x[:, :1]",
    "x[::-1] += x",
    "x[:] = x[::-1] + 0",
    "x[0] = y[1] + y[2]",
    "x[1:, 1:] += x[:-1, :-1]",
    "x[:] = y[0] + 1",
    "x[:] = (y[:, :1] + 1)",
    "x += y[:2]",
    "x[:2] = y + 1",
    "x[0] += y",
    "x += 1",
    "x *= 2.5",
    "x[x > 3] = 0",
    "x[:] = x.T.reshape(3, 4) + x",
]


@pytest.mark.parametrize("text", INPLACE)
@pytest.mark.parametrize("dtype", ["float64", "int32", "float32"])
def test_in_place(text, dtype):
    func = make(f"def f(x, y):\n    {text}\n")
    if dtype == "int32" and re.search(r"/= |2\.5|\*\*=", text):
        return
    x, y = A.astype(dtype), (B * 4).astype(dtype)
    if dtype == "float32":
        text = text.replace("2.5", "np.float32(2.5)")
    mine, other = x.copy(), x.copy()
    try:
        func(other, y)
    except ValueError as error:
        with pytest.raises(ValueError) as got:
            njit(func)(mine, y)
        if "non-broadcastable" in str(error):
            assert str(got.value) == str(error)
    else:
        njit(func)(mine, y)
    np.testing.assert_array_equal(mine, other)


def test_casts_that_would_lose():
    from support import errors

    for text, x in (("x += 0.5", I8), ("x /= 2", I8), ("x += 1j", A)):
        with pytest.raises(errors.CompileError, match="for a new array"):
            njit(make(f"def f(x):\n    {text}\n"))(x.copy())


def test_python_integers_out_of_range():
    check_raises(
        OverflowError,
        "Python integer 300 out of bounds for uint8",
        lambda_of("x + 300", "x"),
        np.zeros(3, np.uint8),
    )
    with pytest.raises(OverflowError, match="Python integer -1 out of bounds for uint64"):
        njit(lambda_of("x + y"))(np.zeros(3, np.uint64), -1)
    check(lambda_of("x < 300", "x"), np.zeros(3, np.uint8))


def test_negative_powers():
    check_raises(
        ValueError,
        "Integers to negative integer powers are not allowed.",
        lambda_of("x ** y"),
        np.arange(1, 4),
        np.array([1, -1, 2]),
    )


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 12), st.integers(0, 12), st.integers(-3, 3), st.integers(-3, 3))
def test_overlap(start, other, step, step2):
    """Any two slices of one array: as if the right side were computed first."""
    a, b = np.arange(40.0), np.arange(40.0)
    step, step2 = step or 1, step2 or -1
    n = 4
    to = np.s_[12 + start : 12 + start + n * step : step]
    src = np.s_[12 + other : 12 + other + n * step2 : step2]
    b[to] = b[src] * 2 + b[to]
    overlapping(a, to.start, to.stop, step, src.start, src.stop, step2)
    np.testing.assert_array_equal(a, b)


@njit
def overlapping(a, start, stop, step, start2, stop2, step2):
    a[start:stop:step] = a[start2:stop2:step2] * 2 + a[start:stop:step]


def test_a_new_array_is_not_compared_with_what_was_there_before():
    """It can overlap nothing, so there is no second way by a copy; between arguments there is."""

    @njit
    def to_new(a):
        out = np.empty(a.shape)
        out[...] = a
        return out

    @njit
    def to_old(a, out):
        out[...] = a

    to_new(A)
    to_old(A, np.zeros_like(A))
    count = [sum(len(re.findall("call .*@ws_alloc", text)) for text in f.inspect_llvm().values())
             for f in (to_new, to_old)]
    assert count == [1, 1]


# -- order of effects -----------------------------------------------------------------------------


def stores_between(x, y):
    t = x + y
    x[0] = 100.0
    return t * 2


def raises_between(x, y, i):
    t = x + y
    v = x[i]
    return t * v


def test_what_comes_between():
    check(stores_between, ROW.copy(), ROW)
    check_raises(
        ValueError,
        "operands could not be broadcast together with shapes (4,) (3,) ",
        raises_between,
        ROW,
        np.ones(3),
        10,
    )
    with pytest.raises(IndexError):
        njit(raises_between)(ROW, ROW, 10)


def used_twice(x, y):
    t = x + y
    return t * t, t


def in_a_loop(x, y):
    s = np.zeros_like(x)
    for i in range(5):
        s += x * i + y
        s = s * 0.5
    return s


def branches(x, y, flag):
    t = x * 2
    if flag:
        t = t + y
    else:
        t = t - y
    return t


def test_control_flow():
    check(used_twice, A, B)
    check(in_a_loop, A, B)
    check(branches, A, B, True)
    check(branches, A, B, False)


# -- reductions over expressions ------------------------------------------------------------------

REDUCTIONS = [
    "np.sum(x * y)",
    "(x * y).sum()",
    "np.prod(x + 1)",
    "np.mean(x - y)",
    "(x > y).mean()",
    "np.min(x * y)",
    "(x + y).max()",
    "(x > 2).any()",
    "np.all(x + y > -5)",
    "np.count_nonzero(x > y)",
    "np.argmin(x * y)",
    "(x - y).argmax()",
    "np.sum(x > 3)",
    "np.sum(x.astype(np.int8) + 1)",
    "(x[:, None] * y[:, None]).sum()",
    "np.sum(np.sqrt(np.abs(x * y)))",
    "np.max(-x)",
    "(x + y.T.reshape(3, 4)).sum()",
    "np.sum(x[0] + y)",
]


@pytest.mark.parametrize("text", REDUCTIONS)
@pytest.mark.parametrize("order", "CF")
def test_reductions(text, order):
    check(lambda_of(text), np.array(A, order=order), np.array(B, order=order), ulp=4)


@pytest.mark.parametrize(
    "text", ["(x * 2).min()", "np.argmax(x + 1)", "np.max(x * 1)", "(x + 1).argmin()"]
)
def test_reductions_of_nothing(text):
    func = lambda_of(text, "x")
    with pytest.raises(ValueError) as want:
        func(np.zeros(0))
    with pytest.raises(ValueError) as got:
        njit(func)(np.zeros(0))
    assert str(got.value) == str(want.value)


@pytest.mark.parametrize("fill", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize(
    "text",
    [
        "(x + 0).min()",
        "(x + 0).max()",
        "(x + 0).sum()",
        "np.argmin(x + 0)",
        "np.argmax(x + 0)",
        "np.mean(x + 0)",
    ],
)
def test_reductions_of_specials(text, fill):
    x = np.arange(300.0)
    x[137] = fill
    check(lambda_of(text, "x"), x, ulp=1)


def test_sums_are_accurate():
    from fractions import Fraction

    rng = np.random.default_rng(7)
    x, y = rng.standard_normal(100_003) * 1e6, rng.standard_normal(100_003)
    got = njit(lambda_of("np.sum(x * y)"))(x, y)
    exact = sum(Fraction(v) for v in (x * y).tolist())
    assert abs(Fraction(got) - exact) <= abs(Fraction(float(np.sum(x * y))) - exact) + Fraction(
        1e-6
    )


# -- one loop -------------------------------------------------------------------------------------


def test_one_vector_loop_without_temporaries():
    """One array of operands of one shape, one for stretched ones; no more are made."""
    fast = njit("float64[::1](float64[::1], float64[::1])")(lambda_of("np.sqrt(x * x + y * y)"))
    text = next(iter(fast.inspect_asm().values()))
    assert len(re.findall(r"call\w*\s+ws_alloc", text)) == 2
    assert re.search(r"vsqrtpd\s+%[yz]mm", text)


LOOP = """
b3.loop.body:
    %1: ptr = elem %2, %3
    %4: float64 = load %1
    %5: float64 = mul %4, %6
    %7: float64 = add %5, %8
    %9: ptr = elem %10, %3
    store %9, %7
    %11 = const int64 1
    %12: int64 = add %3, %11
    jump b2(%12)
"""


def test_a_fused_loop_as_text():
    code = """if True:
        import numpy as np
        from support import lambda_of, njit
        njit(lambda_of("x * 2 + 1", "x"))(np.ones((2, 3)))"""
    path = os.pathsep.join(sys.path)
    text = run_python(code, env={"WHIPSNAKE_DUMP": "low", "PYTHONPATH": path}).stderr
    loop = "\n" + text[text.index("b3.loop.body") : text.index("b4.loop.exit")]
    names = {}
    renumbered = re.sub(r"%\d+", lambda m: names.setdefault(m[0], f"%{len(names) + 1}"), loop)
    assert renumbered == LOOP
    assert text.count("loop.body") == 1
