"""The interpreter of LOW IR: operations on numbers, against plain Python and NumPy."""

import math
import operator
import re

import numpy as np
import pytest
from tool import interp, word

INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float32", "float64"]


def mapped(body: str, types: list[str], to: str, columns: list[list]) -> list[str]:
    """Runs `body` over columns of values: %1, %2 ... are the operands, %9 the result."""
    arrays = ", ".join(f"a{n}: array({ty}, 1d, C)" for n, ty in enumerate(types))
    loads = "".join(
        f"    %{50 + n}: ptr = elem %{20 + n}, %40\n    %{n + 1}: {ty} = load %{50 + n}\n"
        for n, ty in enumerate(types)
    )
    args = "".join(f"    %{20 + n}: array({ty}, 1d, C) = arg #{n}\n" for n, ty in enumerate(types))
    count = len(types)
    text = f"""fn low @map({arrays}, out: array({to}, 1d, C)) -> none {{
b0:
{args}    %30: array({to}, 1d, C) = arg #{count}
    %31: int64 = field #2 %30
    %32 = const int64 0
    %33 = const int64 1
    jump b1(%32)
b1(%40: int64):
    %41: bool = lt %40, %31
    branch %41, b2, b3
b2:
{loads}{body}
    %60: ptr = elem %30, %40
    store %60, %9
    %42: int64 = add %40, %33
    jump b1(%42)
b3:
    return
}}
"""
    zero = "(0,0)" if to.startswith("complex") else "0"
    words = ["[" + ",".join(map(word, column)) + "]" for column in columns]
    outcome = interp(text, *words, "[" + ",".join([zero] * len(columns[0])) + "]")
    line = next(x for x in outcome.split("\n") if x.startswith(f"argument {count}: "))
    inside = line.split(": ", 1)[1][1:-1]
    return re.findall(r"\([^)]*\)|[^, ]+", inside)


# --- integers ------------------------------------------------------------------------------------


def bits_of(ty: str) -> int:
    return int(re.sub(r"\D", "", ty))


def extremes(ty: str) -> list[int]:
    bits = bits_of(ty)
    if ty[0] == "u":
        return [0, 1, 2, 7, 2 ** (bits - 1), 2**bits - 2, 2**bits - 1]
    return [0, 1, -1, 2, -3, 7, 2 ** (bits - 1) - 1, -(2 ** (bits - 1)), 1 - 2 ** (bits - 1)]


def wrapped(ty: str, value: int) -> int:
    bits = bits_of(ty)
    value &= 2**bits - 1
    return value - 2**bits if ty[0] == "i" and value >= 2 ** (bits - 1) else value


def shift_left(a, n):
    return a << n if n < 64 else 0


BINARY = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "and": operator.and_,
    "or": operator.or_, "xor": operator.xor, "floordiv": operator.floordiv,
    "floormod": operator.mod, "shl": shift_left, "shr": operator.rshift,
}  # fmt: skip


@pytest.mark.parametrize("ty", INTS)
@pytest.mark.parametrize("op", BINARY)
def test_integers(op, ty):
    pairs = [(a, b) for a in extremes(ty) for b in extremes(ty)]
    if op in ("floordiv", "floormod"):
        pairs = [(a, b) for a, b in pairs if b]
    if op in ("shl", "shr"):
        pairs = [(a, b) for a in extremes(ty) for b in (0, 1, 3, bits_of(ty) - 1, bits_of(ty), 100)]
    got = mapped(f"    %9: {ty} = {op} %1, %2", [ty, ty], ty, [*zip(*pairs)])
    assert got == [str(wrapped(ty, BINARY[op](a, b))) for a, b in pairs]


@pytest.mark.parametrize("ty", INTS)
def test_integer_negation(ty):
    got = mapped(f"    %9: {ty} = neg %1", [ty], ty, [extremes(ty)])
    assert got == [str(wrapped(ty, -a)) for a in extremes(ty)]


@pytest.mark.parametrize("ty", [*INTS, *FLOATS])
@pytest.mark.parametrize("op", ["eq", "ne", "lt", "le", "gt", "ge"])
def test_comparisons(op, ty):
    values = extremes(ty) if ty in INTS else [0.0, -0.0, 1.5, -2.0, math.inf, -math.inf, math.nan]
    pairs = [(a, b) for a in values for b in values]
    got = mapped(f"    %9: bool = {op} %1, %2", [ty, ty], "bool", [*zip(*pairs)])
    assert got == [word(getattr(operator, op)(a, b)) for a, b in pairs]


@pytest.mark.parametrize("op", ["and", "or", "xor", "eq", "ne", "lt", "ge"])
def test_bools(op):
    function = BINARY.get(op) or getattr(operator, op)
    pairs = [(a, b) for a in (False, True) for b in (False, True)]
    got = mapped(f"    %9: bool = {op} %1, %2", ["bool", "bool"], "bool", [*zip(*pairs)])
    assert got == [word(bool(function(a, b))) for a, b in pairs]


@pytest.mark.parametrize("ty", INTS)
def test_integer_math(ty):
    bits, values = bits_of(ty), extremes(ty)

    def unary(name):
        return mapped(f"    %9: {ty} = math {name} %1", [ty], ty, [values])

    unsigned = [v & (2**bits - 1) for v in values]
    assert unary("abs") == [str(wrapped(ty, abs(v))) for v in values]
    assert unary("ctpop") == [str(v.bit_count()) for v in unsigned]
    assert unary("clz") == [str(bits - v.bit_length()) for v in unsigned]
    assert unary("ctz") == [str((v & -v).bit_length() - 1 if v else bits) for v in unsigned]
    pairs = [(a, b) for a in values for b in values]
    for name, function in {"min": min, "max": max, "mulhi": lambda a, b: a * b >> bits}.items():
        got = mapped(f"    %9: {ty} = math {name} %1, %2", [ty, ty], ty, [*zip(*pairs)])
        assert got == [str(function(a, b)) for a, b in pairs]


# --- floats --------------------------------------------------------------------------------------

FLOAT_VALUES = [0.0, -0.0, 1.0, -1.0, 0.1, 2.5, -7.25, 1e30, 3e-40, math.inf, -math.inf, math.nan]


def same_floats(got: list[str], wanted, ty: str) -> None:
    for text, want in zip(got, wanted, strict=True):
        value = np.dtype(ty).type(float("nan") if text.startswith("bits:") else float(text))
        want = np.dtype(ty).type(want)
        assert (np.isnan(value) and np.isnan(want)) or (
            value == want and np.signbit(value) == np.signbit(want)
        ), f"{text}, {want!r} expected"


@pytest.mark.parametrize("ty", ["float16", *FLOATS])
@pytest.mark.parametrize("op", ["add", "sub", "mul", "fdiv"])
def test_floats(op, ty):
    pairs = [(a, b) for a in FLOAT_VALUES for b in FLOAT_VALUES]
    if ty == "float16":
        pairs = [(a, b) for a, b in pairs if abs(a) != 1e30 and abs(b) != 1e30]
    scalar = np.dtype(ty).type
    function = {
        "add": operator.add,
        "sub": operator.sub,
        "mul": operator.mul,
        "fdiv": operator.truediv,
    }[op]
    got = mapped(f"    %9: {ty} = {op} %1, %2", [ty, ty], ty, [*zip(*pairs)])
    with np.errstate(all="ignore"):
        same_floats(got, [function(scalar(a), scalar(b)) for a, b in pairs], ty)


@pytest.mark.parametrize("op", ["floordiv", "floormod"])
def test_float_floor_division(op):
    values = [0.0, -0.0, 1.0, -1.0, 0.1, 2.5, -7.25, 1e30, 3e-40, math.inf, -math.inf]
    pairs = [(a, b) for a in values for b in values if b]
    got = mapped(f"    %9: float64 = {op} %1, %2", ["float64"] * 2, "float64", [*zip(*pairs)])
    same_floats(got, [BINARY[op](a, b) for a, b in pairs], "float64")


@pytest.mark.parametrize("ty", FLOATS)
def test_float_negation_keeps_zero_and_nan(ty):
    same_floats(
        mapped(f"    %9: {ty} = neg %1", [ty], ty, [FLOAT_VALUES]),
        [-np.dtype(ty).type(v) for v in FLOAT_VALUES],
        ty,
    )


UNARY_MATH = {
    "sqrt": np.sqrt, "fabs": np.fabs, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc,
    "rint": np.rint, "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin,
    "acos": np.arccos, "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh,
    "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh, "exp": np.exp,
    "exp2": np.exp2, "expm1": np.expm1, "log": np.log, "log2": np.log2, "log10": np.log10,
    "log1p": np.log1p, "cbrt": np.cbrt, "erf": np.vectorize(math.erf),
    "erfc": np.vectorize(math.erfc), "gamma": np.vectorize(math.gamma),
    "lgamma": np.vectorize(math.lgamma),
}  # fmt: skip
BINARY_MATH = {
    "copysign": np.copysign, "fmin": np.fmin, "fmax": np.fmax, "atan2": np.arctan2,
    "pow": np.power, "hypot": np.hypot, "fmod": np.fmod,
    "remainder": np.vectorize(math.remainder), "nextafter": np.nextafter,
}  # fmt: skip


def close(got: list[str], wanted, ty: str) -> None:
    rel = 4e-7 if ty == "float32" else 2e-15
    values = np.array([float(x) if not x.startswith("bits") else np.nan for x in got])
    np.testing.assert_allclose(values, np.asarray(wanted, dtype="float64"), rtol=rel, atol=0)


@pytest.mark.parametrize("ty", FLOATS)
@pytest.mark.parametrize("name", UNARY_MATH)
def test_unary_math(name, ty):
    values = np.array([0.5, 0.25, 1.0, 2.5, 3.7, 0.01, 9.0], dtype=ty)
    if name in ("asin", "acos", "atanh"):
        values = np.array([0.5, 0.25, 0.01, 0.9], dtype=ty)
    if name == "acosh":
        values = values[values >= 1]
    got = mapped(f"    %9: {ty} = math {name} %1", [ty], ty, [values.tolist()])
    close(got, UNARY_MATH[name](values.astype("float64")), ty)


@pytest.mark.parametrize("ty", FLOATS)
@pytest.mark.parametrize("name", BINARY_MATH)
def test_binary_math(name, ty):
    pairs = [(0.5, 2.0), (3.0, -1.5), (7.25, 0.75), (1.0, 1.0), (2.0, -3.0)]
    a, b = (np.array(column, dtype=ty) for column in zip(*pairs))
    wanted = (
        BINARY_MATH[name](a, b)
        if name == "nextafter"
        else BINARY_MATH[name](a.astype("float64"), b.astype("float64"))
    )
    close(
        mapped(f"    %9: {ty} = math {name} %1, %2", [ty, ty], ty, [a.tolist(), b.tolist()]),
        wanted,
        ty,
    )


@pytest.mark.parametrize("ty", FLOATS)
def test_fma_rounds_once(ty):
    scalar = np.dtype(ty).type
    a = float(1 + np.finfo(ty).eps)
    got = mapped(
        f"    %9: {ty} = math fma %1, %2, %3",
        [ty] * 3,
        ty,
        [[a], [a], [-1 - 2 * float(np.finfo(ty).eps)]],
    )
    same_floats(got, [float(np.finfo(ty).eps) ** 2], ty)
    assert (
        scalar(a) * scalar(a) - scalar(1 + 2 * np.finfo(ty).eps) == 0
    )  # twice rounded it would be 0


def test_float_classes():
    for name, function in {
        "isnan": np.isnan,
        "isinf": np.isinf,
        "isfinite": np.isfinite,
        "signbit": np.signbit,
    }.items():
        got = mapped(f"    %9: bool = math {name} %1", ["float64"], "bool", [FLOAT_VALUES])
        assert got == [word(function(v)) for v in FLOAT_VALUES]


@pytest.mark.parametrize("ty", FLOATS)
def test_ldexp(ty):
    pairs = [(0.75, 3), (1.0, -2000), (1.0, 2**40), (-1.5, 10)]
    got = mapped(f"    %9: {ty} = math ldexp %1, %2", [ty, "int64"], ty, [*zip(*pairs)])
    same_floats(got, [6.0, 0.0, math.inf, -1536.0], ty)


# --- casts ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", [*INTS, *FLOATS, "float16", "bool"])
@pytest.mark.parametrize("target", [*INTS, *FLOATS, "float16", "bool"])
def test_casts(source, target):
    if source == "bool":
        values = [False, True]
    elif source in INTS:
        values = extremes(source)
    else:
        values = [0.0, 1.5, 2.75, 100.0, *([-1.5, -100.0] if target[0] != "u" else [])]
    if target == "float16":
        values = [v for v in values if abs(v) < 2**15]
    got = mapped(f"    %9: {target} = cast %1", [source], target, [values])
    with np.errstate(all="ignore"):
        wanted = np.array(values, dtype=source).astype(target)
    if target == "bool" or target in INTS:
        assert got == [word(v) for v in wanted]
    else:
        same_floats(got, wanted, target)


def test_cast_out_of_range_is_some_value():
    values = [math.nan, math.inf, -math.inf, 1e300, -1e300]
    for ty in INTS:
        assert len(mapped(f"    %9: {ty} = cast %1", ["float64"], ty, [values])) == 5


def test_casts_to_complex():
    body = "    %5: complex64 = cast %1\n    %9: complex128 = cast %5"
    assert mapped(body, ["int64"], "complex128", [[3, -4]]) == ["(3.0, 0.0)", "(-4.0, 0.0)"]


def test_half_rounds_to_even():
    values = [
        1 + 2**-11,
        1 + 3 * 2**-11,
        65519.0,
        65520.0,
        2.0**-25,
        3 * 2.0**-25,
        2.0**-24,
        2.0**-14 - 2.0**-24,
        -0.0,
    ]
    got = mapped("    %9: float16 = cast %1", ["float64"], "float16", [values])
    with np.errstate(all="ignore"):
        same_floats(got, np.array(values).astype("float16"), "float16")


def test_bitcasts():
    body = "    %5: float64 = bitcast %1\n    %6: uint64 = bitcast %5\n    %9: int64 = bitcast %6"
    assert mapped(body, ["int64"], "int64", [[-1, 4607182418800017408]]) == [
        "-1",
        "4607182418800017408",
    ]
    assert mapped(
        "    %9: float32 = bitcast %1", ["int32"], "float32", [[1065353216, -2147483648]]
    ) == ["1.0", "-0.0"]


def test_unsigned_to_float_rounds_once():
    value = (
        2**64 - 2**39 - 1
    )  # just below the middle of two float32; as a float64 it would be the middle
    got = mapped("    %9: float32 = cast %1", ["uint64"], "float32", [[value]])
    same_floats(got, [float(2**64 - 2**40)], "float32")


# --- complex numbers -----------------------------------------------------------------------------


@pytest.mark.parametrize("ty", ["complex64", "complex128"])
@pytest.mark.parametrize("op", ["add", "sub", "mul", "fdiv"])
def test_complex(op, ty):
    values = [1 + 2j, -0.5 + 3j, 2.5 - 1j, 0.25j]
    pairs = [(a, b) for a in values for b in values]
    function = {
        "add": operator.add,
        "sub": operator.sub,
        "mul": operator.mul,
        "fdiv": operator.truediv,
    }[op]
    got = mapped(f"    %9: {ty} = {op} %1, %2", [ty, ty], ty, [*zip(*pairs)])
    values = [complex(*map(float, text[1:-1].split(","))) for text in got]
    np.testing.assert_allclose(
        values, [function(a, b) for a, b in pairs], rtol=1e-6 if ty == "complex64" else 1e-15
    )


def test_complex_equality():
    columns = [[1 + 2j, 1 + 2j, 1 + 2j], [1 + 2j, 1 + 3j, 0 + 2j]]
    for op, wanted in {"eq": ["true", "false", "false"], "ne": ["false", "true", "true"]}.items():
        assert mapped(f"    %9: bool = {op} %1, %2", ["complex128"] * 2, "bool", columns) == wanted
