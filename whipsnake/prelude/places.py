"""Places in arrays: from flat ones to one for each axis and back."""

import numpy as np

from whipsnake.prelude.creation import asarray
from whipsnake.prelude.intrinsics import axis_first, reshape
from whipsnake.prelude.tuples import as_tuple, product


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


def put_along_axis(arr, indices, values, axis):
    """np.put_along_axis."""
    full = np.empty(indices.shape, arr.dtype)
    full[...] = values
    _put(axis_first(arr, axis), axis_first(indices, axis), axis_first(full, axis))


def _put(b, index, values):
    if b.ndim > 1:
        for k in range(b.shape[1]):
            _put(b[:, k], index[:, k], values[:, k])
    else:
        for i in range(index.shape[0]):
            b[index[i]] = values[i]


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
