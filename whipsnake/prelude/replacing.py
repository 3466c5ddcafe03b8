"""Writing to elements that masks, places and diagonals name."""

import numpy as np

from whipsnake.prelude.casting import check_cast
from whipsnake.prelude.creation import asarray
from whipsnake.prelude.intrinsics import contiguous, is_contiguous, reshape, strided
from whipsnake.prelude.places import check_mode, place_of
from whipsnake.prelude.tuples import shape_text


def _write_back(a, flat):
    """What was written to the elements in C order, if they are a copy."""
    if not is_contiguous(a):
        a[...] = reshape(contiguous(flat), a.shape)


def _check_safe(a, values):
    """Arrays must fit without loss; a tuple or a number is converted."""
    if isinstance(values, np.ndarray):
        check_cast(values, a, "safe")


def place(arr, mask, vals):
    """np.place: values one after the other, again from the start, where the mask is true."""
    values, where = asarray(vals).ravel(), asarray(mask).ravel()
    _check_safe(arr, vals)
    if where.size != arr.size:
        raise ValueError("place: mask and data must be the same size")
    if values.shape[0] == 0:
        if np.any(where):
            raise ValueError("Cannot insert from an empty array!")
        return
    k = 0
    flat = arr.ravel()
    for i in range(where.shape[0]):
        if where[i]:
            flat[i] = values[k]
            k += 1
            k = 0 if k == values.shape[0] else k
    _write_back(arr, flat)


def putmask(a, mask, values):
    """np.putmask: where the mask is true, the value at the same place."""
    v, where = asarray(values).ravel(), asarray(mask).ravel()
    _check_safe(a, values)
    if where.size != a.size:
        raise ValueError("putmask: mask and data must be the same size")
    if v.shape[0] == 0:
        return
    flat = a.ravel()
    for i in range(where.shape[0]):
        if where[i]:
            flat[i] = v[i % v.shape[0]]
    _write_back(a, flat)


def put(a, ind, v, mode="raise"):
    """np.put: into places in C order."""
    values, index = asarray(v).ravel(), asarray(ind).ravel()
    check_mode(mode)
    if values.shape[0] == 0 or index.shape[0] == 0:
        return
    if a.size == 0:
        raise IndexError("cannot replace elements of an empty array")
    flat = a.ravel()
    for i in range(index.shape[0]):
        flat[place_of(int(index[i]), flat.shape[0], mode, 0)] = values[i % values.shape[0]]
    _write_back(a, flat)


def copyto(dst, src, casting="same_kind", where=True):
    """np.copyto."""
    if not isinstance(src, int) or isinstance(src, bool) or isinstance(dst.dtype.type(0), bool):
        check_cast(asarray(src), dst, casting)  # an int is one of any width
    if isinstance(where, bool):
        if where:
            dst[...] = src
    else:
        _copy_where(dst, src, asarray(where))


def _copy_where(dst, src, mask):
    if mask.ndim > dst.ndim or np.broadcast_shapes(mask.shape, dst.shape) != dst.shape:
        raise ValueError(
            f"could not broadcast where mask from shape {shape_text(mask.shape)} into shape "
            f"{shape_text(dst.shape)}"
        )
    dst[...] = np.where(mask, src, dst).astype(dst.dtype)


def fill_diagonal(a, val, wrap=False):
    """np.fill_diagonal."""
    if a.ndim < 2:
        raise ValueError("array must be at least 2-d")
    for k in range(1, a.ndim):
        if a.ndim > 2 and a.shape[k] != a.shape[0]:
            raise ValueError("All dimensions of input must be of equal length")
    values = asarray(val).ravel()
    if values.shape[0] == 0:
        return
    if a.ndim == 2 and wrap and a.shape[0] > a.shape[1]:
        _fill_wrapped(a, values)
    else:
        _fill(strided(a, (min(a.shape),), (sum(a.strides),)), values)


def _fill(line, values):
    for i in range(line.shape[0]):
        line[i] = values[i % values.shape[0]]


def _fill_wrapped(a, values):
    k = 0
    step = a.shape[1] + 1
    for at in range(0, a.size, step):
        a[at // a.shape[1], at % a.shape[1]] = values[k % values.shape[0]]
        k += 1
