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


def isclose_numpy(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """np.isclose of two numbers."""
    if a == b:
        return True
    if cmath.isfinite(b):
        return abs(a - b) <= atol + rtol * abs(b)
    return bool(equal_nan) and cmath.isnan(a) and cmath.isnan(b)
