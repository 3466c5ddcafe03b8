"""The oracle itself, against NumPy and CPython where their rules agree with the contract."""

import itertools
import math
import operator

import numpy as np
import pytest

import model
import values
from model import Val

OPS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
       "//": operator.floordiv, "%": operator.mod, "&": operator.and_, "|": operator.or_,
       "^": operator.xor}
WIDE = ("int64", "uint64", "float32", "float64", "complex64", "complex128")


def numpy_scalar(ty, value):
    return getattr(np, "bool_" if ty == "bool" else ty)(value)


def same(a, b):
    return model_bits(a) == model_bits(b)


def model_bits(x):
    if isinstance(x, complex):
        return model_bits(x.real), model_bits(x.imag)
    if isinstance(x, float):
        return "nan" if math.isnan(x) else (x, math.copysign(1, x))
    return x


@pytest.mark.parametrize("ty", WIDE)
@pytest.mark.parametrize("op", ["+", "-", "*", "/", "//", "%", "&", "|", "^"])
def test_same_type_pairs_agree_with_numpy(ty, op):
    if op in ("&", "|", "^") and ty not in model.INTS:
        pytest.skip("integers only")
    if op in ("//", "%", "*", "/") and ty in model.COMPLEXES:
        pytest.skip("complex products and quotients are rounded by other formulas")
    for x, y in itertools.product(values.values_of(ty), repeat=2):
        if op in ("/", "//", "%") and y == 0:
            with pytest.raises(ZeroDivisionError):
                model.binary(op, Val(ty, x), Val(ty, y))
            continue
        if ty in model.FLOATS and op == "//" and not (math.isfinite(x) and math.isfinite(y)):
            continue  # NumPy and CPython differ
        if ty in model.INTS and op == "/" and max(abs(x), abs(y)) > 2**53:
            continue
        with np.errstate(all="ignore"):
            want = OPS[op](numpy_scalar(ty, x), numpy_scalar(ty, y))
        got = model.binary(op, Val(ty, x), Val(ty, y))
        assert got.type == want.dtype.name
        assert same(got.value, want.item()), (op, x, y)


@pytest.mark.parametrize("a, b", list(itertools.product(WIDE, repeat=2)))
def test_types_of_mixed_pairs_agree_with_numpy(a, b):
    assert (Val(a, 1) + Val(b, 1)).type == np.result_type(a, b).name


@pytest.mark.parametrize("a, b", list(itertools.product(["bool", *model.INTS], repeat=2)))
def test_integers_narrower_than_64_bits_are_int64(a, b):
    want = "int64"
    if "uint64" in (a, b):
        other = b if a == "uint64" else a
        want = "float64" if other in model.SIGNED else "uint64"
    for op in ("+", "-", "*", "//", "%"):
        assert model.binary(op, Val(a, 1), Val(b, 1)).type == want
    assert (Val("int8", 127) + Val("int8", 1)).value == 128
    assert (Val("uint8", 3) - Val("uint8", 5)).value == -2
    assert (-Val("uint8", 5)).value == -5


def test_weak_constants():
    assert (Val("float32", 0.1) * 0.5).type == "float32"
    assert (Val("float32", 1) + 2).type == "float32"
    assert (2j * Val("float32", 1)).type == "complex64"
    assert (Val("uint64", 1) + 2).type == "uint64"
    assert (Val("uint64", 1) - 2).value == 2**64 - 1
    assert (Val("uint64", 1) + -2).type == "float64"
    assert (Val("uint8", 200) + 100).value == 300
    assert (Val("int64", 1) * 0.5).type == "float64"
    assert (Val("float32", 1) * Val("int64", 1)).type == "float64"
    assert Val("float32", 0.1) == 0.1
    assert Val("float32", 0.1) != Val("float64", 0.1)


def test_wrapping():
    low, high = model.int_range("int64")
    assert (Val("int64", high) + 1).value == low
    assert (-Val("int64", low)).value == low
    assert abs(Val("int64", low)).value == low
    assert (Val("int64", low) // -1).value == low
    assert (Val("int64", low) % -1).value == 0
    assert (Val("int64", 2**62) * 4).value == 0
    assert (~Val("uint64", 0)).value == 2**64 - 1
    assert (~Val("bool", True)).value == -2


@pytest.mark.parametrize("x, y", list(itertools.product(range(-7, 8), [-3, -2, -1, 1, 2, 3])))
def test_floor_division_rounds_down(x, y):
    a, b = Val("int64", x), Val("int64", y)
    assert (a // b).value == x // y and (a % b).value == x % y
    assert [v.value for v in divmod(a, b)] == list(divmod(x, y))


def test_shifts():
    one = Val("int64", 1)
    assert (one << Val("int64", 63)).value == -2**63
    assert (one << Val("int64", 64)).value == 0
    assert (Val("int64", -5) >> Val("int64", 200)).value == -1
    assert (Val("uint64", 2**63) >> Val("int64", 63)).value == 1
    assert (Val("int8", 1) << Val("int8", 8)).value == 256
    for shift in (operator.lshift, operator.rshift):
        with pytest.raises(ValueError, match="negative shift count"):
            shift(one, Val("int64", -1))


def test_powers():
    assert (Val("int64", 3) ** Val("int64", 4)).value == 81
    assert (Val("int64", 2) ** Val("int64", 64)).value == 0
    assert (Val("int64", -3) ** Val("int64", 41)).value == model.wrap((-3) ** 41, "int64")
    assert (Val("int64", 2) ** -2).type == "float64"
    with pytest.raises(ValueError):
        Val("int64", 2) ** Val("int64", -2)
    with pytest.raises(ZeroDivisionError):
        Val("int64", 0) ** -1
    with pytest.raises(OverflowError):
        Val("float64", 10.0) ** Val("int64", 400)
    assert math.isnan((Val("float64", -8.0) ** Val("float64", 0.5)).value)


def test_comparisons_go_by_value():
    assert Val("int64", -1) < Val("uint64", 2**64 - 1)
    assert not Val("int64", -1) == Val("uint64", 2**64 - 1)
    assert Val("uint64", 2**63) > Val("int64", 2**63 - 1)
    assert Val("int64", 2**53 + 1) > Val("float64", 2.0**53)
    assert Val("int8", -1) < Val("uint8", 255)


def test_conversions():
    assert model.to_int(Val("uint8", 3)).type == "int64"
    assert model.to_int(Val("uint64", 2**64 - 1)).value == -1
    assert model.to_int(Val("float64", -2.9)).value == -2
    for bad, error in ((math.nan, ValueError), (math.inf, OverflowError), (1e19, OverflowError)):
        with pytest.raises(error):
            model.to_int(Val("float64", bad))
    assert model.store(300, "int8") == 44 and model.store(-1, "uint64") == 2**64 - 1
    assert model.store(1e39, "float32") == math.inf


@pytest.mark.parametrize("n", [0, 1, -1, 2**24 + 1, 2**31 - 1, 2**53 + 1, 2**63 - 1, 2**64 - 1,
                               2**25 + 2**1 + 1, (2**24 + 1) * 2**29 + 1, -(2**63)])
def test_integers_round_once_to_float32(n):
    from fractions import Fraction
    got = model.int_to_float32(n)
    bits = np.float32(got)
    neighbours = [float(np.nextafter(bits, np.float32(d), dtype=np.float32)) for d in (-1e38, 1e38)]
    assert all(abs(Fraction(got) - n) <= abs(Fraction(other) - n) for other in neighbours)


def test_a_whole_function_on_vals():
    def mean(x, n):
        total = x * 0
        for _ in range(n):
            total += x * 0.5
        return total / n

    got = mean(Val("float32", 0.1), Val("int64", 3))
    assert got.type == "float64"
