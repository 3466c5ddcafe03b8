"""isclose of the modules math and cmath, and of NumPy for scalars."""

import cmath
import math


def isclose(a, b, *, rel_tol=1e-09, abs_tol=0.0):
    """math.isclose."""
    return _isclose(float(a), float(b), float(rel_tol), float(abs_tol))


def _isclose(a, b, rel_tol, abs_tol):
    if rel_tol < 0.0 or abs_tol < 0.0:
        raise ValueError("tolerances must be non-negative")
    if a == b:
        return True
    if math.isinf(a) or math.isinf(b):
        return False
    diff = math.fabs(b - a)
    return diff <= math.fabs(rel_tol * b) or diff <= math.fabs(rel_tol * a) or diff <= abs_tol


def isclose_complex(a, b, *, rel_tol=1e-09, abs_tol=0.0):
    """cmath.isclose."""
    return _isclose_complex(complex(a), complex(b), float(rel_tol), float(abs_tol))


def _isclose_complex(a, b, rel_tol, abs_tol):
    if rel_tol < 0.0 or abs_tol < 0.0:
        raise ValueError("tolerances must be non-negative")
    if a == b:
        return True
    if cmath.isinf(a) or cmath.isinf(b):
        return False
    diff = abs(a - b)
    return diff <= rel_tol * abs(b) or diff <= rel_tol * abs(a) or diff <= abs_tol


def isclose_numpy(a, b, rtol, atol, equal_nan):
    """np.isclose of two numbers."""
    if a == b:
        return True
    if cmath.isfinite(b):
        return abs(a - b) <= atol + rtol * abs(b)
    return equal_nan and cmath.isnan(a) and cmath.isnan(b)


def round_decimals(x, decimals):
    """np.round(x, decimals): by way of whole numbers, as NumPy does, not correctly rounded."""
    power = 1.0
    for _ in range(abs(decimals)):
        power *= 10.0
    if decimals < 0:
        return _rint(x / power) * power
    return _rint(x * power) / power


def _rint(x):
    """x rounded to a whole number, half to even, as a float with the sign of x."""
    if not math.fabs(x) < 4503599627370496.0:
        return x
    return math.copysign((math.fabs(x) + 4503599627370496.0) - 4503599627370496.0, x)
