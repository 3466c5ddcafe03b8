"""Reductions: of all elements, or along axes.

A reduction along an axis is one function (`_into`) that goes through memory in its order: axes that
step wider than the reduced one are looped over outside; what is left is either a line, which is
reduced to a number, or rows, which are added up one by one.

`keep` is None or 1, not a bool: whether axes are kept is part of the type of the result.
"""

import math

import numpy as np

from whipsnake.prelude.axes import normal_axes
from whipsnake.prelude.creation import asarray
from whipsnake.prelude.intrinsics import (
    axis_first,
    axis_insert,
    contiguous,
    count_true,
    find_bool,
    is_contiguous,
    pairwise_sum,
    reshape,
)
from whipsnake.prelude.tuples import as_tuple, picked, product, repeats


# -- along axes -----------------------------------------------------------------------------------


def _into(b, r, line, rows):
    """r = b reduced along its first axis."""
    if r.ndim == 0:
        r[()] = line(b, r)
    elif abs(b.strides[0]) < abs(b.strides[1]):
        for i in range(r.shape[0]):
            _into(b[:, i], r[i, ...], line, rows)
    else:
        rows(b, r)


def _along(a, axis, dtype, keep, line, rows):
    """An array: `a` reduced along an axis or a tuple of them."""
    if isinstance(axis, tuple):
        axes = normal_axes(axis, a.ndim)
        if repeats(axes):
            raise ValueError("duplicate value in 'axis'")
        return _along_several(a, axes, dtype, keep, line, rows)
    b = axis_first(a, axis)
    r = np.empty(b.shape[1:], dtype)
    _into(b, r, line, rows)
    return r if keep is None else axis_insert(r, axis)


def _along_several(a, axes, dtype, keep, line, rows):
    if len(axes) == 0:
        return a.astype(dtype)
    r = _along(a, axes[0], dtype, keep, line, rows)
    if len(axes) == 1:
        return r
    rest = axes[1:] if keep is not None else _moved(axes[1:], axes[0])
    return _along_several(r, rest, dtype, keep, line, rows)


def _moved(axes, gone):
    """The axes, now that one is gone."""
    if len(axes) == 0:
        return ()
    return (axes[0] - 1 if axes[0] > gone else axes[0] + 0,) + _moved(axes[1:], gone)


def _count(a, axis):
    """How many elements go into one of the result."""
    if axis is None:
        return a.size
    return product(picked(a.shape, as_tuple(axis)))


def _value(r, out):
    """The result, in its place; without axes it is a number."""
    if out is not None:
        out[...] = r
        return out
    if isinstance(r, np.ndarray) and r.ndim == 0:
        return r[()]
    return r


def _whole(v, a, keep, dtype):
    """A number as the result; or as an array with as many axes as `a`."""
    if keep is None:
        return v
    r = np.empty((1,) * a.ndim, dtype)
    r[...] = v
    return r


def is_float(a):
    """Are the elements floats or complex numbers?"""
    return isinstance(_zero(a), (np.float16, np.float32, np.float64, np.complex64, np.complex128))


def _is_unsigned(a):
    return isinstance(_zero(a), (np.uint8, np.uint16, np.uint32, np.uint64))


def _sum_dtype(a):
    """What elements of `a` are added up in."""
    if is_float(a):
        return a.dtype
    return np.dtype(np.uint64) if _is_unsigned(a) else np.dtype(np.int64)


def _mean_dtype(a):
    return a.dtype if is_float(a) else np.dtype(np.float64)


def _masked(a, where, otherwise):
    """`a`, with another value where the mask is false."""
    return a if isinstance(where, bool) else np.where(where, a, a.dtype.type(otherwise))


# -- sums, products -------------------------------------------------------------------------------


def _sum_line(b, r):
    if is_contiguous(b):
        return np.sum(contiguous(b).astype(r.dtype))
    return np.sum(b.astype(r.dtype))


def _sum_rows(b, r):
    r[...] = 0
    for i in range(b.shape[0]):
        r += b[i].astype(r.dtype)


def sum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """np.sum: floats pairwise; integers as int64, or uint64 if unsigned."""
    a = asarray(a)
    keep = 1 if keepdims else None
    if axis is None and dtype is None and isinstance(where, bool):
        r = _whole(_sum_all(a), a, keep, _sum_dtype(a))
    else:
        r = _sum_along(
            _masked(a, where, 0), axis, _sum_dtype(a) if dtype is None else np.dtype(dtype), keep
        )
    return _value(r if initial is None else r + initial, out)


def _sum_along(a, axis, dtype, keep):
    if axis is None and a.dtype == dtype:
        return _whole(_sum_all(a), a, keep, dtype)
    if axis is None:
        return _whole(_sum_all(a.astype(dtype)), a, keep, dtype)
    return _along(a, axis, dtype, keep, _sum_line, _sum_rows)


def _prod_line(b, r):
    return np.prod(b.astype(r.dtype))


def _prod_rows(b, r):
    r[...] = 1
    for i in range(b.shape[0]):
        r *= b[i].astype(r.dtype)


def prod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """np.prod."""
    a = asarray(a)
    keep = 1 if keepdims else None
    if axis is None and dtype is None and isinstance(where, bool):
        r = _whole(_prod_all(a), a, keep, _sum_dtype(a))
    else:
        r = _prod_along(
            _masked(a, where, 1), axis, _sum_dtype(a) if dtype is None else np.dtype(dtype), keep
        )
    return _value(r if initial is None else r * initial, out)


def _prod_along(a, axis, dtype, keep):
    if axis is None:
        return _whole(_prod_all(a.astype(dtype)), a, keep, dtype)
    return _along(a, axis, dtype, keep, _prod_line, _prod_rows)


def mean(a, axis=None, dtype=None, out=None, keepdims=False, where=True):
    """np.mean."""
    a = asarray(a)
    keep = 1 if keepdims else None
    if not isinstance(where, bool):
        r = _sum_along(
            _masked(a, where, 0), axis, _mean_dtype(a) if dtype is None else np.dtype(dtype), keep
        )
        return _value(r / _number(_selected(a, where, axis, keep), r), out)
    if axis is None and dtype is None:
        return _value(_whole(_mean_all(a), a, keep, _mean_dtype(a)), out)
    r = _sum_along(a, axis, _mean_dtype(a) if dtype is None else np.dtype(dtype), keep)
    return _value(r / _count(a, axis), out)


def _selected(a, where, axis, keep):
    """How many elements go into each result."""
    return np.sum(np.broadcast_to(where, a.shape), axis, None, None, keep is not None)


def _square_sum(a, m):
    """The sum of the squared distances from m."""
    if isinstance(_zero(a), (np.complex64, np.complex128)):
        return np.sum(_squares(a - m))
    return np.sum(np.square(a - m))


def _squares(d):
    if isinstance(_zero(d), (np.complex64, np.complex128)):
        return d.real * d.real + d.imag * d.imag
    return d * d


def _var_line(b, r):
    m = np.mean(b)
    return _square_sum(b, m) if b.shape[0] > 0 else 0


def _var_rows(b, r):
    m = np.zeros(r.shape, _mean_dtype(b))
    for i in range(b.shape[0]):
        m += b[i]
    m /= b.shape[0]
    r[...] = 0
    for i in range(b.shape[0]):
        r += _squares(b[i] - m)


def _var_dtype(a):
    if isinstance(_zero(a), np.complex64):
        return np.dtype(np.float32)
    if isinstance(_zero(a), np.complex128):
        return np.dtype(np.float64)
    return _mean_dtype(a)


def _var(a, axis, ddof, keep, where):
    if not isinstance(where, bool):
        return _var_where(a, axis, ddof, keep, where)
    n = _count(a, axis)
    if axis is None:
        m = _mean_all(a)
        r = _whole(_square_sum(a, m), a, keep, _var_dtype(a))
    elif isinstance(axis, tuple):
        d = _squares(a - np.mean(a, axis, None, None, True))
        r = _along(d, axis, d.dtype, keep, _sum_line, _sum_rows)
    else:
        r = _along(a, axis, _var_dtype(a), keep, _var_line, _var_rows)
    free = n - ddof if n > ddof else n * 0
    return r / np.float64(free) if isinstance(r, float) else r / free


def _var_where(a, axis, ddof, keep, where):
    d = a - np.mean(a, axis, None, None, True, where)
    r = _sum_along(_masked(_squares(d), where, 0), axis, _var_dtype(a), keep)
    free = _selected(a, where, axis, keep) - ddof
    return r / _number(np.maximum(free, 0), r)


def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=True):
    """np.var."""
    a = asarray(a)
    keep = 1 if keepdims else None
    if dtype is not None:
        return _value(_var(a.astype(dtype), axis, ddof, keep, where), out)
    return _value(_var(a, axis, ddof, keep, where), out)


def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=True):
    """np.std."""
    a = asarray(a)
    keep = 1 if keepdims else None
    if dtype is not None:
        return _value(np.sqrt(_var(a.astype(dtype), axis, ddof, keep, where)), out)
    return _value(np.sqrt(_var(a, axis, ddof, keep, where)), out)


# -- extremes -------------------------------------------------------------------------------------


def _min_line(b, r):
    if is_contiguous(b):
        return np.min(contiguous(b))
    return np.min(b)


def _min_rows(b, r):
    if b.shape[0] == 0 and r.size > 0:
        raise ValueError("zero-size array to reduction operation minimum which has no identity")
    if r.size > 0:
        r[...] = b[0]
    for i in range(1, b.shape[0]):
        r[...] = np.minimum(r, b[i])


def min(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    """np.min; NaN wins."""
    a = asarray(a)
    keep = 1 if keepdims else None
    if not isinstance(where, bool):
        if initial is None:
            raise ValueError(
                "reduction operation 'minimum' does not have an identity, so to use a where mask "
                "one has to specify 'initial'"
            )
        return np.min(
            np.where(where, a, a.dtype.type(initial)), axis, out, keep is not None, initial
        )
    if axis is None:
        r = _whole(_min_all(a, initial), a, keep, a.dtype)
        return _value(r, out)
    r = _along(a, axis, a.dtype, keep, _min_line, _min_rows)
    return _value(r if initial is None else np.minimum(r, initial), out)


def _min_all(a, initial):
    if initial is not None:
        return np.minimum(_min(a), initial) if a.size > 0 else a.dtype.type(initial)
    if a.size == 0:
        raise ValueError("zero-size array to reduction operation minimum which has no identity")
    return _min(a)


def _max_line(b, r):
    if is_contiguous(b):
        return np.max(contiguous(b))
    return np.max(b)


def _max_rows(b, r):
    if b.shape[0] == 0 and r.size > 0:
        raise ValueError("zero-size array to reduction operation maximum which has no identity")
    if r.size > 0:
        r[...] = b[0]
    for i in range(1, b.shape[0]):
        r[...] = np.maximum(r, b[i])


def max(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    """np.max; NaN wins."""
    a = asarray(a)
    keep = 1 if keepdims else None
    if not isinstance(where, bool):
        if initial is None:
            raise ValueError(
                "reduction operation 'maximum' does not have an identity, so to use a where mask "
                "one has to specify 'initial'"
            )
        return np.max(
            np.where(where, a, a.dtype.type(initial)), axis, out, keep is not None, initial
        )
    if axis is None:
        r = _whole(_max_all(a, initial), a, keep, a.dtype)
        return _value(r, out)
    r = _along(a, axis, a.dtype, keep, _max_line, _max_rows)
    return _value(r if initial is None else np.maximum(r, initial), out)


def _max_all(a, initial):
    if initial is not None:
        return np.maximum(_max(a), initial) if a.size > 0 else a.dtype.type(initial)
    if a.size == 0:
        raise ValueError("zero-size array to reduction operation maximum which has no identity")
    return _max(a)


def ptp(a, axis=None, out=None, keepdims=False):
    """np.ptp: max - min."""
    a = asarray(a)
    return _value(np.max(a, axis, None, keepdims) - np.min(a, axis, None, keepdims), out)


def _lines(b, r, line):
    """r = b reduced along its first axis, line by line."""
    if r.ndim == 0 and is_contiguous(b):
        r[()] = line(contiguous(b))
    elif r.ndim == 0:
        r[()] = line(b)
    else:
        for i in range(r.shape[0]):
            _lines(b[:, i], r[i, ...], line)


def _positions(a, axis, keep, line):
    b = axis_first(a, axis)
    r = np.empty(b.shape[1:], np.int64)
    _lines(b, r, line)
    return r if keep is None else axis_insert(r, axis)


def argmin(a, axis=None, out=None, keepdims=False):
    """np.argmin: the first of equals; a NaN is the least."""
    a = asarray(a)
    keep = 1 if keepdims else None
    if axis is None:
        return _value(_whole(_argmin_all(a), a, keep, np.int64), out)
    return _value(_positions(a, axis, keep, _argmin_all), out)


def argmax(a, axis=None, out=None, keepdims=False):
    """np.argmax: the first of equals; a NaN is the greatest."""
    a = asarray(a)
    keep = 1 if keepdims else None
    if axis is None:
        return _value(_whole(_argmax_all(a), a, keep, np.int64), out)
    return _value(_positions(a, axis, keep, _argmax_all), out)


# -- truth ----------------------------------------------------------------------------------------


def _all_line(b, r):
    return _all_all(b)


def _all_rows(b, r):
    r[...] = True
    for i in range(b.shape[0]):
        r &= b[i] != 0


def all(a, axis=None, out=None, keepdims=False, where=True):
    """np.all."""
    a = asarray(a)
    keep = 1 if keepdims else None
    if not isinstance(where, bool):
        return np.all(np.where(where, a != 0, True), axis, out, keep is not None)
    if axis is None:
        return _value(_whole(_all_all(a), a, keep, np.bool_), out)
    return _value(_along(a, axis, np.bool_, keep, _all_line, _all_rows), out)


def _any_line(b, r):
    return _any_all(b)


def _any_rows(b, r):
    r[...] = False
    for i in range(b.shape[0]):
        r |= b[i] != 0


def any(a, axis=None, out=None, keepdims=False, where=True):
    """np.any."""
    a = asarray(a)
    keep = 1 if keepdims else None
    if not isinstance(where, bool):
        return np.any(np.where(where, a != 0, False), axis, out, keep is not None)
    if axis is None:
        return _value(_whole(_any_all(a), a, keep, np.bool_), out)
    return _value(_along(a, axis, np.bool_, keep, _any_line, _any_rows), out)


def count_nonzero(a, axis=None, keepdims=False):
    """np.count_nonzero."""
    a = asarray(a)
    keep = 1 if keepdims else None
    if axis is None:
        return _whole(_count_all(a), a, keep, np.int64)
    return _value(_along(a != 0, axis, np.int64, keep, _sum_line, _sum_rows), None)


# -- running sums and products --------------------------------------------------------------------


def _cumsum_lines(b, r):
    if b.ndim > 1:
        if abs(b.strides[0]) < abs(b.strides[1]):
            for i in range(b.shape[1]):
                _cumsum_lines(b[:, i], r[:, i])
            return
        if b.shape[0] > 0:
            r[0] = b[0]
        for i in range(1, b.shape[0]):
            r[i] = r[i - 1] + b[i].astype(r.dtype)
    else:
        total = r.dtype.type(0)
        for i in range(b.shape[0]):
            total = r.dtype.type(total + r.dtype.type(b[i]))
            r[i] = total


def cumsum(a, axis=None, dtype=None, out=None):
    """np.cumsum."""
    a = asarray(a)
    acc = _sum_dtype(a) if dtype is None else np.dtype(dtype)
    if axis is None:
        r = np.empty(a.size, acc)
        _cumsum_lines(a.ravel(), r)
        return _value(r, out)
    r = np.empty(a.shape, acc)
    _cumsum_lines(axis_first(a, axis), axis_first(r, axis))
    return _value(r, out)


def _cumprod_lines(b, r):
    if b.ndim > 1:
        if abs(b.strides[0]) < abs(b.strides[1]):
            for i in range(b.shape[1]):
                _cumprod_lines(b[:, i], r[:, i])
            return
        if b.shape[0] > 0:
            r[0] = b[0]
        for i in range(1, b.shape[0]):
            r[i] = r[i - 1] * b[i].astype(r.dtype)
    else:
        total = r.dtype.type(1)
        for i in range(b.shape[0]):
            total = r.dtype.type(total * r.dtype.type(b[i]))
            r[i] = total


def cumprod(a, axis=None, dtype=None, out=None):
    """np.cumprod."""
    a = asarray(a)
    acc = _sum_dtype(a) if dtype is None else np.dtype(dtype)
    if axis is None:
        r = np.empty(a.size, acc)
        _cumprod_lines(a.ravel(), r)
        return _value(r, out)
    r = np.empty(a.shape, acc)
    _cumprod_lines(axis_first(a, axis), axis_first(r, axis))
    return _value(r, out)


# -- without NaN ----------------------------------------------------------------------------------


def _without_nan(a, value):
    if is_float(a):
        return np.where(np.isnan(a), a.dtype.type(value), a)
    return a


def nansum(a, axis=None, dtype=None, out=None, keepdims=False):
    """np.nansum: NaN counts as 0."""
    a = asarray(a)
    return np.sum(_without_nan(a, 0), axis, dtype, out, keepdims)


def nanprod(a, axis=None, dtype=None, out=None, keepdims=False):
    """np.nanprod: NaN counts as 1."""
    a = asarray(a)
    return np.prod(_without_nan(a, 1), axis, dtype, out, keepdims)


def nanmean(a, axis=None, dtype=None, out=None, keepdims=False):
    """np.nanmean."""
    a = asarray(a)
    if not is_float(a):
        return np.mean(a, axis, dtype, out, keepdims)
    n = np.sum(~np.isnan(a), axis, None, None, keepdims)
    r = np.sum(_without_nan(a, 0), axis, dtype, None, keepdims)
    return _value(r / _number(n, r), out)


def _number(n, r):
    """A count as the divisor of sums `r`: int64 would make float64 of them."""
    return n.astype(r.dtype) if isinstance(n, np.ndarray) else n


def _check_any(a, axis, name):
    """There is an element for each result."""
    if a.size == 0 and _count(a, axis) == 0 and _others(a, axis) > 0:
        raise ValueError(f"zero-size array to reduction operation {name} which has no identity")


def _others(a, axis):
    """How many results there are."""
    n = 1
    if axis is None:
        return n
    for k in range(a.ndim):
        n *= 1 if _is_reduced(k, axis, a.ndim) else a.shape[k]
    return n


def _is_reduced(k, axis, ndim):
    if isinstance(axis, tuple):
        for x in axis:
            if x == k or x + ndim == k:
                return True
        return False
    return axis == k or axis + ndim == k


def nanmin(a, axis=None, out=None, keepdims=False):
    """np.nanmin."""
    a = asarray(a)
    if not is_float(a):
        return np.min(a, axis, out, keepdims)
    _check_any(a, axis, "fmin")
    r = np.min(_without_nan(a, math.inf), axis, None, keepdims)
    return _value(
        np.where(np.all(np.isnan(a), axis, None, keepdims), a.dtype.type(math.nan), r), out
    )


def nanmax(a, axis=None, out=None, keepdims=False):
    """np.nanmax."""
    a = asarray(a)
    if not is_float(a):
        return np.max(a, axis, out, keepdims)
    _check_any(a, axis, "fmax")
    r = np.max(_without_nan(a, -math.inf), axis, None, keepdims)
    return _value(
        np.where(np.all(np.isnan(a), axis, None, keepdims), a.dtype.type(math.nan), r), out
    )


def nanvar(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    """np.nanvar."""
    a = asarray(a)
    if not is_float(a):
        return np.var(a, axis, dtype, out, ddof, keepdims)
    return _value(_nanvar(a, axis, dtype, ddof, 1 if keepdims else None), out)


def nanstd(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    """np.nanstd."""
    a = asarray(a)
    if not is_float(a):
        return np.std(a, axis, dtype, out, ddof, keepdims)
    return _value(np.sqrt(_nanvar(a, axis, dtype, ddof, 1 if keepdims else None)), out)


def _nanvar(a, axis, dtype, ddof, keep):
    v = np.var(a, axis, dtype, None, ddof, keep is not None, ~np.isnan(a))
    n = np.sum(~np.isnan(a), axis, None, None, keep is not None)
    return np.where(n - ddof <= 0, type_of(v)(math.nan), v)


def type_of(v):
    """The type of a number, or of an array's elements."""
    return v.dtype.type if isinstance(v, np.ndarray) else type(v)


def nanargmin(a, axis=None, out=None, keepdims=False):
    """np.nanargmin."""
    a = asarray(a)
    _check_some(a, axis)
    return np.argmin(_without_nan(a, math.inf), axis, out, keepdims)


def nanargmax(a, axis=None, out=None, keepdims=False):
    """np.nanargmax."""
    a = asarray(a)
    _check_some(a, axis)
    return np.argmax(_without_nan(a, -math.inf), axis, out, keepdims)


def _check_some(a, axis):
    if is_float(a):
        if np.any(np.all(np.isnan(a), axis)):
            raise ValueError("All-NaN slice encountered")


def nancumsum(a, axis=None, dtype=None, out=None):
    """np.nancumsum: NaN counts as 0."""
    return cumsum(_without_nan(asarray(a), 0), axis, dtype, out)


def nancumprod(a, axis=None, dtype=None, out=None):
    """np.nancumprod: NaN counts as 1."""
    return cumprod(_without_nan(asarray(a), 1), axis, dtype, out)


# -- of all elements ------------------------------------------------------------------------------


def _sum_all(a):
    """np.sum over all elements: floats pairwise; integers as int64, or uint64 if unsigned."""
    if a.ndim == 0:
        return a[()] + _zero(a)
    if a.ndim > 1 and is_contiguous(a):
        return _sum(reshape(contiguous(a), a.size))
    return _sum(a)


def _zero(a):
    return a.dtype.type(0)


def _sum(a):
    if a.ndim > 1:
        total = _sum(a[0]) if a.shape[0] > 0 else _sum_empty(a)
        for i in range(1, a.shape[0]):
            total += _sum(a[i])
        return total
    if isinstance(_zero(a), (np.float32, np.float64, np.complex64, np.complex128)):
        return _zero(a) + pairwise_sum(a)  # -0.0 becomes 0.0, as in NumPy
    if isinstance(_zero(a), (np.uint8, np.uint16, np.uint32, np.uint64)):
        total = np.uint64(0)
        for i in range(a.shape[0]):
            total += np.uint64(a[i])
        return total
    count = 0
    for i in range(a.shape[0]):
        count += a[i]
    return count


def _sum_empty(a):
    return _sum(np.empty(0, a.dtype))


def _prod_all(a):
    """np.prod over all elements."""
    if a.ndim > 1:
        total = _one(a)
        for i in range(a.shape[0]):
            total *= _prod_all(a[i])
        return total
    total = _one(a)
    if a.ndim == 0:
        return total * a[()]
    for i in range(a.shape[0]):
        total *= a[i]
    return total


def _one(a):
    if isinstance(_zero(a), (np.uint8, np.uint16, np.uint32, np.uint64)):
        return np.uint64(1)
    if isinstance(_zero(a), (np.float32, np.float64, np.complex64, np.complex128)):
        return a.dtype.type(1)
    return 1


def _mean_all(a):
    """np.mean over all elements."""
    if isinstance(_zero(a), (np.float32, np.float64, np.complex64, np.complex128)):
        return _sum_all(a) / a.dtype.type(a.size) if a.size > 0 else a.dtype.type(math.nan)
    return _mean_of_ints(a)


def _mean_of_ints(a):
    if a.size == 0:
        return math.nan
    return _float_sum(a) / a.size


def _float_sum(a):
    total = 0.0
    if a.ndim > 1:
        for i in range(a.shape[0]):
            total += _float_sum(a[i])
    else:
        for i in range(a.shape[0]):
            total += a[i]
    return total


def _min(a):
    if a.ndim == 0:
        return a[()]
    if a.ndim > 1:
        best = _min(a[0])
        for i in range(1, a.shape[0]):
            v = _min(a[i])
            if v < best or v != v:
                best = v
        return best
    best = a[0]
    for i in range(1, a.shape[0]):
        v = a[i]
        best = v if v < best or v != v else best
    return best


def _max(a):
    if a.ndim == 0:
        return a[()]
    if a.ndim > 1:
        best = _max(a[0])
        for i in range(1, a.shape[0]):
            v = _max(a[i])
            if v > best or v != v:
                best = v
        return best
    best = a[0]
    for i in range(1, a.shape[0]):
        v = a[i]
        best = v if v > best or v != v else best
    return best


def _is_ordered(a):
    """Is the least element found by vector code?"""
    return isinstance(_zero(a), (int, np.float32, np.float64)) and not isinstance(_zero(a), bool)


# What is looked for in blocks, of which vector code tells whether it is there.
BLOCK = 128
# What stays in the cache nearest to the processor, between finding the best and finding its place.
CHUNK = 4096


def _place_in(a, v):
    """The first place of `v`, which is there; any NaN will do for a NaN."""
    if v != v:
        for i in range(a.shape[0]):
            if a[i] != a[i]:
                return i
    for start in range(0, a.shape[0], BLOCK):
        block = a[start : start + BLOCK]
        if np.count_nonzero(block == v) > 0:
            for i in range(block.shape[0]):
                if block[i] == v:
                    return start + i
    return 0


def _least_place(a):
    best = np.min(a[:CHUNK])
    at = 0
    for start in range(CHUNK, a.shape[0], CHUNK):
        v = np.min(a[start : start + CHUNK])
        if v < best or (v != v and best == best):
            best, at = v, start
    return at + _place_in(a[at : at + CHUNK], best)


def _greatest_place(a):
    best = np.max(a[:CHUNK])
    at = 0
    for start in range(CHUNK, a.shape[0], CHUNK):
        v = np.max(a[start : start + CHUNK])
        if v > best or (v != v and best == best):
            best, at = v, start
    return at + _place_in(a[at : at + CHUNK], best)


def _argmin_all(a):
    """np.argmin over the flattened array: the first of equals; a NaN is the least."""
    if a.size == 0:
        raise ValueError("attempt to get argmin of an empty sequence")
    if a.ndim == 1 and _is_ordered(a):
        return _least_place(a)
    return _argmin(a, 0)[1]


def _argmin(a, base):
    if a.ndim > 1:
        best, at = _argmin(a[0], base)
        for i in range(1, a.shape[0]):
            v, k = _argmin(a[i], base + i * a[0].size)
            if v < best or (v != v and best == best):
                best, at = v, k
        return best, at
    best = a[0]
    at = base
    for i in range(1, a.shape[0]):
        v = a[i]
        if v < best or (v != v and best == best):
            best = v
            at = base + i
    return best, at


def _argmax_all(a):
    """np.argmax over the flattened array: the first of equals; a NaN is the greatest."""
    if a.size == 0:
        raise ValueError("attempt to get argmax of an empty sequence")
    if a.ndim == 1 and _is_ordered(a):
        return _greatest_place(a)
    return _argmax(a, 0)[1]


def _argmax(a, base):
    if a.ndim > 1:
        best, at = _argmax(a[0], base)
        for i in range(1, a.shape[0]):
            v, k = _argmax(a[i], base + i * a[0].size)
            if v > best or (v != v and best == best):
                best, at = v, k
        return best, at
    best = a[0]
    at = base
    for i in range(1, a.shape[0]):
        v = a[i]
        if v > best or (v != v and best == best):
            best = v
            at = base + i
    return best, at


def _all_all(a):
    """np.all over all elements."""
    if a.ndim == 0:
        return bool(a[()])
    if isinstance(_zero(a), bool) and is_contiguous(a):
        return find_bool(reshape(contiguous(a), a.size), False) == a.size
    if a.ndim > 1:
        for i in range(a.shape[0]):
            if not _all_all(a[i]):
                return False
        return True
    for start in range(0, a.shape[0], BLOCK):
        block = a[start : start + BLOCK]
        if np.count_nonzero(block) < block.shape[0]:
            return False
    return True


def _any_all(a):
    """np.any over all elements."""
    if a.ndim == 0:
        return bool(a[()])
    if isinstance(_zero(a), bool) and is_contiguous(a):
        return find_bool(reshape(contiguous(a), a.size), True) < a.size
    if a.ndim > 1:
        for i in range(a.shape[0]):
            if _any_all(a[i]):
                return True
        return False
    for start in range(0, a.shape[0], BLOCK):
        if np.count_nonzero(a[start : start + BLOCK]) > 0:
            return True
    return False


def _count_all(a):
    """np.count_nonzero over all elements."""
    if a.ndim == 0:
        return 1 if a[()] else 0
    if isinstance(_zero(a), bool) and is_contiguous(a):
        return count_true(reshape(contiguous(a), a.size))
    n = 0
    if a.ndim > 1:
        for i in range(a.shape[0]):
            n += _count_all(a[i])
        return n
    for i in range(a.shape[0]):
        if a[i]:
            n += 1
    return n
