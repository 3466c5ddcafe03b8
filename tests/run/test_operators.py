"""Every operator on every pair of numeric types, on edge values, against the model.

One compiled function per group of operators and pair of types: the results come back as a tuple.
"""

import itertools

import pytest

import model
import values
from model import Val
from support import check_result, make, needs_compiler, return_type

GROUPS = {
    "arithmetic": "(x + y, x - y, x * y)",
    "compare": "(x < y, x <= y, x > y, x >= y, x == y, x != y)",
    "equality": "(x == y, x != y, x + y, x - y)",
    "division": "(x / y, x // y, x % y, divmod(x, y))",
    "bits": "(x & y, x | y, x ^ y)",
}
QUICK = ("bool", "int8", "int64", "uint8", "uint64", "float32", "float64")
REALS = ("bool", *model.INTS, *model.FLOATS)
FAULTS = {"/": "x / y", "//": "x // y", "%": "x % y", "divmod": "divmod(x, y)"}


def pairs(types):
    """All pairs; those beyond the quick ones are marked slow."""
    result = []
    for a, b in itertools.product(types, repeat=2):
        marks = () if a in QUICK and b in QUICK else (pytest.mark.slow,)
        result.append(pytest.param(a, b, marks=marks))
    return result


def binary(expression):
    return make(f"def f(x, y):\n    return {expression}\n")


def modelled(func, a, x, b, y):
    """Result of `func` on the model's numbers, as compiled code returns it."""
    try:
        return plain_values(func(Val(a, x), Val(b, y)))
    except (ZeroDivisionError, OverflowError, ValueError) as error:
        return error


def plain_values(value):
    if isinstance(value, tuple):
        return tuple(plain_values(v) for v in value)
    return value.value if isinstance(value, Val) else value


def run_pair(expression, a, b, skip=lambda x, y: False):
    func = binary(expression)
    count = 0
    for x, y in itertools.product(values.values_of(a), values.values_of(b)):
        if skip(x, y):
            continue
        want = modelled(func, a, x, b, y)
        check_result(want, func, values.argument(a, x), values.argument(b, y))
        count += 1
    assert count


def few(ty):
    """A short list for the quadratic tests of complex types."""
    return values.values_of(ty)[:8]


@pytest.mark.parametrize("a, b", pairs(REALS))
def test_arithmetic(a, b):
    run_pair(GROUPS["arithmetic"], a, b)


@pytest.mark.parametrize("a, b", pairs(REALS))
def test_comparisons_go_by_value(a, b):
    run_pair(GROUPS["compare"], a, b)


@pytest.mark.parametrize("a, b", pairs(REALS))
def test_division(a, b):
    run_pair(GROUPS["division"], a, b, skip=lambda x, y: y == 0)


@pytest.mark.parametrize("a, b", pairs(("bool", *model.INTS)))
def test_bit_operations(a, b):
    run_pair(GROUPS["bits"], a, b)


@pytest.mark.parametrize("a", ["bool", *model.INTS])
@pytest.mark.parametrize("b", ["int64", "uint8", "uint64"])
def test_shifts(a, b):
    counts = [0, 1, 5, 7, 8, 31, 32, 62, 63, 64, 65, 127, 200]
    func = binary("(x << y, x >> y)")
    for x, y in itertools.product(values.values_of(a), counts):
        check_result(modelled(func, a, x, b, y), func, values.argument(a, x),
                     values.argument(b, y))


@pytest.mark.parametrize("op", ["<<", ">>"])
@pytest.mark.parametrize("a", ["bool", "int8", "int64", "uint64"])
def test_negative_shift_counts_raise(a, op):
    func = binary(f"x {op} y")
    for y in (-1, -64, -2**63):
        check_result(ValueError("negative shift count"), func, values.argument(a, 1), y)


@pytest.mark.parametrize("op", FAULTS)
@pytest.mark.parametrize("a", ["bool", "int8", "int64", "uint64", "float32", "float64"])
@pytest.mark.parametrize("b", ["int64", "uint64", "float64", "float32"])
def test_division_by_zero_raises(a, b, op):
    func = binary(FAULTS[op])
    zeros = [0.0, -0.0] if b in model.FLOATS else [0]
    for x, y in itertools.product(values.values_of(a)[:3], zeros):
        check_result(ZeroDivisionError(), func, values.argument(a, x), values.argument(b, y))


@pytest.mark.parametrize("a", ["int8", "int64", "uint8", "uint64"])
@pytest.mark.parametrize("b", ["int64", "uint8", "uint64"])
def test_integer_powers_wrap(a, b):
    func = binary("x ** y")
    for x, y in itertools.product(values.values_of(a), [0, 1, 2, 3, 5, 7, 13, 20]):
        if model.arithmetic_type((a, x, False), (b, y, False)) in model.INTS:
            check_result(modelled(func, a, x, b, y), func, values.argument(a, x),
                         values.argument(b, y))


@pytest.mark.parametrize("a", ["bool", "int8", "int64"])
def test_a_negative_exponent_known_at_run_time_raises(a):
    func = binary("x ** y")
    for y in (-1, -2, -2**63):
        check_result(ValueError(model.NEGATIVE_POWER), func, values.argument(a, 1), y)


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 4, 7, -1, -2, -3])
@pytest.mark.parametrize("a", ["bool", "int8", "int64", "float64"])
def test_constant_integer_exponents(a, exponent):
    func = make(f"def f(x):\n    return x ** {exponent}\n")
    candidates = [x for x in values.values_of(a) if abs(x) < 1e100]
    for x in candidates:
        try:
            want = plain_values(func(Val(a, x)))
        except (ZeroDivisionError, OverflowError) as error:
            want = type(error)()
        check_result(want, func, values.argument(a, x), ulp=1)


def test_float_powers():
    func = binary("x ** y")
    points = [0.0, -0.0, 0.5, 1.0, 2.0, -1.0, -2.0, 3.0, 1e10, float("inf"), -float("inf"),
              float("nan"), -3.0, 0.1]
    for x, y in itertools.product(points, points):
        want = modelled(func, "float64", x, "float64", y)
        if isinstance(want, Exception):
            want = type(want)()
        check_result(want, func, x, y, ulp=1)
    check_result(OverflowError(), func, 10.0, 400.0)
    check_result(ZeroDivisionError(), func, 0.0, -1.0)


@pytest.mark.parametrize("a, b", [
    ("complex128", "complex128"), ("complex128", "float64"), ("int64", "complex128"),
    ("complex64", "complex64"), ("complex64", "float64"), ("float32", "complex64"),
    ("uint64", "complex128"), ("bool", "complex128"),
])
def test_complex_sums_and_equality(a, b):
    func = binary(GROUPS["equality"])
    for x, y in itertools.product(few(a), few(b)):
        want = modelled(func, a, x, b, y)
        check_result(want, func, values.argument(a, x), values.argument(b, y))


@pytest.mark.parametrize("x", values.COMPLEX128)
@pytest.mark.parametrize("y", [1 + 1j, -3 + 4j, 1e-3 + 1e3j, 2j, 0.5 + 0j])
def test_complex_products_quotients_powers(x, y):
    def product(x, y):
        return x * y, x / y

    def power(x):
        return x ** 2, x ** 3

    check_result(product(x, y), product, x, y, ulp=1)
    check_result(power(y), power, y, ulp=2)


def test_complex_division_by_zero_raises():
    check_result(ZeroDivisionError(), binary("x / y"), 1 + 1j, 0j)
    check_result(ZeroDivisionError(), binary("x / y"), 1 + 1j, 0.0)


@pytest.mark.parametrize("ty", model.TYPES)
def test_unary_operators(ty):
    expression = "(-x, +x, abs(x), ~x, not x)" if model.is_int(ty) else "(-x, +x, not x)"
    func = make(f"def f(x):\n    return {expression}\n")
    for x in values.values_of(ty):
        check_result(plain_values(func(Val(ty, x))), func, values.argument(ty, x))


@pytest.mark.parametrize("ty", ["complex64", "complex128"])
def test_absolute_value_of_complex(ty):
    def f(x):
        return abs(x)

    for x in values.values_of(ty):
        check_result(plain_values(f(Val(ty, x))), f, values.argument(ty, x),
                     ulp=1 if ty == "complex128" else 2**29)  # one ulp of a float32


# -- weak constants -----------------------------------------------------------------------------

WEAK = [
    ("float32", "x * 0.5"), ("float32", "x + 2"), ("float32", "2 * x - 0.1"),
    ("float32", "x / 3"), ("float32", "x * (1 / 3)"), ("float32", "x * math.pi"),
    ("float32", "-0.5 * x"), ("float32", "x ** 2"), ("float32", "x < 0.1"), ("float32", "x == 0.1"),
    ("complex64", "x * 2j"), ("complex64", "x + 0.5"), ("float32", "x + 1j"),
    ("uint64", "x + 1"), ("uint64", "x - 1"), ("uint64", "x * 3"), ("uint64", "x // 7"),
    ("uint64", "x % 10"), ("uint64", "x & 255"), ("uint64", "x >> 3"), ("uint64", "x << 1"),
    ("uint64", "x + (-1)"), ("uint64", "x * 0.5"), ("uint64", "x > -1"),
    ("uint8", "x + 1"), ("uint8", "x - 255"), ("int8", "x * 1000"), ("int8", "x << 20"),
    ("int32", "x * x"), ("uint32", "x - 1"), ("int64", "x * 0.5"), ("int64", "x / 2"),
    ("bool", "x + 1"), ("int64", "x + 1j"),
]


@pytest.mark.parametrize("ty, expression", WEAK)
def test_weak_constants(ty, expression):
    func = make(f"def f(x):\n    return {expression}\n")
    for x in values.values_of(ty):
        if ty == "float32" and "**" in expression and abs(x) > 1e15:
            continue
        want = plain_values(func(Val(ty, x)))
        check_result(want, func, values.argument(ty, x))


@needs_compiler
@pytest.mark.parametrize("ty, expression", WEAK)
def test_types_of_weak_constants(ty, expression):
    func = make(f"def f(x):\n    return {expression}\n")
    want = func(Val(ty, 1))
    want = want.type if isinstance(want, Val) else "bool"
    assert return_type(func, values.argument(ty, 1)) == want


@needs_compiler
@pytest.mark.parametrize("a, b", pairs(REALS))
def test_result_types(a, b):
    func = binary("(x + y, x / y, x // y)")
    x, y = Val(a, 1), Val(b, 1)
    want = ", ".join(v.type for v in (x + y, x / y, x // y))
    got = return_type(func, values.argument(a, 1), values.argument(b, 1))
    members = got[got.index("(") + 1:got.rindex(")")]
    if " x " in members:  # a tuple of one type is written with its length
        element, length = members.split(" x ")
        members = ", ".join([element] * int(length))
    assert members == want


STRENGTH = """
    HALF = 0.5
    def assigned(x):
        h = 0.5
        return x * h
    def literal(x):
        return x * 0.5
    def captured(x):
        return x * HALF
    def argument(x, h=0.5):
        return x * h
    def accumulator(x):
        total = 0.0
        for _ in range(3):
            total += x
        return total
"""


@needs_compiler
@pytest.mark.parametrize("name, want", [
    ("assigned", "float64"), ("literal", "float32"), ("captured", "float32"),
    ("argument", "float64"), ("accumulator", "float64"),
])
def test_weakness_ends_at_an_assignment(name, want):
    func = make(STRENGTH, name)
    assert return_type(func, values.argument("float32", 1)) == want


# -- conversions --------------------------------------------------------------------------------

@pytest.mark.parametrize("ty", REALS)
def test_int_and_float_of_a_scalar(ty):
    def to_int(x):
        return int(x)

    def to_float(x):
        return float(x)

    for x in values.values_of(ty):
        try:
            want = model.to_int(Val(ty, x)).value
        except (ValueError, OverflowError) as error:
            want = type(error)()
        check_result(want, to_int, values.argument(ty, x))
        check_result(model.to_float(Val(ty, x)).value, to_float, values.argument(ty, x))


@pytest.mark.parametrize("target", [*model.INTS, *model.FLOATS])
@pytest.mark.parametrize("source", ["bool", "int64", "uint64", "float64"])
def test_casts(source, target):
    numpy_cast = make(f"def f(x):\n    return np.{target}(x)\n")
    types_cast = make(f"def f(x):\n    return types.{target}(x)\n")
    for x in values.values_of(source):
        if source == "float64" and target in model.INTS and not abs(x) < 100:
            continue  # what a cast that does not fit gives is the machine's
        if source == "float64" and target in model.UNSIGNED and x < 0:
            continue
        want = model.store(x, target)
        for func in (numpy_cast, types_cast):
            check_result(want, func, values.argument(source, x))


def test_a_cast_narrow_integer_computes_in_64_bits():
    func = make("def f(x):\n    return np.int8(x) + np.int8(x)\n")
    check_result(254, func, 127)
    check_result(-2, func, 255)


def test_uint64_arguments_come_from_big_python_ints():
    def half(x):
        return x >> 1

    check_result(2**63 - 1, half, 2**64 - 1)
    check_result(2**62, half, 2**63)
    check_result(OverflowError(), half, 2**64)
    check_result(OverflowError(), half, -2**63 - 1)


def test_wraparound_programs():
    def fnv1a(data):
        h = np_uint64(14695981039346656037)
        for byte in data:
            h = (h ^ np_uint64(byte)) * np_uint64(1099511628211)
        return h

    import numpy as np
    np_uint64 = np.uint64
    data = np.arange(50, dtype=np.uint8)
    want = 14695981039346656037
    for byte in data.tolist():
        want = (want ^ byte) * 1099511628211 % 2**64
    check_result(want, fnv1a, data)

    def lcg(seed, n):
        state = seed
        for _ in range(n):
            state = state * 6364136223846793005 + 1442695040888963407
        return state

    state = 42
    for _ in range(100):
        state = model.wrap(state * 6364136223846793005 + 1442695040888963407, "int64")
    check_result(state, lcg, 42, 100)


