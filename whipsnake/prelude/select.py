"""Finding and taking elements by conditions and places."""

import numpy as np

from whipsnake.prelude.axes import broadcast_shapes, move, normal_axis, stretched
from whipsnake.prelude.creation import asarray, asarray_or_number
from whipsnake.prelude.intrinsics import (
    axis_first,
    common_dtype,
    count_true,
    refuse,
    reshape,
    true_places,
    with_item,
)
from whipsnake.prelude.places import check_mode, place_of
from whipsnake.prelude.tuples import counted, mapped


# -- where they are true --------------------------------------------------------------------------


def nonzero(a):
    """np.nonzero, np.where(condition): places along each axis."""
    x = asarray(a)
    if x.ndim == 0:
        refuse(
            "nonzero() of a number or an array without axes: use np.atleast_1d(a) to make one axis"
        )
    if x.ndim == 1:
        return (flatnonzero(x),)
    places = np.empty((np.count_nonzero(x), x.ndim), np.int64)
    _places(x, places, 0)
    return _columns(places, x.shape)


def _columns(places, shape):
    if len(shape) == 0:
        return ()
    return (places[:, 0],) + _columns(places[:, 1:], shape[1:])


def argwhere(a):
    """np.argwhere: one row for each true element."""
    x = asarray(a)
    if x.ndim == 1:
        return _column(flatnonzero(x))
    out = np.empty((np.count_nonzero(x), x.ndim), np.int64, "F")
    _places(x, out, 0)
    return out


def _column(places):
    return reshape(places, (places.shape[0], 1))


def _places(a, out, at):
    if a.ndim > 1:
        for i in range(a.shape[0]):
            stop = _places(a[i], out[:, 1:], at)
            for k in range(at, stop):
                out[k, 0] = i
            at = stop
    else:
        for i in range(a.shape[0]):
            if a[i]:
                out[at, 0] = i
                at += 1
    return at


def flatnonzero(a):
    """np.flatnonzero: where elements, in C order, are true."""
    flat = asarray(a).ravel()
    mask = flat if isinstance(flat.dtype.type(0), bool) else flat != 0
    n = count_true(mask)
    out = np.empty(n + 1, np.int64)
    true_places(mask, out)
    return out[:n]


# -- taking ---------------------------------------------------------------------------------------


def take(a, indices, axis=None, out=None, mode="raise"):
    """np.take."""
    x = asarray(a)
    check_mode(mode)
    if axis is None:
        r = _take(x.ravel(), indices, 0, mode)
    else:
        r = _take(x, indices, axis, mode)
    if out is None:
        return r
    out[...] = r
    return out


def _take(a, indices, axis, mode):
    b = axis_first(a, axis)
    if isinstance(indices, int):
        if b.shape[0] == 0:
            raise IndexError("cannot do a non-empty take from an empty axes.")
        return _one(b, place_of(indices, b.shape[0], mode, normal_axis(axis, a.ndim)))
    i = asarray(indices)
    if i.ndim == 1:
        return _take_line(a, i, axis, mode)
    if a.ndim == 1:
        return reshape(_take_line(a, i.ravel(), 0, mode), i.shape)
    r = reshape(_take_line(b, i.ravel(), 0, mode), i.shape + b.shape[1:])
    return np.ascontiguousarray(_moved(r, i.shape, normal_axis(axis, a.ndim)))


def _moved(r, shape, axis):
    """The axes of this shape stand in front; they go to where the one axis was."""
    return move(r, counted(shape, 0), counted(shape, axis))


def _one(b, i):
    if b.ndim == 1:
        return b[i]
    return np.array(b[i])


def _take_line(a, index, axis, mode):
    b = axis_first(a, axis)
    n, m = b.shape[0], index.shape[0]
    number = normal_axis(axis, a.ndim)
    if n == 0 and m > 0:
        raise IndexError("cannot do a non-empty take from an empty axes.")
    out = np.empty(with_item(a.shape, axis, m), a.dtype)
    _take_into(b, index, axis_first(out, axis), mode, number)
    return out


def _take_into(b, index, to, mode, number):
    """Line by line where lines step less than rows."""
    if b.ndim > 1:
        if abs(b.strides[0]) < abs(b.strides[1]):
            for k in range(b.shape[1]):
                _take_into(b[:, k], index, to[:, k], mode, number)
            return
    for i in range(index.shape[0]):
        to[i] = b[place_of(int(index[i]), b.shape[0], mode, number)]


def compress(condition, a, axis=None, out=None):
    """np.compress."""
    return take(a, flatnonzero(condition), axis, out)


def compress_of(a, condition, axis=None, out=None):
    """a.compress()."""
    return compress(condition, a, axis, out)


def extract(condition, arr):
    """np.extract."""
    return asarray(arr).ravel()[flatnonzero(condition)]


def choose(a, choices, out=None, mode="raise"):
    """np.choose: for each element the item of the choice of that number."""
    index = asarray(a)
    check_mode(mode)
    if isinstance(choices, tuple):
        arrays = mapped(asarray, choices)
        dtype = common_dtype(mapped(asarray_or_number, choices))
        r = np.empty(broadcast_shapes(*mapped(np.shape, arrays), index.shape), dtype)
        _choose(stretched(index, r.shape), arrays, mode, r)
    else:
        rows = asarray(choices)
        r = np.empty(broadcast_shapes(rows.shape[1:], index.shape), rows.dtype)
        _choose(stretched(index, r.shape), rows, mode, r)
    if out is not None:
        out[...] = r
        return out
    if r.ndim == 0:
        return r[()]
    return r


def _choose(index, choices, mode, out):
    n = len(choices)
    places = np.empty(index.shape, np.int64)
    flat, to = index.ravel(), places.ravel()
    for i in range(flat.shape[0]):
        k = int(flat[i])
        if mode == "raise" and not 0 <= k < n:
            raise ValueError("invalid entry in choice array")
        to[i] = place_of(k, n, mode, 0)
    k = 0
    for c in choices:
        out[...] = np.where(places == k, c, out)
        k += 1


def select(condlist, choicelist, default=0):
    """np.select: what the first true condition says."""
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if len(condlist) == 0:
        raise ValueError("select with an empty condition list is not possible")
    return _select(condlist, choicelist, default)


def _select(conditions, choices, default):
    if len(conditions) == 0:
        return default
    return np.where(conditions[0], choices[0], _select(conditions[1:], choices[1:], default))
