"""math and cmath beyond the edge lists: true accuracy, special complex values, integers that do not
fit, the newer functions."""

import cmath
import itertools
import math

import numpy as np
import pytest

from support import PLAIN, check, check_all, check_result, compiled, make, needs_compiler

# What the C library itself gets wrong by more than half an ulp: it is compared with more accurate
# values below, and only roughly with CPython.
ROUGH = {"acosh": 2, "atanh": 2, "sinh": 2, "tanh": 2, "log10": 2, "cbrt": 4}
REAL = {"acos": (-1, 1), "acosh": (1, 1e6), "asin": (-1, 1), "asinh": (-1e6, 1e6),
        "atan": (-50, 50), "atanh": (-1, 1), "cbrt": (-1e9, 1e9), "cos": (-1e5, 1e5),
        "cosh": (-710.4, 710.4), "exp": (-745, 709.7), "exp2": (-1074, 1023.9),
        "expm1": (-40, 709.7), "log": (0, 1e9), "log10": (0, 1e9), "log1p": (-1, 1e9),
        "log2": (0, 1e9), "sin": (-1e5, 1e5), "sinh": (-710.4, 710.4), "tan": (-1e5, 1e5),
        "tanh": (-20, 20)}
NUMPY = {"acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh",
         "atan": "arctan", "atanh": "arctanh"}
LONG = np.finfo(np.longdouble).nmant >= 63


def points(low, high, n=2000):
    generator = np.random.RandomState(11)
    values = generator.uniform(low, high, n)
    near_one = 1 + generator.uniform(-1e-3, 1e-3, 100)
    tiny = 10.0 ** generator.uniform(-300, 0, 100) * generator.choice([-1, 1], 100)
    both = np.concatenate([values, near_one, tiny])
    return both[(both > low) & (both < high)]


@needs_compiler
@pytest.mark.skipif(not LONG, reason="needs a long double of 64 bits")
@pytest.mark.parametrize("name", REAL)
def test_within_one_ulp_of_the_true_value(name):
    func = compiled(make(f"def f(x):\n    return math.{name}(x)\n"))
    x = points(*REAL[name])
    got = np.array([func(v) for v in x.tolist()])
    true = getattr(np, NUMPY.get(name, name))(x.astype(np.longdouble))
    ulp = np.spacing(np.abs(true.astype(np.float64)))
    assert np.max(np.abs(got - true) / ulp) <= 1.0


@pytest.mark.parametrize("name", REAL)
def test_close_to_cpython(name):
    func = make(f"def f(x):\n    return math.{name}(x)\n")
    for x in points(*REAL[name], n=300).tolist():
        check(func, x, ulp=ROUGH.get(name, 1))


@pytest.mark.parametrize("name", ["asinh", "acosh", "log1p", "sinh", "cosh", "tan"])
def test_near_the_ends_of_the_range(name):
    func = make(f"def f(x):\n    return math.{name}(x)\n")
    for x in (709.0, 709.7, 709.79, 710.47, 710.48, 1e150, 1.3e154, 1.4e154, 1e200, 1e307, 1.7e308,
              5e-324, 1e-310, 2.0**-1000):
        check_all(func, [x, -x], ulp=1)


@needs_compiler
@pytest.mark.parametrize("name", ["asinh", "acosh", "log1p", "sinh", "cosh"])
def test_float32_near_the_ends_of_the_range(name):
    func = compiled(make(f"def f(x):\n    return math.{name}(x)\n"))
    for x in map(np.float32, (87.5, 88.5, 89.0, 89.4, 1e18, 1.9e19, 1e30, 3.4e38)):
        with np.errstate(over="ignore"):
            want = getattr(np, NUMPY.get(name, name))(np.float64(x))
        if want > np.finfo(np.float32).max:
            with pytest.raises(OverflowError):
                func(x)
        else:
            assert abs(func(x) - want) <= 1.3 * np.spacing(np.float32(want)), x


# -- cmath --------------------------------------------------------------------------------------

SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -2.0, 5e-324, 1e-310, 1e200, -1e308, 709.0, 710.5, 3.7,
           math.inf, -math.inf, math.nan]
COMPLEX = [complex(a, b) for a, b in itertools.product(SPECIAL, SPECIAL)]


@pytest.mark.parametrize("name", ["acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh",
                                  "exp", "log", "log10", "sin", "sinh", "sqrt", "tan", "tanh"])
def test_special_complex_values(name):
    func = make(f"def f(z):\n    return cmath.{name}(z)\n", cmath=cmath)
    for z in COMPLEX:
        check(func, z)


def test_rect_and_polar():
    func = make("def f(r, phi):\n    return cmath.rect(r, phi)\n", cmath=cmath)
    check_all(func, SPECIAL, SPECIAL)
    func = make("def f(z):\n    return cmath.polar(z)\n", cmath=cmath)
    for z in COMPLEX:
        check(func, z, ulp=1)


def test_complex_logarithm_to_a_base():
    func = make("def f(z, base):\n    return cmath.log(z, base)\n", cmath=cmath)
    check_all(func, [1 + 2j, 0j, -1 + 0j, complex(math.inf, 1)], [2.0, 1j, 0j, 1.0, 10])


def test_complex_powers():
    bases = [0j, 1j, 2 + 0j, -1.5 + 0.25j, complex(math.inf, 0), complex(1e200, 1)]
    powers = [0j, 1 + 0j, -1 + 0j, 5 + 0j, -7 + 0j, 101 + 0j, 0.5 + 0j, 1j, 2 - 3j]
    check_all(make("def f(z, w):\n    return z ** w\n"), bases, powers, ulp=1)


def test_isclose_of_complex_numbers():
    func = make("def f(a, b):\n    return (cmath.isclose(a, b), cmath.isclose(a, b, rel_tol=0.1),\n"
                "            cmath.isclose(a, b, rel_tol=0.0, abs_tol=0.5))\n", cmath=cmath)
    check_all(func, COMPLEX[::7], COMPLEX[::11])


# -- integers, sums -----------------------------------------------------------------------------

@pytest.mark.parametrize("call, args", [
    ("factorial(a)", (21,)), ("comb(a, b)", (100, 50)), ("perm(a, b)", (30, 20)),
    ("lcm(a, b)", (2**40 + 1, 2**40)), ("lcm(a)", (-2**63,)),
])
def test_integers_that_do_not_fit_overflow(call, args):
    names = "ab"[:len(args)]
    func = make(f"def f({', '.join(names)}):\n    return math.{call}\n")
    check_result(OverflowError("does not fit in a 64-bit integer"), func, *args)


def test_binomials_up_to_the_limit():
    func = make("def f(n, k):\n    return math.comb(n, k)\n")
    for n, k in itertools.product(range(0, 66), range(0, 66)):
        if math.comb(n, k) < 2**63:
            check(func, n, k)


def test_isqrt_around_squares():
    func = make("def f(n):\n    return math.isqrt(n)\n")
    for root in (2, 94906265, 94906267, 2**31, 3037000498, 3037000499):
        check_all(func, [root * root - 1, root * root])
    if not PLAIN:
        assert compiled(func)(2**64 - 1) == 2**32 - 1


def test_long_vectors():
    generator = np.random.RandomState(3)
    hypot = make("def f(a, b, c, d):\n    return math.hypot(a, b, c, d)\n")
    dist = make("def f(p, q):\n    return math.dist(p, q)\n")
    for scale in (1e-320, 1e-160, 1.0, 1e160, 1e307):
        for _ in range(20):
            v = generator.uniform(-1, 1, 8) * scale
            check(hypot, *v[:4].tolist())
            check(dist, tuple(v[:4].tolist()), tuple(v[4:].tolist()))
    check(dist, (1.0, 2.0), (1.0,))
    check(dist, np.array([1.0, 2.0, 3.0]), np.array([3.0, 5.0, 9.0]))


def test_fsum_of_what_cancels():
    generator = np.random.RandomState(5)
    func = make("def f(a):\n    return math.fsum(a)\n")
    for n in (1, 10, 1000):
        a = generator.uniform(-1, 1, n) * 10.0 ** generator.uniform(-300, 300, n)
        a = np.concatenate([a, -a[: n // 2], [1.0]])
        generator.shuffle(a)
        check(func, a)
    check_all(func, [(), (1, 2, 2.5), (math.inf, 1.0), (math.inf, -math.inf), (1e308, 1e308)])


# -- functions of later versions ----------------------------------------------------------------

@pytest.mark.skipif(not hasattr(math, "sumprod"), reason="since Python 3.12")
def test_sumprod():
    func = make("def f(p, q):\n    return math.sumprod(p, q)\n")
    for p, q in [((1, 2, 3), (4, 5, 6)), ((), ()), ((1.5, 2), (3, 4)), ((1,), (1, 2)),
                 ((0.1,) * 10, (0.1, -0.1) * 5), ((1e16, 1.0, -1e16), (1.0, 1.0, 1.0)),
                 ((math.inf, 1.0), (0.0, 1.0)), (np.arange(4), np.arange(4.0))]:
        check(func, p, q)


@pytest.mark.skipif(not hasattr(math, "sumprod"), reason="since Python 3.12")
def test_nextafter_by_steps():
    func = make("def f(x, y, n):\n    return math.nextafter(x, y, steps=n)\n")
    check_all(func, [0.0, -0.0, 1.0, -5e-324, math.inf, math.nan], [1.0, -1.0, -0.0, math.inf],
              [0, 1, 2, 1000, 2**62, -1])


@pytest.mark.skipif(not hasattr(math, "fma"), reason="since Python 3.13")
def test_fma():
    values = [0.0, -0.0, 1.0, -1.5, 1e300, 1e308, 5e-324, math.inf, -math.inf, math.nan]
    check_all(make("def f(x, y, z):\n    return math.fma(x, y, z)\n"), values, values, values)
