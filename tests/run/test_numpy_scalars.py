"""NumPy's elementwise functions on scalars: its values and types, and never an exception."""

import itertools
import math

import numpy as np
import pytest

from support import assert_same, compiled, make, needs_compiler, return_type, unwrap

pytestmark = needs_compiler

FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 1e-300, 1e300, 5e-324, 710.0, -745.2, 1.5e154,
          math.inf, -math.inf, math.nan, 1e308]
INTS = [0, 1, -1, 2, 3, -3, 7, 63, 64, 2**40, 2**62, 2**63 - 1, -2**63]
COMPLEX = [0j, 1 + 2j, -0.5 + 0.25j, -3j, 2 + 0j, -1 - 1j, 1e-3 + 1e3j]
KINDS = {float: np.float64, int: np.int64, bool: np.bool_, complex: np.complex128}
# NumPy's own distance from the true value
ROUGH = {"cbrt": 4, "arccosh": 2, "arctanh": 2, "tanh": 2, "log10": 2, "sinh": 2, "sinc": 3,
         "logaddexp": 2, "logaddexp2": 2}
INEXACT = ("sqrt exp log log10 sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh "
           "arctanh").split()
REAL = ("cbrt exp2 expm1 log1p log2 fabs rint degrees rad2deg radians deg2rad spacing sinc frexp "
        "modf signbit").split()
ANY = "abs sign negative positive square conj real imag angle isnan isinf isfinite".split()
WHOLE = "floor ceil trunc".split()
FLOAT2 = ("arctan2 hypot copysign nextafter logaddexp logaddexp2 heaviside add subtract multiply "
          "divide floor_divide remainder fmod float_power minimum maximum fmin fmax equal "
          "not_equal less less_equal greater greater_equal logical_and logical_or logical_xor "
          "divmod").split()
INT2 = ("add subtract multiply divide floor_divide remainder fmod minimum maximum fmin fmax equal "
        "less bitwise_and bitwise_or bitwise_xor left_shift right_shift logical_xor divmod").split()
BOOL2 = "add multiply minimum maximum bitwise_and bitwise_xor logical_or equal less".split()


def agree(expression, cases, ulp=0):
    """The expression of x, y, z compiled for Python numbers gives what NumPy gives for its own."""
    names = ", ".join("xyz"[: len(cases[0])])
    func = make(f"def f({names}):\n    return {expression}\n")
    fast = compiled(func)
    for args in cases:
        with np.errstate(all="ignore"):
            want = unwrap(func(*(KINDS[type(a)](a) for a in args)))
        assert_same(fast(*args), want, ulp, f"{expression} of {args}")


@pytest.mark.parametrize("name", INEXACT + REAL + ANY + WHOLE + ["reciprocal"])
def test_of_a_float(name):
    agree(f"np.{name}(x)", [(x,) for x in FLOATS], ROUGH.get(name, 1))


@pytest.mark.parametrize("name", INEXACT + ["abs", "rint", "sign", "square", "isnan", "invert"])
def test_of_an_int(name):
    agree(f"np.{name}(x)", [(x,) for x in INTS], ROUGH.get(name, 1))


@pytest.mark.parametrize("name", INEXACT + ANY)
def test_of_a_complex_number(name):
    cases = [(z,) for z in COMPLEX if z or name not in ("log", "log10", "sign")]
    agree(f"np.{name}(x)", cases, 8)


@pytest.mark.parametrize("name", FLOAT2)
def test_of_two_floats(name):
    pairs = list(itertools.product(FLOATS, FLOATS))
    agree(f"np.{name}(x, y)", pairs, ROUGH.get(name, 1))


@pytest.mark.parametrize("name", INT2)
def test_of_two_ints(name):
    agree(f"np.{name}(x, y)", list(itertools.product(INTS, INTS)))


@pytest.mark.parametrize("name", BOOL2)
def test_of_two_bools(name):
    pairs = list(itertools.product((False, True), repeat=2))
    agree(f"np.{name}(x, y)", pairs)


def test_powers():
    agree("np.power(x, y)", [(2, 10), (-3, 3), (0, 0), (7, 64), (-1, 63)])
    agree("np.power(x, y)", [(x, y) for x in FLOATS for y in (2, -1, 1 / 3)
                             if not (x < 0 and y == 1 / 3)], 1)
    agree("np.power(x, y)", [(z, w) for z in COMPLEX for w in (2 + 0j, -1 + 0j, 0.5j) if z], 8)


def test_clip_and_round():
    agree("np.clip(x, y, z)", [(x, -1.0, 2.5) for x in FLOATS])
    agree("np.clip(x, None, y)", [(x, 2.5) for x in FLOATS])
    agree("np.clip(x, y, z)", [(x, -2, 10) for x in INTS])
    agree("np.round(x)", [(x,) for x in FLOATS + [2.5, 3.5, -0.5]])
    agree("np.round(x, 2)", [(x,) for x in [2.675, 1.005, -1234.565, 0.0, 1e22]])
    agree("np.round(x, -2)", [(x,) for x in [1250.0, 1350.0, -49.0, 1e22]])


def test_isclose_gcd_ldexp():
    pairs = list(itertools.product(FLOATS, FLOATS + [1 + 1e-9]))
    agree("np.isclose(x, y)", pairs)
    agree("np.isclose(x, y, equal_nan=True)", pairs)
    small = [n for n in INTS if abs(n) < 2**41]
    agree("np.gcd(x, y)", list(itertools.product(small, small)))
    agree("np.lcm(x, y)", [(4, 6), (0, 5), (-4, 6), (7, 13)])
    agree("np.ldexp(x, 3)", [(x,) for x in FLOATS])


@pytest.mark.parametrize("expression, args, want", [
    ("np.sin(x)", (np.float32(1.5),), "float32"),
    ("np.add(x, 1.0)", (np.float32(1.5),), "float32"),
    ("np.add(x, y)", (np.float32(1.5), 2), "float64"),
    ("np.sqrt(x)", (np.int8(4),), "float64"),
    ("np.exp(x)", (np.complex64(1j),), "complex64"),
    ("np.abs(x)", (np.complex64(1j),), "float32"),
    ("np.floor(x)", (3,), "int64"),
    ("np.minimum(x, y)", (np.uint8(1), np.uint8(2)), "int64"),
    ("np.maximum(x, 1)", (np.uint64(3),), "uint64"),
])
def test_types(expression, args, want):
    names = ", ".join("xyz"[: len(args)])
    assert return_type(make(f"def f({names}):\n    return {expression}\n"), *args) == want
