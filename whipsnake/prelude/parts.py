"""The memory of an array seen in parts, in windows, as other elements."""

import numpy as np

from whipsnake.prelude.axes import normal_axes
from whipsnake.prelude.creation import asarray
from whipsnake.prelude.intrinsics import (
    axis_first,
    axis_part,
    contiguous,
    is_contiguous,
    readonly,
    refuse,
    reinterpret,
    strided,
    with_item,
)
from whipsnake.prelude.tuples import as_tuple, check_view, counted, find, picked


# -- parts ----------------------------------------------------------------------------------------


def array_split(ary, indices_or_sections, axis=0):
    """np.array_split: a tuple of views."""
    a = asarray(ary)
    if isinstance(indices_or_sections, int):
        if indices_or_sections <= 0:
            raise ValueError("number sections must be larger than 0.")
        return _sections(a, (0,) * indices_or_sections, 0, indices_or_sections, axis)
    if not isinstance(indices_or_sections, tuple):
        refuse("how many parts there are must be known when compiling: a constant, or a tuple")
    n = axis_first(a, axis).shape[0]
    return _between(a, 0, indices_or_sections, n, axis)


def _sections(a, marks, k, count, axis):
    if len(marks) == 0:
        return ()
    n = axis_first(a, axis).shape[0]
    size, more = n // count, n % count
    start = k * size + min(k, more)
    stop = start + size + (1 if k < more else 0)
    return (axis_part(a, axis, start, stop),) + _sections(a, marks[1:], k + 1, count, axis)


def _between(a, start, indices, n, axis):
    if len(indices) == 0:
        return (axis_part(a, axis, start, max(start, n)),)
    stop = _limit(indices[0], n)
    return (axis_part(a, axis, start, max(start, stop)),) + _between(a, stop, indices[1:], n, axis)


def _limit(i, n):
    return max(i + n, 0) if i < 0 else min(i, n)


def split(ary, indices_or_sections, axis=0):
    """np.split: parts of one length, or between indices."""
    a = asarray(ary)
    if isinstance(indices_or_sections, int):
        if axis_first(a, axis).shape[0] % indices_or_sections != 0:
            raise ValueError("array split does not result in an equal division")
    return np.array_split(a, indices_or_sections, axis)


def vsplit(ary, indices_or_sections):
    """np.vsplit."""
    return np.split(ary, indices_or_sections, 0)


def hsplit(ary, indices_or_sections):
    """np.hsplit."""
    a = asarray(ary)
    return np.split(a, indices_or_sections, 1 if a.ndim > 1 else 0)


def dsplit(ary, indices_or_sections):
    """np.dsplit."""
    return np.split(ary, indices_or_sections, 2)


# -- windows --------------------------------------------------------------------------------------


def _reach(shape, strides):
    """How far the items of an array reach before its first one, and behind it, in bytes."""
    before, behind = 0, 0
    for k in range(len(shape)):
        way = (shape[k] - 1) * strides[k]
        before -= min(way, 0)
        behind += max(way, 0)
    return before, behind


def _is_within(shape, strides, before, behind):
    """Do these items reach no further? Divided, because a product could be too large a number."""
    for k in range(len(shape)):
        steps = shape[k] - 1
        if strides[k] < 0:
            if steps > -before // strides[k]:
                return False
            before += steps * strides[k]
        elif strides[k] > 0:
            if steps > behind // strides[k]:
                return False
            behind -= steps * strides[k]
    return True


def as_strided(x, shape=None, strides=None, subok=False, writeable=True):
    """np.lib.stride_tricks.as_strided, within the memory of `x`."""
    to = x.shape if shape is None else as_tuple(shape)
    steps = x.strides if strides is None else as_tuple(strides)
    if len(to) != len(steps):
        raise ValueError("mismatch in length of strides and shape")
    check_view(to, x.itemsize)
    if find(to, 0) < 0:
        before, behind = _reach(x.shape, x.strides)
        if x.size == 0 or not _is_within(to, steps, before, behind):
            raise ValueError("as_strided: the view would reach outside the memory of the array")
    view = strided(x, to, steps)
    return view if writeable else readonly(view)


def sliding_window_view(x, window_shape, axis=None):
    """np.lib.stride_tricks.sliding_window_view: a view that cannot be written."""
    a = asarray(x)
    window = as_tuple(window_shape)
    if axis is None:
        if len(window) != a.ndim:
            raise ValueError(
                "Since axis is None, must provide window_shape for all dimensions of `x`; got "
                f"{len(window)} window_shape elements and `x.ndim` is {a.ndim}."
            )
        return _windows(a, window, counted(window, 0))
    return _windows(a, window, normal_axes(axis, a.ndim))


def _windows(a, window, axes):
    shape = a.shape
    for k in range(len(axes)):
        n = shape[axes[k]] - window[k] + 1
        if window[k] < 0:
            raise ValueError("`window_shape` cannot contain negative values")
        if n <= 0:
            raise ValueError("window shape cannot be larger than input array shape")
        shape = with_item(shape, axes[k], n)
    check_view(shape + window, a.itemsize)
    return readonly(strided(a, shape + window, a.strides + picked(a.strides, axes)))


# -- other elements -------------------------------------------------------------------------------


def view(a, dtype=None):
    """a.view(dtype)."""
    if dtype is None:
        return reinterpret(a, a.dtype)
    size = np.dtype(dtype).itemsize
    if size == a.itemsize:
        return reinterpret(a, dtype)
    if a.ndim == 0:
        raise ValueError(
            "Changing the dtype of a 0d array is only supported if the itemsize is unchanged"
        )
    return _resized(a, dtype, size)


def _resized(a, dtype, size):
    if not is_contiguous(a):
        raise ValueError(
            "To change to a dtype of a different size, the last axis must be contiguous"
        )
    if size < a.itemsize and a.itemsize % size != 0:
        raise ValueError(
            "When changing to a smaller dtype, its size must be a divisor of the size of original "
            "dtype"
        )
    if a.shape[a.ndim - 1] * a.itemsize % size != 0:
        raise ValueError(
            "When changing to a larger dtype, its size must be a divisor of the total size in "
            "bytes of the last axis of the array."
        )
    return reinterpret(contiguous(a), dtype)


def frombuffer(buffer, dtype=np.float64, count=-1, offset=0):
    """np.frombuffer of an array: its bytes as elements of a dtype."""
    if not is_contiguous(buffer):
        raise ValueError("ndarray is not C-contiguous")
    flat = reinterpret(np.ravel(buffer), np.uint8)
    size = np.dtype(dtype).itemsize
    n = flat.shape[0]
    if not 0 <= offset <= n:
        raise ValueError(f"offset must be non-negative and no greater than buffer length ({n})")
    if count < 0:
        if (n - offset) % size != 0:
            raise ValueError("buffer size must be a multiple of element size")
        return reinterpret(flat[offset:], dtype)
    if offset + count * size > n:
        raise ValueError("buffer is smaller than requested size")
    return reinterpret(flat[offset : offset + count * size], dtype)
