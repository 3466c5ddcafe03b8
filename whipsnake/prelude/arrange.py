"""Joining, repeating, inserting, removing, rolling."""

import numpy as np

from whipsnake.prelude.axes import (
    broadcast_shapes,
    normal_axes,
    normal_axis,
    one_axis,
    three_axes,
    two_axes,
)
from whipsnake.prelude.creation import asarray
from whipsnake.prelude.intrinsics import (
    axis_first,
    axis_insert,
    axis_part,
    common_dtype,
    layout,
    refuse,
    reshape,
    strided,
    with_item,
)
from whipsnake.prelude.tuples import (
    as_tuple,
    check_store,
    counted,
    interleaved,
    mapped,
    products,
    shape_text,
)


# -- joining --------------------------------------------------------------------------------------


def concatenate(arrays, axis=0, dtype=None):
    """np.concatenate of a tuple of arrays."""
    if axis is None:
        return _concatenate(mapped(_flat, arrays), 0, dtype)
    return _concatenate(mapped(asarray, arrays), axis, dtype)


def _flat(a):
    return asarray(a).ravel()


def _concatenate(arrays, axis, dtype):
    first = arrays[0]
    n = 0
    number = 0
    for a in arrays:
        _check_lengths(first, a, axis + first.ndim if axis < 0 else axis, number)
        n += axis_first(a, axis).shape[0]
        number += 1
    out = np.empty(
        with_item(first.shape, axis, n), common_dtype(arrays) if dtype is None else dtype
    )
    at = 0
    for a in arrays:
        length = axis_first(a, axis).shape[0]
        axis_part(out, axis, at, at + length)[...] = a
        at += length
    return out


def _check_lengths(first, a, axis, number):
    """There are as many axes, and all but the one that is joined are of one length."""
    if a.ndim != first.ndim:
        raise ValueError(
            "all the input arrays must have same number of dimensions, but the array at index 0 "
            f"has {first.ndim} dimension(s) and the array at index {number} has {a.ndim} "
            "dimension(s)"
        )
    for k in range(first.ndim):
        x, y = axis_first(first, k).shape[0], axis_first(a, k).shape[0]
        if k != axis and x != y:
            raise ValueError(
                "all the input array dimensions except for the concatenation axis must match "
                f"exactly, but along dimension {k}, the array at index 0 has size {x} and the "
                f"array at index {number} has size {y}"
            )


def stack(arrays, axis=0, dtype=None):
    """np.stack."""
    return _stack(mapped(asarray, arrays), axis, dtype)


def _stack(arrays, axis, dtype):
    probe = axis_insert(arrays[0], axis)
    out = np.empty(
        with_item(probe.shape, axis, len(arrays)),
        common_dtype(arrays) if dtype is None else dtype,
    )
    to = axis_first(out, axis)
    i = 0
    for a in arrays:
        if a.shape != arrays[0].shape:
            raise ValueError("all input arrays must have the same shape")
        to[i, ...] = a
        i += 1
    return out


def stacked(items, dtype):
    """np.array of a tuple with arrays in it."""
    return _stack(mapped(asarray, items), 0, dtype)


def vstack(tup, dtype=None):
    """np.vstack: one below the other."""
    return _concatenate(mapped(two_axes, tup), 0, dtype)


def hstack(tup, dtype=None):
    """np.hstack: side by side."""
    arrays = mapped(one_axis, tup)
    return _concatenate(arrays, 0 if arrays[0].ndim == 1 else 1, dtype)


def dstack(tup):
    """np.dstack: along the third axis."""
    return _concatenate(mapped(three_axes, tup), 2, None)


def column_stack(tup):
    """np.column_stack: arrays with one axis are columns."""
    return _concatenate(mapped(_columns, tup), 1, None)


def _columns(x):
    a = asarray(x)
    if a.ndim == 0:
        return reshape(a, (1, 1))
    return a[:, None] if a.ndim == 1 else a


def append(arr, values, axis=None):
    """np.append."""
    a, b = asarray(arr), asarray(values)
    if axis is None:
        return _concatenate((a.ravel(), b.ravel()), 0, None)
    return _concatenate((a, b), axis, None)


# -- repeating ------------------------------------------------------------------------------------


def tile(A, reps):
    """np.tile."""
    a = asarray(A)
    times = as_tuple(reps)
    n = a.ndim if a.ndim > len(times) else len(times)
    shape = (1,) * (n - a.ndim) + a.shape
    strides = (0,) * (n - a.ndim) + a.strides
    times = (1,) * (n - len(times)) + times
    parts = np.empty(interleaved(times, shape), a.dtype)
    parts[...] = strided(a, interleaved(times, shape), interleaved((0,) * n, strides))
    return reshape(parts, products(times, shape))


def repeat(a, repeats, axis=None):
    """np.repeat."""
    x = asarray(a)
    if axis is None:
        return _repeat(x.ravel(), repeats, 0)
    return _repeat(x, repeats, axis)


def _repeat(a, repeats, axis):
    b = axis_first(a, axis)
    times = np.atleast_1d(asarray(repeats))
    n = b.shape[0]
    step = 0 if times.shape[0] == 1 else 1
    if step == 1 and times.shape[0] != n:
        raise ValueError(
            "operands could not be broadcast together with shape "
            f"{shape_text((n,))} {shape_text(times.shape)}"
        )
    total = 0
    for i in range(n):
        if times[i * step] < 0:
            raise ValueError("repeats may not contain negative values.")
        total += times[i * step]
    out = np.empty(with_item(a.shape, axis, total), a.dtype)
    to = axis_first(out, axis)
    at = 0
    for i in range(n):
        for _ in range(times[i * step]):
            to[at] = b[i]
            at += 1
    return out


def resize(a, new_shape):
    """np.resize: the elements again and again."""
    x = asarray(a)
    out = np.empty(new_shape, x.dtype)
    to, flat = reshape(out, out.size), x.ravel()
    if flat.shape[0] == 0:
        to[...] = 0
        return out
    start = 0
    while start < to.shape[0]:
        n = min(flat.shape[0], to.shape[0] - start)
        to[start : start + n] = flat[:n]
        start += n
    return out


# -- inserting, removing --------------------------------------------------------------------------


def delete(arr, obj, axis=None):
    """np.delete: without what `obj` (an integer, a slice, an index array or a mask) says."""
    a = asarray(arr)
    if axis is None:
        return _delete(a.ravel(), _one_place(obj), 0)
    return _delete(a, _one_place(obj), axis)


def _one_place(obj):
    """A place, or several; an array without axes is one."""
    if isinstance(obj, np.ndarray) and obj.ndim == 0:
        return obj[()]
    return obj


def _delete(a, obj, axis):
    b = axis_first(a, axis)
    n = b.shape[0]
    if isinstance(obj, tuple) and len(obj) == 0:
        return np.array(a)
    keep = np.ones(n, np.bool_)
    if isinstance(obj, bool):
        raise ValueError(_no_mask("delete", n))
    if isinstance(obj, int) and not -n <= obj < n:
        raise IndexError(
            f"index {obj} is out of bounds for axis {normal_axis(axis, a.ndim)} with size {n}"
        )
    if isinstance(obj, (np.ndarray, tuple)):
        places = asarray(obj)
        if isinstance(places.dtype.type(0), bool) and places.size != n:
            raise ValueError(_no_mask("delete", n))
        keep[places] = False
    else:
        keep[obj] = False
    out = _new(a, axis, np.count_nonzero(keep))
    _spread(b, keep, axis_first(out, axis))
    return out


def _no_mask(name, n):
    return (
        f"boolean array argument obj to {name} must be one dimensional and match the axis length "
        f"of {n}"
    )


def _new(a, axis, n):
    """An array like `a`, but of length n along an axis."""
    order = "F" if layout(a) == "F" else "C"
    return np.empty(with_item(a.shape, axis, n), a.dtype, order)


def _spread(b, keep, to):
    """The items of `b` that are kept, one after the other."""
    at = 0
    for i in range(b.shape[0]):
        if keep[i]:
            to[at] = b[i]
            at += 1


def insert(arr, obj, values, axis=None):
    """np.insert: before one place several values, or before each of several."""
    a = asarray(arr)
    if axis is None:
        return _insert(a.ravel(), _one_place(obj), asarray(values), 0)
    return _insert(a, _one_place(obj), asarray(values), normal_axis(axis, a.ndim))


def _insert(a, obj, values, axis):
    v = _with_axes(values, a)
    n = axis_first(a, axis).shape[0]
    if isinstance(obj, int):
        if not -n <= obj <= n:
            raise IndexError(f"index {obj} is out of bounds for axis {axis} with size {n}")
        return _insert_block(a, obj, np.moveaxis(v, 0, axis), axis)
    places = _places(obj, n)
    if places.shape[0] == 1:
        at = places[0]
        if not -n <= at <= n:
            raise IndexError(f"index [{at}] is out of bounds for axis {axis} with size {n}")
        return _insert_block(a, at, v, axis)
    return _insert_each(a, places, values, axis)


def _with_axes(v, a):
    """`v` with as many axes as `a` has, at least."""
    if v.ndim >= a.ndim:
        return v
    return np.reshape(v, (1,) * (a.ndim - v.ndim) + v.shape)


def _places(obj, n):
    """The places as an array that is ours."""
    if isinstance(obj, slice):
        return np.arange(n)[obj].copy()
    if isinstance(obj, tuple) and len(obj) == 0:
        return np.empty(0, np.int64)
    places = asarray(obj)
    if places.ndim != 1:
        refuse("index array argument obj to insert must be one dimensional or scalar")
    if isinstance(places.dtype.type(0), bool):
        return np.flatnonzero(places)
    return places.astype(np.int64)


def _insert_block(a, at, values, axis):
    """All values before one place."""
    n, count = axis_first(a, axis).shape[0], axis_first(values, axis).shape[0]
    k = at + n if at < 0 else at + 0
    out = _new(a, axis, n + count)
    axis_part(out, axis, 0, k)[...] = axis_part(a, axis, 0, k)
    axis_part(out, axis, k, k + count)[...] = values
    axis_part(out, axis, k + count, n + count)[...] = axis_part(a, axis, k, n)
    return out


def _insert_each(a, places, values, axis):
    """One item before each of several places, those of equal places in their order."""
    n = axis_first(a, axis).shape[0]
    m = places.shape[0]
    for i in range(m):
        places[i] += n if places[i] < 0 else 0
    order = np.argsort(places)
    old = np.ones(n + m, np.bool_)
    for i in range(m):
        at = places[order[i]] + i
        if not -n - m <= at < n + m:
            raise IndexError(f"index {at} is out of bounds for axis {axis} with size {n + m}")
        at += n + m if at < 0 else 0
        places[order[i]] = at
        old[at] = False
    out, new = _new(a, axis, n + m), np.empty(with_item(a.shape, axis, m), a.dtype)
    check_store(values.shape, new.shape)
    new[...] = values
    to, b, more = axis_first(out, axis), axis_first(a, axis), axis_first(new, axis)
    if np.count_nonzero(old) != n:  # two of them are one place
        check_store(a.shape, with_item(a.shape, axis, np.count_nonzero(old)))
    k = 0
    for i in range(n + m):
        if old[i]:
            to[i] = b[k]
            k += 1
    for i in range(m):
        to[places[i]] = more[i]
    return out


# -- rolling --------------------------------------------------------------------------------------


def roll(a, shift, axis=None):
    """np.roll."""
    x = asarray(a)
    if axis is None:
        out = np.empty(x.size, x.dtype)
        _roll(x.ravel(), out, _total(0, as_tuple(shift), (0,)), 0)
        return reshape(out, x.shape)
    out = np.empty(x.shape, x.dtype, "F" if layout(x) == "F" else "C")
    if isinstance(axis, tuple) or isinstance(shift, tuple):
        shifts, axes = as_tuple(shift), normal_axes(axis, x.ndim)
        broadcast_shapes(len(shifts), len(axes))
        _roll_all(x, out, mapped(_total, counted(x.shape, 0), shifts, axes), 0)
    else:
        _roll(x, out, shift, axis)
    return out


def _total(k, shifts, axes):
    """How far axis k is rolled in all; a single shift is meant for all axes that are named."""
    total = 0
    for i in range(max(len(shifts), len(axes))):
        if axes[i if len(axes) > 1 else 0] == k:
            total += shifts[i if len(shifts) > 1 else 0]
    return total


def _roll(a, out, shift, axis):
    n = axis_first(a, axis).shape[0]
    if n > 0:
        k = shift % n
        axis_part(out, axis, k, n)[...] = axis_part(a, axis, 0, n - k)
        axis_part(out, axis, 0, k)[...] = axis_part(a, axis, n - k, n)


def _roll_all(a, out, shifts, axis):
    """Along this axis and those behind it, block by block."""
    if axis == len(shifts):
        out[...] = a
        return
    n = axis_first(a, axis).shape[0]
    k = shifts[axis] % n if n > 0 else 0
    _roll_all(axis_part(a, axis, 0, n - k), axis_part(out, axis, k, n), shifts, axis + 1)
    if k > 0:
        _roll_all(axis_part(a, axis, n - k, n), axis_part(out, axis, 0, k), shifts, axis + 1)


# -- differences, products ------------------------------------------------------------------------


def diff(a, n=1, axis=-1, prepend=None, append=None):
    """np.diff."""
    x = asarray(a)
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n}")
    if prepend is not None or append is not None:
        return _diff(_extended(x, axis, prepend, append), n, axis)
    return _diff(x, n, axis)


def _extended(a, axis, before, behind):
    if before is None:
        return _concatenate((a, _part(behind, a, axis)), axis, None)
    if behind is None:
        return _concatenate((_part(before, a, axis), a), axis, None)
    return _concatenate((_part(before, a, axis), a, _part(behind, a, axis)), axis, None)


def _part(v, a, axis):
    """A number as one more item of this axis."""
    x = asarray(v)
    if x.ndim > 0:
        return x
    out = np.empty(with_item(a.shape, axis, 1), x.dtype)
    out[...] = x
    return out


def _diff(a, n, axis):
    if n == 0:
        return np.array(a)
    out = _diff_once(a, axis)
    for _ in range(1, n):
        out = _diff_once(out, axis)
    return out


def _diff_once(a, axis):
    n = axis_first(a, axis).shape[0]
    out = np.empty(with_item(a.shape, axis, max(n - 1, 0)), a.dtype)
    if n == 0:
        return out
    low, high = axis_part(a, axis, 0, n - 1), axis_part(a, axis, 1, n)
    if isinstance(a.dtype.type(0), bool):
        out[...] = high != low
    else:
        out[...] = high - low
    return out


def ediff1d(ary, to_end=None, to_begin=None):
    """np.ediff1d."""
    d = _diff_once(asarray(ary).ravel(), 0)
    if to_end is None and to_begin is None:
        return d
    if to_begin is None:
        return _concatenate((d, _flat(to_end)), 0, d.dtype)
    if to_end is None:
        return _concatenate((_flat(to_begin), d), 0, d.dtype)
    return _concatenate((_flat(to_begin), d, _flat(to_end)), 0, d.dtype)


def outer(a, b):
    """np.outer: all products."""
    return asarray(a).ravel()[:, None] * asarray(b).ravel()[None, :]


def kron(a, b):
    """np.kron."""
    x, y = asarray(a), asarray(b)
    if x.ndim == 0 and y.ndim == 0:
        return x[()] * y[()]
    n = x.ndim if x.ndim > y.ndim else y.ndim
    ones = (1,) * n
    s, t = (1,) * (n - x.ndim) + x.shape, (1,) * (n - y.ndim) + y.shape
    p = np.reshape(x, interleaved(s, ones))
    q = np.reshape(y, interleaved(ones, t))
    return reshape(np.ascontiguousarray(p * q), products(s, t))
