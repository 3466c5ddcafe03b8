"""Places in arrays: from flat ones to one for each axis and back."""

import numpy as np

from whipsnake.prelude.axes import broadcast_shapes, normal_axis, stretched
from whipsnake.prelude.creation import asarray
from whipsnake.prelude.intrinsics import (
    axis_first,
    contiguous,
    is_contiguous,
    reshape,
    with_item,
)
from whipsnake.prelude.tuples import as_tuple, check_store, inserted, product, shape_text


def unravel_index(indices, shape):
    """np.unravel_index, in C order: a tuple of numbers, or of arrays."""
    to = as_tuple(shape)
    if isinstance(indices, (np.ndarray, tuple)):
        flat = asarray(indices)
        _check(flat.ravel(), product(to))
        return _unravel_all(flat, to)
    _check_one(indices, product(to))
    return _unravel(indices, to)


def _check_one(i, n):
    if not 0 <= i < n:
        raise ValueError(f"index {i} is out of bounds for array with size {n}")


def _check(flat, n):
    for i in range(flat.shape[0]):
        _check_one(flat[i], n)


def _unravel(i, shape):
    if len(shape) == 0:
        return ()
    n = product(shape[1:])
    return (i // n,) + _unravel(i % n, shape[1:])


def _unravel_all(i, shape):
    if len(shape) == 0:
        return ()
    n = product(shape[1:])
    return (i // n,) + _unravel_all(i % n, shape[1:])


def ravel_multi_index(multi_index, dims, mode="raise"):
    """np.ravel_multi_index, in C order."""
    return _ravel(multi_index, dims, mode)


def _ravel(places, dims, mode):
    if len(places) == 1:
        return _place(places[0], dims[0], mode)
    return _place(places[0], dims[0], mode) * product(dims[1:]) + _ravel(places[1:], dims[1:], mode)


def _place(i, n, mode):
    if mode == "wrap":
        return i % n
    if mode == "clip":
        return np.clip(i, 0, n - 1)
    if np.any(asarray((asarray(i) < 0) | (asarray(i) >= n))):
        raise ValueError("invalid entry in coordinates array")
    return i + 0


def ix_(*args):
    """np.ix_: each sequence along an axis of its own."""
    return _open(args, (1,) * len(args))


def _open(args, ones):
    if len(args) == 0:
        return ()
    a = _as_index(asarray(args[0]))
    shape = ones[: len(ones) - len(args)] + (a.shape[0],) + ones[: len(args) - 1]
    return (reshape(np.ascontiguousarray(a), shape),) + _open(args[1:], ones)


def _as_index(a):
    return np.flatnonzero(a) if isinstance(a.dtype.type(0), bool) else a


def trim_zeros(filt, trim="fb"):
    """np.trim_zeros of an array with one axis."""
    a = asarray(filt)
    first, last = 0, a.shape[0]
    if "f" in trim or "F" in trim:
        while first < last and a[first] == 0:
            first += 1
    if "b" in trim or "B" in trim:
        while last > first and a[last - 1] == 0:
            last -= 1
    return a[first:last]


# -- one place of many ----------------------------------------------------------------------------


def check_mode(mode):
    """What is done with places outside."""
    if mode != "raise" and mode != "wrap" and mode != "clip":
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got '{mode}')")


def place_of(i, n, mode, axis):
    """A place among n > 0, from 0 on."""
    if mode == "wrap":
        return i % n
    if mode == "clip":
        return min(max(i, 0), n - 1)
    if not -n <= i < n:
        raise IndexError(f"index {i} is out of bounds for axis {axis} with size {n}")
    return i + n if i < 0 else i


# -- along an axis --------------------------------------------------------------------------------


def take_along_axis(arr, indices, axis=-1):
    """np.take_along_axis."""
    a = asarray(arr)
    index = _places_along(indices, axis is None)
    if axis is None:
        return _take_along(a.ravel(), index, 0)
    return _take_along(a, index, axis)


def put_along_axis(arr, indices, values, axis):
    """np.put_along_axis."""
    index = _places_along(indices, axis is None)
    if axis is None:
        flat = arr.ravel()
        _put_along(flat, index, asarray(values), 0)
        if not is_contiguous(arr):
            arr[...] = reshape(contiguous(flat), arr.shape)
    else:
        _put_along(arr, index, asarray(values), axis)


def _places_along(indices, flat):
    index = asarray(indices)
    if isinstance(index.dtype.type(0), bool) or not isinstance(index.dtype.type(0), int):
        raise IndexError("`indices` must be an integer array")
    if flat and index.ndim != 1:
        raise ValueError("when axis=None, `indices` must have a single dimension.")
    return index


def _pair(a, index, axis):
    """Both with the axis in front and the others of one length."""
    if a.ndim != index.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    b, i = axis_first(a, axis), axis_first(index, axis)
    for k in range(1, a.ndim):
        if b.shape[k] != i.shape[k] and b.shape[k] != 1 and i.shape[k] != 1:
            raise IndexError(_mismatch(a.shape, index.shape, normal_axis(axis, a.ndim)))
    shape = broadcast_shapes(b.shape[1:], i.shape[1:])
    return stretched(b, b.shape[:1] + shape), stretched(i, i.shape[:1] + shape)


def _mismatch(shape, index, axis):
    text = "shape mismatch: indexing arrays could not be broadcast together with shapes "
    for k in range(len(shape)):
        other = with_item((1,) * len(shape), k, shape[k])
        text = text + shape_text(index if k == axis else other) + " "
    return text


def _take_along(a, index, axis):
    b, i = _pair(a, index, axis)
    number = normal_axis(axis, a.ndim)
    out = np.empty(inserted(i.shape[1:], number, i.shape[0]), a.dtype)
    _take_lines(b, i, axis_first(out, axis), number)
    return out


def _take_lines(b, index, out, number):
    if b.ndim > 1:
        for k in range(b.shape[1]):
            _take_lines(b[:, k], index[:, k], out[:, k], number)
    else:
        for i in range(index.shape[0]):
            out[i] = b[place_of(int(index[i]), b.shape[0], "raise", number)]


def _put_along(a, index, values, axis):
    b, i = _pair(a, index, axis)
    number = normal_axis(axis, a.ndim)
    full = np.empty(inserted(i.shape[1:], number, i.shape[0]), a.dtype)
    check_store(values.shape, full.shape)
    full[...] = values
    _put_lines(b, i, axis_first(full, axis), number)


def _put_lines(b, index, values, number):
    if b.ndim > 1:
        for k in range(b.shape[1]):
            _put_lines(b[:, k], index[:, k], values[:, k], number)
    else:
        for i in range(index.shape[0]):
            b[place_of(int(index[i]), b.shape[0], "raise", number)] = values[i]
