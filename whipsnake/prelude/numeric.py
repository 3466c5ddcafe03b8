"""Interpolation, integration, convolution, and functions of the elements."""

import math

import numpy as np

from whipsnake.prelude.axes import are_broadcast
from whipsnake.prelude.creation import asarray, asarray_or_number, linspace
from whipsnake.prelude.intrinsics import (
    axis_first,
    axis_part,
    common_dtype,
    dtype_of,
    refuse,
)
from whipsnake.prelude.reduce import is_float
from whipsnake.prelude.sorting import is_complex


# -- between points -------------------------------------------------------------------------------


def interp(x, xp, fp, left=None, right=None, period=None):
    """np.interp."""
    at, values = asarray(xp).astype(np.float64), asarray(fp)
    if at.shape[0] == 0:
        raise ValueError("array of sample points is empty")
    if at.shape[0] != values.shape[0]:
        raise ValueError("fp and xp are not of the same length.")
    low = values[0] if left is None or period is not None else left
    high = values[-1] if right is None or period is not None else right
    if period is None:
        return _interp(x, at, values, low, high)
    if period == 0:
        raise ValueError("period must be a non-zero value")
    p = abs(float(period))
    at = at % p
    order = np.argsort(at)
    at, values = at[order], values[order]
    at = np.concatenate((at[-1:] - p, at, at[:1] + p))
    values = np.concatenate((values[-1:], values, values[:1]))
    return _interp(_wrapped(x, p), at, values, values[0], values[-1])


def _wrapped(x, period):
    if isinstance(x, (np.ndarray, tuple)):
        return asarray(x) % period
    return np.remainder(float(x), period)


def _interp(x, at, values, low, high):
    if isinstance(x, (np.ndarray, tuple)):
        a = asarray(x)
        out = np.empty(a.shape, np.complex128 if is_complex(values) else np.float64)
        flat, to = a.ravel(), out.ravel()
        k = 0
        for i in range(flat.shape[0]):
            k = _segment(at, float(flat[i]), k)
            to[i] = _at(float(flat[i]), at, values, low, high, k)
        return out[()] if out.ndim == 0 else out
    return _at(float(x), at, values, low, high, _segment(at, float(x), 0))


def _segment(at, x, guess):
    """The last point at or before x, or -1; `guess` is tried, since points often come in order."""
    n = at.shape[0]
    if guess >= 0 and at[guess] <= x and (guess + 1 == n or x < at[guess + 1]):
        return guess
    low, high = 0, n
    while low < high:
        middle = (low + high) // 2
        if at[middle] <= x:
            low = middle + 1
        else:
            high = middle
    return low - 1


def _at(x, at, values, low, high, k):
    n = at.shape[0]
    if n == 1 and not x < at[0] and not x > at[0]:
        return values[0] * 1.0
    if x != x:
        return x + 0 * values[0]
    if x < at[0]:
        return low + 0 * values[0] if isinstance(low, int) else low * 1.0
    if x > at[n - 1]:
        return high * 1.0
    if k == n - 1 or at[k] == x:
        return values[k] * 1.0
    slope = (values[k + 1] - values[k]) / (at[k + 1] - at[k])
    v = slope * (x - at[k]) + values[k]
    if v != v:
        v = slope * (x - at[k + 1]) + values[k + 1]
        if v != v and values[k] == values[k + 1]:
            v = values[k] * 1.0
    return v


def trapezoid(y, x=None, dx=1.0, axis=-1):
    """np.trapezoid."""
    a = asarray(y)
    b = axis_first(a, axis)
    if x is None:
        return np.sum(dx * (b[1:] + b[:-1]) / 2.0, 0)
    p = asarray(x)
    if p.ndim == 1:
        return np.sum(_steps(np.diff(p), b) * (b[1:] + b[:-1]) / 2.0, 0)
    if p.ndim != a.ndim:  # stretched as in any product
        n = b.shape[0]
        sums = axis_part(a, axis, min(n, 1), n) + axis_part(a, axis, 0, max(n - 1, 0))
        return np.sum(np.diff(p, 1, axis) * sums / 2.0, axis)
    q = axis_first(p, axis)
    return np.sum((q[1:] - q[:-1]) * (b[1:] + b[:-1]) / 2.0, 0)


def _steps(d, b):
    """The steps along the first axis of `b`."""
    return np.reshape(d, d.shape + (1,) * (b.ndim - 1))


def gradient(f, dx=1.0):
    """np.gradient of an array with one axis, steps of one size."""
    a = asarray(f)
    if a.ndim != 1:
        refuse("np.gradient of several axes is not supported yet: take each axis by itself")
    n = a.shape[0]
    if n < 2:
        raise ValueError(
            "Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) "
            "elements are required."
        )
    b = a if is_float(a) else a.astype(np.float64)
    out = np.empty(n, b.dtype)
    out[1:-1] = (b[2:] - b[:-2]) / (2.0 * dx)
    out[0] = (b[1] - b[0]) / dx
    out[n - 1] = (b[n - 1] - b[n - 2]) / dx
    return out


def unwrap(p, discont=None, period=math.tau):
    """np.unwrap along the last axis."""
    a = asarray(p)
    out = a.astype(common_dtype((a, 1.0)))
    _unwrap(out, period / 2 if discont is None else discont, period)
    return out


def _unwrap(a, discont, period):
    if a.ndim > 1:
        for i in range(a.shape[0]):
            _unwrap(a[i], discont, period)
    else:
        total = 0.0
        before = a[0] if a.shape[0] > 0 else 0.0
        for i in range(1, a.shape[0]):
            step = a[i] - before
            before = a[i]
            wrapped = (step + period / 2) % period - period / 2
            if wrapped == -period / 2 and step > 0:
                wrapped = period / 2
            if abs(step) >= discont:
                total += wrapped - step
            a[i] += total


# -- convolution ----------------------------------------------------------------------------------


def convolve(a, v, mode="full"):
    """np.convolve."""
    x, y = np.atleast_1d(a), np.atleast_1d(v)
    if x.shape[0] == 0:
        raise ValueError("a cannot be empty")
    if y.shape[0] == 0:
        raise ValueError("v cannot be empty")
    _check_one_axis(x, y)
    dtype = common_dtype((x, y))
    if y.shape[0] > x.shape[0]:
        return _convolve(y.astype(dtype), x.astype(dtype), mode, 0)
    return _convolve(x.astype(dtype), y.astype(dtype), mode, 0)


def correlate(a, v, mode="valid"):
    """np.correlate."""
    x, y = np.atleast_1d(a), np.conj(np.atleast_1d(v))
    if x.shape[0] == 0:
        raise ValueError("first array argument cannot be empty")
    if y.shape[0] == 0:
        raise ValueError("second array argument cannot be empty")
    _check_one_axis(x, y)
    dtype = common_dtype((x, y))
    if y.shape[0] > x.shape[0]:
        return _convolve(y[::-1].astype(dtype), x.astype(dtype), mode, 1)
    return _convolve(x.astype(dtype), y[::-1].astype(dtype), mode, 0)


def _check_one_axis(x, y):
    if x.ndim != 1 or y.ndim != 1:
        raise ValueError("object too deep for desired array")


def _convolve(x, y, mode, turned):
    """Of x with the shorter y. turned: 1 where 'same' leaves out more at the start."""
    n, m = x.shape[0], y.shape[0]
    if mode == "full":
        return _sums(x, y, 0, n + m - 1)
    if mode == "same":
        return _sums(x, y, m // 2 if turned and m % 2 == 0 else (m - 1) // 2, n)
    if mode == "valid":
        return _sums(x, y, m - 1, n - m + 1)
    raise ValueError(f"mode must be one of 'valid', 'same', or 'full' (got '{mode}')")


def _sums(x, y, start, count):
    """The sums x[i] * y[j] with i + j = k, for `count` values of k from `start` on."""
    out = np.zeros(count, x.dtype)
    n = x.shape[0]
    for j in range(y.shape[0]):
        first = max(start - j, 0)
        last = min(start + count - j, n)
        to = out[first + j - start : last + j - start]
        to += x[first:last] * y[j]
    return out


# -- of elements ----------------------------------------------------------------------------------


def angle(z, deg=False):
    """np.angle."""
    a = asarray_or_number(z)
    v = np.arctan2(a.imag, a.real) if iscomplexobj(a) else np.arctan2(0.0, a)
    return v * (180 / math.pi) if deg else v


def sinc(x):
    """np.sinc."""
    a = asarray_or_number(x)
    y = math.pi * np.where(a == 0, 1.0e-20, a)
    return np.sin(y) / y


def real(val):
    """np.real."""
    return asarray_or_number(val).real


def imag(val):
    """np.imag."""
    return asarray_or_number(val).imag


def iscomplex(x):
    """np.iscomplex."""
    return imag(x) != 0


def isreal(x):
    """np.isreal."""
    return imag(x) == 0


def isposinf(x):
    """np.isposinf."""
    return asarray_or_number(x) == math.inf


def isneginf(x):
    """np.isneginf."""
    return asarray_or_number(x) == -math.inf


def iscomplexobj(x):
    """np.iscomplexobj."""
    return isinstance(dtype_of(asarray_or_number(x)).type(0), (np.complex64, np.complex128))


def isrealobj(x):
    """np.isrealobj."""
    return not iscomplexobj(x)


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    """np.nan_to_num."""
    a = asarray_or_number(x)
    if isinstance(a, np.ndarray):
        if not is_float(a):
            return np.array(a) if copy else a
        out = np.array(a) if copy else a
        if is_complex(a):
            _replace(out.real, nan, posinf, neginf)
            _replace(out.imag, nan, posinf, neginf)
        else:
            _replace(out, nan, posinf, neginf)
        return out
    if isinstance(a, (int, bool)):
        return a
    out = np.empty(1, dtype_of(a))
    out[0] = a
    return nan_to_num(out, False, nan, posinf, neginf)[0]


def _replace(a, nan, posinf, neginf):
    most = np.finfo(a.dtype).max
    high = most if posinf is None else posinf
    low = -most if neginf is None else neginf
    t = a.dtype.type
    a[...] = np.where(
        np.isnan(a), t(nan), np.where(a == math.inf, t(high), np.where(a == -math.inf, t(low), a))
    )


def array_equal(a1, a2, equal_nan=False):
    """np.array_equal."""
    a, b = asarray(a1), asarray(a2)
    if a.ndim != b.ndim:
        return False
    if a.shape != b.shape:
        return False
    if equal_nan and is_float(a) and is_float(b):
        return bool(np.all((a == b) | (np.isnan(a) & np.isnan(b))))
    if a.ndim == 0:
        return bool(a[()] == b[()])
    return bool(np.all(a == b))


def array_equiv(a1, a2):
    """np.array_equiv: equal where broadcast."""
    a, b = asarray(a1), asarray(a2)
    if not are_broadcast(a.shape, b.shape):
        return False
    return bool(np.all(asarray(a == b)))


def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """np.allclose."""
    close = np.isclose(asarray_or_number(a), asarray_or_number(b), rtol, atol, equal_nan)
    return bool(np.all(asarray(close)))


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None):
    """np.logspace."""
    y = np.power(base, linspace(start, stop, num, endpoint))
    return y if dtype is None else y.astype(dtype)


def geomspace(start, stop, num=50, endpoint=True, dtype=None):
    """np.geomspace."""
    if start == 0 or stop == 0:
        raise ValueError("Geometric sequence cannot include zero")
    first, last = start * 1.0, stop * 1.0
    sign = -1.0 if first < 0 else 1.0
    out = logspace(math.log10(first * sign), math.log10(last * sign), num, endpoint)
    if num > 0:
        out[0] = first * sign
        if num > 1 and endpoint:
            out[num - 1] = last * sign
    out = out * sign
    return out if dtype is None else out.astype(dtype)


def polyval(p, x):
    """np.polyval: Horner's scheme."""
    coefficients = asarray(p)
    y = 0 * asarray_or_number(x)
    return _horner(coefficients, asarray_or_number(x), y * coefficients.dtype.type(1))


def _horner(p, x, y):
    for i in range(p.shape[0]):
        y = y * x + p[i]
    return y
