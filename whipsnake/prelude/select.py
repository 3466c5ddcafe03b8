"""Taking, finding and replacing elements by conditions and places."""

import numpy as np

from whipsnake.prelude.axes import move, normal_axis
from whipsnake.prelude.creation import asarray
from whipsnake.prelude.intrinsics import (
    axis_first,
    common_dtype,
    contiguous,
    count_true,
    is_contiguous,
    refuse,
    reshape,
    strided,
    true_places,
    with_item,
)
from whipsnake.prelude.tuples import counted


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
        return _one(b, _place(indices, b.shape[0], mode, normal_axis(axis, a.ndim)))
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


def _place(i, n, mode, axis):
    if mode == "wrap":
        return i % n
    if mode == "clip":
        return min(max(i, 0), n - 1)
    if not -n <= i < n:
        raise IndexError(f"index {i} is out of bounds for axis {axis} with size {n}")
    return i + n if i < 0 else i


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
        to[i] = b[_place(int(index[i]), b.shape[0], mode, number)]


def take_along_axis(arr, indices, axis=-1):
    """np.take_along_axis."""
    a = asarray(arr)
    if axis is None:
        return a.ravel()[indices]
    b, i = axis_first(a, axis), axis_first(indices, axis)
    out = np.empty(with_item(a.shape, axis, i.shape[0]), a.dtype)
    _along(b, i, axis_first(out, axis))
    return out


def _along(b, index, out):
    if b.ndim > 1:
        for k in range(b.shape[1]):
            _along(b[:, k], index[:, k], out[:, k])
    else:
        for i in range(index.shape[0]):
            out[i] = b[index[i]]


def compress(condition, a, axis=None, out=None):
    """np.compress."""
    return take(a, flatnonzero(condition), axis, out)


def compress_of(a, condition, axis=None, out=None):
    """a.compress()."""
    return compress(condition, a, axis, out)


def extract(condition, arr):
    """np.extract."""
    return asarray(arr).ravel()[flatnonzero(condition)]


def choose(a, choices):
    """np.choose: for each element the item of the choice of that number."""
    index = asarray(a)
    out = np.empty(index.shape, common_dtype(choices))
    n = len(choices)
    flat = index.ravel()
    for i in range(flat.shape[0]):
        if not 0 <= flat[i] < n:
            raise ValueError("invalid entry in choice array")
    k = 0
    for c in choices:
        out[...] = np.where(index == k, c, out)
        k += 1
    return out


def select(condlist, choicelist, default=0):
    """np.select: what the first true condition says."""
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    return _select(condlist, choicelist, default)


def _select(conditions, choices, default):
    if len(conditions) == 0:
        return default
    return np.where(conditions[0], choices[0], _select(conditions[1:], choices[1:], default))


# -- replacing ------------------------------------------------------------------------------------


def place(arr, mask, vals):
    """np.place: values one after the other, again from the start, where the mask is true."""
    values, where = asarray(vals).ravel(), asarray(mask).ravel()
    if values.shape[0] == 0:
        if np.any(where):
            raise ValueError("Cannot insert from an empty array!")
        return
    k = 0
    flat = _flat_view(arr)
    for i in range(where.shape[0]):
        if where[i]:
            flat[i] = values[k % values.shape[0]]
            k += 1
    _write_back(arr, flat)


def putmask(a, mask, values):
    """np.putmask: where the mask is true, the value at the same place."""
    v, where = asarray(values).ravel(), asarray(mask).ravel()
    flat = _flat_view(a)
    for i in range(where.shape[0]):
        if where[i]:
            flat[i] = v[i % v.shape[0]]
    _write_back(a, flat)


def put(a, ind, v, mode="raise"):
    """np.put: into places in C order."""
    values, index = asarray(v).ravel(), asarray(ind).ravel()
    flat = _flat_view(a)
    for i in range(index.shape[0]):
        flat[_place(int(index[i]), flat.shape[0], mode, 0)] = values[i % values.shape[0]]
    _write_back(a, flat)


def _flat_view(a):
    """The elements in C order: the memory of `a`, or a copy."""
    return a.ravel()


def _write_back(a, flat):
    """What was written to a copy."""
    if not is_contiguous(a):
        a[...] = reshape(contiguous(flat), a.shape)


def copyto(dst, src, casting="same_kind", where=True):
    """np.copyto."""
    if isinstance(where, bool):
        if where:
            dst[...] = src
    else:
        dst[...] = np.where(where, src, dst).astype(dst.dtype)


def fill_diagonal(a, val, wrap=False):
    """np.fill_diagonal."""
    if a.ndim < 2:
        raise ValueError("array must be at least 2-d")
    for k in range(1, a.ndim):
        if a.ndim > 2 and a.shape[k] != a.shape[0]:
            raise ValueError("All dimensions of input must be of equal length")
    n = min(a.shape)
    if a.ndim == 2 and wrap and a.shape[0] > a.shape[1]:
        _fill_wrapped(a, asarray(val).ravel())
        return
    _fill(strided(a, (n,), (sum(a.strides),)), asarray(val).ravel())


def _fill(line, values):
    for i in range(line.shape[0]):
        line[i] = values[i % values.shape[0]]


def _fill_wrapped(a, values):
    k = 0
    step = a.shape[1] + 1
    for at in range(0, a.size, step):
        a[at // a.shape[1], at % a.shape[1]] = values[k % values.shape[0]]
        k += 1
