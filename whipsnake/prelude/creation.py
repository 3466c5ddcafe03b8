"""New arrays."""

import math

import numpy as np

from whipsnake.prelude.intrinsics import copy_items, dtype_of, layout


def zeros(shape, dtype=np.float64, order="C"):
    """np.zeros."""
    out = np.empty(shape, dtype, order)
    out[...] = 0
    return out


def ones(shape, dtype=np.float64, order="C"):
    """np.ones."""
    out = np.empty(shape, dtype, order)
    out[...] = 1
    return out


def full(shape, fill_value, dtype=None, order="C"):
    """np.full."""
    out = np.empty(shape, dtype_of(fill_value) if dtype is None else dtype, order)
    out[...] = fill_value
    return out


def empty_like(prototype, dtype=None):
    """np.empty_like: the order of F arrays is kept."""
    return np.empty(
        prototype.shape,
        prototype.dtype if dtype is None else dtype,
        "F" if layout(prototype) == "F" else "C",
    )


def zeros_like(a, dtype=None):
    """np.zeros_like."""
    out = empty_like(a, dtype)
    out[...] = 0
    return out


def ones_like(a, dtype=None):
    """np.ones_like."""
    out = empty_like(a, dtype)
    out[...] = 1
    return out


def full_like(a, fill_value, dtype=None):
    """np.full_like."""
    out = empty_like(a, dtype)
    out[...] = fill_value
    return out


def copy(a, order="C"):
    """a.copy(): in C order unless asked otherwise."""
    out = np.empty(a.shape, a.dtype, order)
    if layout(a) == "C" and order == "C":
        copy_items(out, a)
    else:
        out[...] = a
    return out


def copy_like(a):
    """np.copy(a): F arrays stay F."""
    # made right here, so that it is known not to overlap with `a`
    out = np.empty(a.shape, a.dtype, "F" if layout(a) == "F" else "C")
    if layout(a) != "A":
        copy_items(out, a)
    else:
        out[...] = a
    return out


def _arange_length(start, stop, step):
    if step == 0:
        raise ZeroDivisionError("division by zero")
    n = math.ceil((stop - start) / step)
    return max(n, 0)


def _arange_int_length(start, stop, step):
    if step == 0:
        raise ZeroDivisionError("division by zero")
    return len(range(start, stop, step))


def arange(start, stop=None, step=1, dtype=None):
    """np.arange: integers give int64, anything else float64, unless dtype says otherwise."""
    if stop is None:
        return _arange(0, start, step, dtype)
    return _arange(start, stop, step, dtype)


def _arange(start, stop, step, dtype):
    if isinstance(start, int) and isinstance(stop, int) and isinstance(step, int):
        n = _arange_int_length(start, stop, step)
        out = np.empty(n, np.int64 if dtype is None else dtype)
        for i in range(n):
            out[i] = start + i * step
    else:
        n = _arange_length(start, stop, step)
        out = np.empty(n, np.float64 if dtype is None else dtype)
        delta = (start + step) - start
        for i in range(n):
            out[i] = start + i * delta
    return out


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None):
    """np.linspace; complex too. Integers are rounded down."""
    out = _linspace(start, stop, num, endpoint)
    values = out if dtype is None else _as_dtype(out, dtype)
    if retstep:
        div = num - 1 if endpoint else num
        return values, (stop * 1.0 - start * 1.0) / div if div > 0 else math.nan
    return values


def _as_dtype(a, dtype):
    if isinstance(np.dtype(dtype).type(0), int):
        return np.floor(a).astype(dtype)
    return a.astype(dtype)


def _linspace(start, stop, num, endpoint):
    if num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    if isinstance(start, complex) or isinstance(stop, complex):
        out = np.empty(num, np.complex128)
    else:
        out = np.empty(num, np.float64)
    first = start * 1.0
    delta = stop * 1.0 - first
    div = num - 1 if endpoint else num
    if div > 0:
        step = delta / div
        if step == 0:
            for i in range(num):
                out[i] = i / div * delta + first
        else:
            for i in range(num):
                out[i] = i * step + first
        if endpoint and num > 1:
            out[num - 1] = stop
    else:
        for i in range(num):
            out[i] = i * delta + first
    return out


def eye(N, M=None, k=0, dtype=np.float64):
    """np.eye."""
    cols = N if M is None else M
    out = zeros((N, cols), dtype)
    for i in range(N):
        if 0 <= i + k < cols:
            out[i, i + k] = 1
    return out


def identity(n, dtype=np.float64):
    """np.identity."""
    return eye(n, None, 0, dtype)


def asarray(a, dtype=None):
    """np.asarray: `a` itself where it is an array of that dtype."""
    if isinstance(a, np.ndarray):
        if dtype is None or a.dtype == dtype:
            return a
    return np.array(a, dtype)


def asarray_or_number(x):
    """A tuple as an array."""
    return asarray(x) if isinstance(x, tuple) else x
