"""The interpreter of LOW IR: every operation against plain Python and NumPy, control flow, memory, exceptions."""

import math
import operator
import re
from pathlib import Path

import numpy as np
import pytest
from tool import ir_tool

INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float32", "float64"]
ROOT = Path(__file__).parents[2]


def interp(text: str, *args) -> str:
    """The outcome of calling the first function of `text`, checked before; arguments in the tool's words."""
    return ir_tool(" ".join(["interp", *map(str, args)]), text).rstrip("\n")


def result(text: str, *args) -> str:
    outcome = interp(text, *args).split("\n")[0]
    assert outcome.startswith("result: "), outcome
    return outcome.removeprefix("result: ")


def word(value) -> str:
    """A value as an argument's word."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (complex, np.complexfloating)):
        return f"({word(value.real)},{word(value.imag)})"
    return repr(value.item() if isinstance(value, np.generic) else value)


def mapped(body: str, types: list[str], to: str, columns: list[list]) -> list[str]:
    """Runs `body` over columns of values: %1, %2 ... are the operands, %9 the result of type `to`."""
    arrays = ", ".join(f"a{n}: array({ty}, 1d, C)" for n, ty in enumerate(types))
    loads = "".join(
        f"    %{50 + n}: ptr = elem %{20 + n}, %40\n    %{n + 1}: {ty} = load %{50 + n}\n" for n, ty in enumerate(types)
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


# --- integers ----------------------------------------------------------------------------------------------------


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
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "and": operator.and_, "or": operator.or_,
    "xor": operator.xor, "floordiv": operator.floordiv, "floormod": operator.mod,
    "shl": shift_left, "shr": operator.rshift,
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


# --- floats ---------------------------------------------------------------------------------------------------------

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
    function = {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "fdiv": operator.truediv}[op]
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
    same_floats(mapped(f"    %9: {ty} = neg %1", [ty], ty, [FLOAT_VALUES]), [-np.dtype(ty).type(v) for v in FLOAT_VALUES], ty)


UNARY_MATH = {
    "sqrt": np.sqrt, "fabs": np.fabs, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "rint": np.rint,
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan,
    "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh, "acosh": np.arccosh,
    "atanh": np.arctanh, "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "log": np.log, "log2": np.log2,
    "log10": np.log10, "log1p": np.log1p, "cbrt": np.cbrt, "erf": np.vectorize(math.erf),
    "erfc": np.vectorize(math.erfc), "gamma": np.vectorize(math.gamma), "lgamma": np.vectorize(math.lgamma),
}  # fmt: skip
BINARY_MATH = {
    "copysign": np.copysign, "fmin": np.fmin, "fmax": np.fmax, "atan2": np.arctan2, "pow": np.power,
    "hypot": np.hypot, "fmod": np.fmod, "remainder": np.vectorize(math.remainder), "nextafter": np.nextafter,
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
    wanted = BINARY_MATH[name](a, b) if name == "nextafter" else BINARY_MATH[name](a.astype("float64"), b.astype("float64"))
    close(mapped(f"    %9: {ty} = math {name} %1, %2", [ty, ty], ty, [a.tolist(), b.tolist()]), wanted, ty)


@pytest.mark.parametrize("ty", FLOATS)
def test_fma_rounds_once(ty):
    scalar = np.dtype(ty).type
    a = float(1 + np.finfo(ty).eps)
    got = mapped(f"    %9: {ty} = math fma %1, %2, %3", [ty] * 3, ty, [[a], [a], [-1 - 2 * float(np.finfo(ty).eps)]])
    same_floats(got, [float(np.finfo(ty).eps) ** 2], ty)
    assert scalar(a) * scalar(a) - scalar(1 + 2 * np.finfo(ty).eps) == 0  # twice rounded it would be 0


def test_float_classes():
    for name, function in {"isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite, "signbit": np.signbit}.items():
        got = mapped(f"    %9: bool = math {name} %1", ["float64"], "bool", [FLOAT_VALUES])
        assert got == [word(function(v)) for v in FLOAT_VALUES]


@pytest.mark.parametrize("ty", FLOATS)
def test_ldexp(ty):
    pairs = [(0.75, 3), (1.0, -2000), (1.0, 2**40), (-1.5, 10)]
    got = mapped(f"    %9: {ty} = math ldexp %1, %2", [ty, "int64"], ty, [*zip(*pairs)])
    same_floats(got, [6.0, 0.0, math.inf, -1536.0], ty)


# --- casts --------------------------------------------------------------------------------------------------------------


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
    values = [1 + 2**-11, 1 + 3 * 2**-11, 65519.0, 65520.0, 2.0**-25, 3 * 2.0**-25, 2.0**-24, 2.0**-14 - 2.0**-24, -0.0]
    got = mapped("    %9: float16 = cast %1", ["float64"], "float16", [values])
    with np.errstate(all="ignore"):
        same_floats(got, np.array(values).astype("float16"), "float16")


def test_bitcasts():
    body = "    %5: float64 = bitcast %1\n    %6: uint64 = bitcast %5\n    %9: int64 = bitcast %6"
    assert mapped(body, ["int64"], "int64", [[-1, 4607182418800017408]]) == ["-1", "4607182418800017408"]
    assert mapped("    %9: float32 = bitcast %1", ["int32"], "float32", [[1065353216, -2147483648]]) == ["1.0", "-0.0"]


def test_unsigned_to_float_rounds_once():
    value = 2**64 - 2**39 - 1  # just below the middle of two float32; as a float64 it would be the middle
    got = mapped("    %9: float32 = cast %1", ["uint64"], "float32", [[value]])
    same_floats(got, [float(2**64 - 2**40)], "float32")


# --- complex numbers ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ty", ["complex64", "complex128"])
@pytest.mark.parametrize("op", ["add", "sub", "mul", "fdiv"])
def test_complex(op, ty):
    values = [1 + 2j, -0.5 + 3j, 2.5 - 1j, 0.25j]
    pairs = [(a, b) for a in values for b in values]
    function = {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "fdiv": operator.truediv}[op]
    got = mapped(f"    %9: {ty} = {op} %1, %2", [ty, ty], ty, [*zip(*pairs)])
    values = [complex(*map(float, text[1:-1].split(","))) for text in got]
    np.testing.assert_allclose(values, [function(a, b) for a, b in pairs], rtol=1e-6 if ty == "complex64" else 1e-15)


def test_complex_equality():
    body = "    %9: bool = eq %1, %2"
    assert mapped(body, ["complex128"] * 2, "bool", [[1 + 2j, 1 + 2j, 1 + 2j], [1 + 2j, 1 + 3j, 0 + 2j]]) == [
        "true", "false", "false"]  # fmt: skip
    body = body.replace("eq", "ne")
    assert mapped(body, ["complex128"] * 2, "bool", [[1 + 2j, 1 + 2j], [1 + 2j, 1 + 3j]]) == ["false", "true"]


# --- aggregates ----------------------------------------------------------------------------------------------------------


def test_aggregates():
    text = """fn low @f(t: tuple(int8, tuple(bool, float32)), o: optional(int64), z: complex64) -> tuple(float32, int8, bool, optional(int64), optional(int64), complex64) {
b0:
    %1: tuple(int8, tuple(bool, float32)) = arg #0
    %2: optional(int64) = arg #1
    %3: complex64 = arg #2
    %4: tuple(bool, float32) = field #1 %1
    %5: float32 = field #1 %4
    %6: int8 = field #0 %1
    %7: bool = field #0 %2
    %8: int64 = field #1 %2
    %9: bool = xor %7, %7
    %10: optional(int64) = make %9, %8
    %11: float32 = field #1 %3
    %12: complex64 = make %11, %5
    %13: tuple(float32, int8, bool, optional(int64), optional(int64), complex64) = make %5, %6, %7, %2, %10, %12
    return %13
}
"""
    assert result(text, "(-3,(true,1.5))", "7", "(1,2)") == "(1.5, -3, true, 7, none, (2.0, 1.5))"
    assert result(text, "(-3,(true,1.5))", "none", "(1,2)") == "(1.5, -3, false, none, none, (2.0, 1.5))"


def test_constants():
    ty = "tuple(str, str, bytes, optional(float64), range, slice(int64, none, int64), none, bool)"
    text = f"""fn low @f() -> {ty} {{
b0:
    %1 = const {ty} (str "plain \\n", str "\u00e4\u20ac", bytes "\\xff", optional(float64) (float64 2.5), range (int64 1, int64 9, int64 2), slice(int64, none, int64) (int64 3, none, int64 -1), none, bool true)
    return %1
}}
"""
    assert result(text) == '("plain \\n", "\\u00e4\\u20ac", "\\xff", 2.5, (1, 9, 2), (3, -1), none, true)'


def test_select_of_aggregates():
    text = """fn low @f(c: bool) -> tuple(int64, bool) {
b0:
    %1: bool = arg #0
    %2 = const tuple(int64, bool) (int64 1, bool true)
    %3: tuple(int64, bool) = unset
    %4: tuple(int64, bool) = select %1, %2, %3
    return %4
}
"""
    assert result(text, "true") == "(1, true)"
    assert result(text, "false") == "(0, false)"


# --- control flow --------------------------------------------------------------------------------------------------------

FIB = """fn low @fib(n: int64) -> int64 {
b0:
    %1: int64 = arg #0
    %2 = const int64 0
    %3 = const int64 1
    jump b1(%1, %2, %3)
b1(%4: int64, %5: int64, %6: int64):
    %7: bool = gt %4, %2
    branch %7, b2, b3
b2:
    %8: int64 = sub %4, %3
    %9: int64 = add %5, %6
    jump b1(%8, %6, %9)
b3:
    return %5
}
"""


def test_loop():
    assert [result(FIB, n) for n in (0, 1, 2, 10, 90)] == ["0", "1", "1", "55", "2880067194370816120"]


def test_block_arguments_are_passed_all_at_once():
    text = """fn low @swap(n: int64, a: int64, b: int64) -> int64 {
b0:
    %1: int64 = arg #0
    %2: int64 = arg #1
    %3: int64 = arg #2
    jump b1(%1, %2, %3)
b1(%4: int64, %5: int64, %6: int64):
    %7 = const int64 1
    %8: int64 = sub %4, %7
    %9: bool = ge %8, %7
    branch %9, b1(%8, %6, %5), b2(%5, %6)
b2(%10: int64, %11: int64):
    %12: int64 = sub %10, %11
    return %12
}
"""
    assert result(text, 1, 10, 3) == "7"
    assert result(text, 2, 10, 3) == "-7"
    assert result(text, 5, 10, 3) == "7"


MUTUAL = """fn low @main(n: int64) -> bool {
b0:
    %1: int64 = arg #0
    %2: bool = call.fn @even %1
    return %2
}

fn low @even(n: int64) -> bool {
b0:
    %1: int64 = arg #0
    %2 = const int64 0
    %3: bool = eq %1, %2
    branch %3, b1, b2
b1:
    %4 = const bool true
    return %4
b2:
    %5 = const int64 1
    %6: int64 = sub %1, %5
    %7: bool = call.fn @odd %6 at 7:4-7:9
    return %7
}

fn low @odd(n: int64) -> bool {
b0:
    %1: int64 = arg #0
    %2: bool = call.fn @even %1
    %3: bool = xor %2, %2
    %4: bool = eq %2, %3
    return %4
}
"""


def test_calls():
    text = MUTUAL.replace("call.fn @even %1\n    %3: bool", "call.fn @even %1 at 9:0-9:1\n    %3: bool")
    assert result(text, 0) == "true"
    assert result(text, 1) == "false"
    assert result(text, 400) == "true"


def test_runaway_recursion_is_an_exception():
    outcome = interp(MUTUAL, -1).split("\n")
    assert outcome[0] == "raise RecursionError: maximum recursion depth exceeded"
    assert "in even line 7" in interp(MUTUAL, -1)


# --- exceptions -------------------------------------------------------------------------------------------------------------


def test_check_index():
    text = """fn low @f(i: int64, n: int64) -> int64 {
b0:
    %1: int64 = arg #0
    %2: int64 = arg #1
    %3: int64 = wrap %1, %2
    check.index #1 %3, %2, %1 at 4:8-4:12
    return %3
}
"""
    assert result(text, 2, 3) == "2"
    assert result(text, -3, 3) == "0"
    for i in (3, -4, 2**63 - 1, -(2**63)):
        outcome = interp(text, i, 3)
        assert outcome == f"raise IndexError: index {i} is out of bounds for axis 1 with size 3\n  in f line 4"


@pytest.mark.parametrize("kind, cls, message", [
    ("ZERO_DIV", "ZeroDivisionError", "division by zero"),
    ("MATH_RANGE", "OverflowError", "math range error"),
    ("IS_NONE", "TypeError", "the value is None here, a number was expected"),
])  # fmt: skip
def test_check(kind, cls, message):
    text = f"""fn low @f(ok: bool) -> none {{
b0:
    %1: bool = arg #0
    check {kind} %1
    return
}}
"""
    assert result(text, "true") == "none"
    assert interp(text, "false").split("\n")[0] == f"raise {cls}: {message}"


def test_check_with_operands():
    text = """fn low @f(a: int64, b: int32) -> none {
b0:
    %1: int64 = arg #0
    %2: int32 = arg #1
    %3 = const bool false
    check RESHAPE %3, %1, %2
    return
}
"""
    assert interp(text, 6, -4).split("\n")[0] == "raise ValueError: cannot reshape array of size 6 into shape of size -4"


CATCH = """classes #1

fn low @f(n: int64) -> int64 {
b0:
    %1: int64 = arg #0
    %2 = const int64 10
    jump b1(%2)
b1(%3: int64) handler b3(%3, %1):
    %4: int64 = call.fn @g %1 at 2:0-2:4
    return %4
b3(%5: exc, %6: int64, %7: int64):
    %8: bool = call.rt ws_exc_match %5, %9
    branch %8, b4, b5
b4:
    release %5
    %10: int64 = add %6, %7
    return %10
b5:
    raise %5 at 5:0-5:5
}

fn low @g(n: int64) -> int64 {
b0:
    %1: int64 = arg #0
    %2 = const int64 100
    %3: bool = lt %1, %2
    branch %3, b1, b2
b1:
    %4 = const int64 0
    %5: bool = ge %1, %4
    check NEG_COUNT %5 at 8:1-8:2
    return %2
b2:
    %6: exc = exc.make OverflowError %1, %2 at 9:0-9:20
    raise %6 at 9:0-9:30
}
"""


def test_handlers():
    text = CATCH.replace("    %8: bool", "    %9 = const int32 25\n    %8: bool")
    classes = (ROOT / "src" / "core" / "exceptions.def").read_text()
    names = re.findall(r"^EXCEPTION\((\w+),", classes, re.MULTILINE)
    assert names[25] == "ValueError"
    assert result(text, 5) == "100"
    assert result(text, -5) == "5"  # caught: 10 - 5
    assert interp(text, 123) == "raise OverflowError: 123, 100\n  in g line 9\n  in f line 2\n  in f line 5"


def test_raise_into_the_block_own_handler():
    text = """fn low @f() -> int64 {
b0 handler b1:
    %1: exc = exc.make ValueError
    raise %1
b1(%2: exc):
    release %2
    %3 = const int64 4
    return %3
}
"""
    assert result(text) == "4"


def test_user_exception_class():
    text = "classes #2\n\nfn low @f() -> none {\nb0:\n    %1: exc = exc.make #257\n    raise %1\n}\n"
    assert interp(text).startswith("raise class #257")


# --- memory --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", "CF")
def test_two_dimensions(layout):
    text = f"""fn low @f(a: array(int32, 2d, {layout}), i: int64, j: int64) -> int32 {{
b0:
    %1: array(int32, 2d, {layout}) = arg #0
    %2: int64 = arg #1
    %3: int64 = arg #2
    %4: ptr = elem %1, %2, %3
    %5: int32 = load %4
    %6: int32 = neg %5
    store %4, %6
    return %5
}}
"""
    want = np.arange(6, dtype="int32").reshape((2, 3), order=layout)
    for i, j in np.ndindex(2, 3):
        outcome = interp(text, "2x3[0,1,2,3,4,5]", i, j).split("\n")
        after = want.copy()
        after[i, j] *= -1
        assert outcome == [f"result: {want[i, j]}", f"argument 0: {after.tolist()}"]


def test_strides():
    text = """fn low @f(a: array(float32, 1d, A), i: int64) -> float32 {
b0:
    %1: array(float32, 1d, A) = arg #0
    %2: int64 = arg #1
    %3: ptr = elem %1, %2
    %4: float32 = load %3
    return %4
}
"""
    assert [result(text, "~[1,2,3]", i) for i in range(3)] == ["1.0", "2.0", "3.0"]


def test_owned_memory():
    text = """fn low @f() -> int64 {
b0:
    %1 = const int64 24
    %2: ptr = alloc %1
    %3: ptr = data %2
    %4 = const int64 63
    %5: int64 = bitcast %3
    %6: int64 = and %5, %4
    %7 = const int64 3
    %8: ptr = offset %3, %7
    %9 = const int64 -77
    store #1 %8, %9
    %10: int64 = load #1 %8
    %11: int64 = add %10, %6
    retain %2
    release %2
    release %2
    return %11
}
"""
    assert result(text) == "-77"  # and the memory is 64-byte aligned


def test_failed_allocation_raises():
    text = "fn low @f(n: int64) -> none {\nb0:\n    %1: int64 = arg #0\n    %2: ptr = alloc %1\n    return\n}\n"
    assert interp(text, -1).startswith("raise MemoryError")


def test_stack_is_one_place_per_instruction():
    text = """fn low @f(t: tuple(int8, bool, str)) -> tuple(int8, bool, str) {
b0:
    %1: tuple(int8, bool, str) = arg #0
    %2: ptr = stack #100
    %3: ptr = stack #48
    %4 = const int64 5
    store %2, %4
    store %3, %1
    %5: tuple(int8, bool, str) = load %3
    return %5
}
""".replace("(t: tuple(int8, bool, str))", "()").replace("arg #0", 'const tuple(int8, bool, str) (int8 -5, bool true, str "ab")')
    text = text.replace("%1: tuple(int8, bool, str) = const", "%1 = const")
    assert result(text) == '(-5, true, "ab")'


def test_bool_is_any_byte_but_zero():
    text = """fn low @f(a: array(uint8, 1d, C)) -> tuple(bool, bool) {
b0:
    %1: array(uint8, 1d, C) = arg #0
    %2 = const int64 0
    %3 = const int64 1
    %4: ptr = elem %1, %2
    %5: ptr = elem %1, %3
    %6: bool = load %4
    %7: bool = load %5
    %8: tuple(bool, bool) = make %6, %7
    return %8
}
"""
    assert result(text, "[0,2]") == "(false, true)"


@pytest.mark.parametrize("op, now", [
    ("add", 12), ("sub", 4), ("min", 4), ("max", 8), ("and", 0), ("or", 12), ("xor", 12), ("xchg", 4),
])  # fmt: skip
def test_atomics(op, now):
    text = f"""fn low @f(a: array(int32, 1d, C)) -> int32 {{
b0:
    %1: array(int32, 1d, C) = arg #0
    %2 = const int64 0
    %3: ptr = elem %1, %2
    %4 = const int32 4
    %5: int32 = atomic {op} %3, %4
    return %5
}}
"""
    assert interp(text, "[8]") == f"result: 8\nargument 0: [{now}]"


def test_compare_and_swap():
    text = """fn low @f(a: array(float64, 1d, C), old: float64) -> float64 {
b0:
    %1: array(float64, 1d, C) = arg #0
    %2: float64 = arg #1
    %3: ptr = field #0 %1
    %4 = const float64 9.5
    %5: float64 = atomic cas %3, %2, %4
    return %5
}
"""
    assert interp(text, "[8]", 8) == "result: 8.0\nargument 0: [9.5]"
    assert interp(text, "[8]", 7) == "result: 8.0\nargument 0: [8.0]"


# --- the runtime -------------------------------------------------------------------------------------------------------------


def test_runtime_calls_of_each_shape():
    text = """fn low @f(n: int8, x: float64) -> tuple(int64, float64, float32, bool, float64, int64, str) {
b0:
    %1: int8 = arg #0
    %2: float64 = arg #1
    %3 = const int64 18
    %4: int64 = call.rt ws_gcd %1, %3
    %5: float64 = call.rt ws_ldexp %2, %3
    %6 = const float32 0.75
    %7: float32 = call.rt ws_ldexpf %6, %4
    %8 = const str "ab"
    %9 = const str "ab"
    %10: bool = call.rt ws_str_eq %8, %9
    %11 = const int64 1
    %12: float64 = call.rt ws_round_digits %2, %11
    %13: tuple(int8, int16) = make %1, %14
    %15: int64 = call.rt ws_hash_complex %2, %2
    %16 = const int64 2
    %17: tuple(str, str) = make %8, %9
    %18: str = call.rt ws_str_concat %16, %17
    %19: tuple(int64, float64, float32, bool, float64, int64, str) = make %4, %5, %7, %10, %12, %15, %18
    return %19
}
""".replace("    %13: tuple(int8, int16) = make %1, %14\n", "")
    outcome = result(text, -12, 0.26)
    assert outcome == f'(6, {0.26 * 2**18!r}, 48.0, true, 0.3, {hash(complex(0.26, 0.26))}, "abab")'


def test_runtime_call_that_raises():
    text = """fn low @f(x: float64) -> float64 {
b0:
    %1: float64 = arg #0
    %2 = const int64 -308
    %3: float64 = call.rt ws_round_digits %1, %2 at 3:1-3:9
    return %3
}
"""
    assert result(text, "1.5") == "0.0"
    assert interp(text, "1.7e308").startswith("raise OverflowError: rounded value too large to represent")


def test_poll_without_a_signal():
    assert result("fn low @f() -> none {\nb0:\n    poll\n    return\n}\n") == "none"
