"""NumPy's elementwise functions on whole arrays: values, dtype, shape and order of NumPy's own.

What NumPy has a loop for, we have, or it is listed in MISSING. The quick suite takes a sample of
the types and layouts."""

import itertools

import numpy as np
import pytest

from support import assert_same_elements, make, needs_compiler, njit

pytestmark = needs_compiler

DTYPES = [
    "bool",
    "int8",
    "uint8",
    "int16",
    "uint16",
    "int32",
    "uint32",
    "int64",
    "uint64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]
QUICK = ["bool", "int8", "uint32", "float16", "float64", "complex128"]
UNARY = (
    "absolute negative positive sign square conj sqrt exp log log10 sin cos tan arcsin arccos "
    "arctan sinh cosh tanh arcsinh arccosh arctanh cbrt exp2 expm1 log1p log2 fabs rint "
    "degrees radians deg2rad rad2deg spacing floor ceil trunc invert logical_not isnan isinf "
    "isfinite signbit reciprocal modf frexp"
).split()
BINARY = (
    "add subtract multiply divide floor_divide remainder fmod power float_power minimum "
    "maximum fmin fmax equal not_equal less less_equal greater greater_equal logical_and "
    "logical_or logical_xor bitwise_and bitwise_or bitwise_xor left_shift right_shift gcd lcm "
    "arctan2 hypot copysign nextafter logaddexp logaddexp2 heaviside divmod ldexp"
).split()
# (function, kind of the common type): refused when compiling, where NumPy has a loop
MISSING = {
    *itertools.product(["reciprocal", "nextafter", "spacing"], "biu"),
    *itertools.product(
        (
            "exp2 expm1 log1p log2 rint minimum maximum fmin fmax less "
            "less_equal greater greater_equal"
        ).split(),
        ["c"],
    ),
}
# NumPy's distance from the true value, in units of the last place
ROUGH = {
    "power": 4,
    "float_power": 4,
    "cbrt": 4,
    "arccosh": 2,
    "arctanh": 2,
    "tanh": 2,
    "log10": 2,
    "sinh": 2,
    "logaddexp": 4,
    "logaddexp2": 4,
    "arcsinh": 2,
    "log2": 2,
    "log1p": 2,
    "exp2": 2,
}


def values(dtype, n=13, seed=0):
    """Numbers of all kinds that the type has."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return np.arange(n) % 3 > 0
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        some = [0, 1, 2, 3, 5, 7, info.max, info.min, info.max // 2, 11, 4, 6, 1]
        some = [v if info.min <= v <= info.max else 1 for v in some]
        return np.roll(np.array(some, dtype), seed)[:n]
    some = np.array(
        [0.0, -0.0, 0.5, -0.75, 1.0, 2.5, -3.0, 1e-3, 30.0, np.inf, -np.inf, np.nan, 7.25]
    )
    if dtype.kind == "c":
        z = np.array([0.5 + 1j, -1 + 0.25j, 2j, 3 - 1j, -0.5 - 0.5j, 1, 0.125 + 3j])
        return np.roll(np.resize(z, n), seed).astype(dtype)
    return np.roll(some, seed)[:n].astype(dtype)


def numpy_says(func, *args):
    """NumPy's result, or None where it refuses the types."""
    with np.errstate(all="ignore"):
        try:
            return func(*args)
        except TypeError:
            return None


def agree(got, want, ulp, what):
    if isinstance(want, tuple):
        assert isinstance(got, tuple) and len(got) == len(want), what
        for g, w in zip(got, want):
            agree(g, w, ulp, what)
        return
    assert got.dtype == want.dtype and got.shape == want.shape, (what, got.dtype, want.dtype)
    assert got.flags.c_contiguous == want.flags.c_contiguous, what
    if want.dtype.kind == "c":
        np.testing.assert_allclose(
            got, want, rtol=1e-5 if want.dtype == "c8" else 1e-13, err_msg=what
        )
    elif want.dtype == np.float16:
        np.testing.assert_allclose(got.astype("d"), want.astype("d"), rtol=2e-3, err_msg=what)
    else:
        assert_same_elements(got, want, ulp << 29 if want.dtype == np.float32 else ulp, what)


def compare(name, *args):
    func = make(
        f"def f({', '.join('xyz'[: len(args)])}): return np.{name}({', '.join('xyz'[: len(args)])})"
    )
    want = numpy_says(func, *args)
    what = f"{name} of {[a.dtype.name for a in args]}"
    common = np.result_type(*args).kind
    if name in ("nextafter", "spacing") and any(a.dtype == np.float16 for a in args):
        want = None
    if want is None or (name, common) in MISSING:
        with pytest.raises(Exception, match="does not take|no operator|not"):
            njit(func)(*args)
        return
    agree(njit(func)(*args), want, ROUGH.get(name, 1), what)


@pytest.mark.parametrize("name", UNARY)
def test_of_one_array(name, run_all):
    for dtype in DTYPES if run_all else QUICK:
        x = values(dtype)
        if (
            name in ("arccosh", "log", "log10", "log2", "log1p", "sqrt", "sign")
            and x.dtype.kind == "c"
        ):
            x = x + x.dtype.type(1)
        compare(name, x)


def skipped(name, a, b):
    """Results that are any value in NumPy too, or not comparable bit by bit."""
    return name in ("power", "float_power", "left_shift", "right_shift", "lcm", "gcd", "ldexp")


@pytest.mark.parametrize("name", BINARY)
def test_of_two_arrays(name, run_all):
    pairs = list(itertools.product(DTYPES, repeat=2))
    if not run_all:
        pairs = [(d, d) for d in QUICK[1:]] + [
            ("int8", "uint8"),
            ("int32", "float32"),
            ("uint64", "int64"),
        ]
    for a, b in pairs:
        x, y = values(a), values(b, seed=5)
        if skipped(name, a, b):
            x, y = np.abs(x) % 5, np.abs(y) % 5
            x, y = x.astype(a), y.astype(b)
        if name == "ldexp" and np.dtype(b).kind not in "biu":
            continue
        compare(name, x, y)


def layouts(dtype):
    """The same values in all the ways that arrays lie in memory."""
    a = np.resize(values(dtype), (3, 4))
    wide = np.zeros((6, 9), dtype)
    wide[::2, 1::2] = a
    raw = np.zeros(a.nbytes + 1, np.uint8)
    unaligned = np.frombuffer(raw.data, dtype, a.size, 1).reshape(a.shape)
    unaligned[...] = a
    return {
        "C": a.copy(),
        "F": np.asfortranarray(a),
        "strided": wide[::2, 1::2],
        "negative": a[::-1, ::-1].copy()[::-1, ::-1],
        "broadcast": np.broadcast_to(a[0], (3, 4)),
        "row": a[0].copy(),
        "column": a[:, :1].copy(),
        "one": a[:1, :1].copy(),
        "empty row": np.zeros((0, 4), dtype),
        "0-d": np.array(a[1, 1]),
        "unaligned": unaligned,
    }


LAYOUTS = list(layouts("float64"))


@pytest.mark.parametrize("left", LAYOUTS)
@pytest.mark.parametrize("dtype", ["float64", "int32"])
def test_layouts(left, dtype, run_all):
    func = make("def f(x, y): return np.add(x, y)")
    fast = njit(func)
    x = layouts(dtype)[left]
    for right in LAYOUTS if run_all else ["C", "F", "strided", "row", "column", "0-d"]:
        y = layouts(dtype)[right]
        try:
            want = func(x, y)
        except ValueError as e:
            with pytest.raises(ValueError) as got:
                fast(x, y)
            assert str(got.value) == str(e)
            continue
        got = fast(x, y)
        if not isinstance(got, np.ndarray):
            got = want.dtype.type(got)
        assert got.dtype == want.dtype and got.shape == want.shape
        np.testing.assert_array_equal(got, want)


SCALARS = [
    True,
    3,
    -1,
    2.5,
    1 + 2j,
    np.float32(1.5),
    np.int8(3),
    np.uint8(200),
    np.uint64(7),
    np.int32(-5),
    np.complex64(1j),
]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("symbol", ["+", "*", "/", "//", "<", "=="])
def test_scalars(dtype, symbol, run_all):
    x = values(dtype)
    for s in SCALARS if run_all else SCALARS[1:6]:
        func = make(f"def f(x, y): return x {symbol} y")
        fast = njit(func)
        with np.errstate(all="ignore"):
            try:
                want = func(x, s)
            except OverflowError as e:
                with pytest.raises(OverflowError) as got:
                    fast(x, s)
                assert str(got.value) == str(e)
                continue
            except TypeError:
                want = None
        if want is None or (symbol == "<" and np.result_type(x, s).kind == "c"):
            with pytest.raises(Exception, match="no operator|cannot|not|no comparison"):
                fast(x, s)
            continue
        agree(fast(x, s), want, 1, f"{dtype} {symbol} {s!r}")


def test_the_list_is_complete():
    """Every ufunc of NumPy is tested here, or known to be missing."""
    known = {getattr(np, n) for n in UNARY + BINARY}
    have = {n: f for n, f in vars(np).items() if isinstance(f, np.ufunc)}
    missing = sorted({f.__name__ for f in have.values() if f not in known})
    absent = {"isnat", "matmul", "bitwise_count", "vecdot", "matvec", "vecmat"}
    assert set(missing) <= absent
