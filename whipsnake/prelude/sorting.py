"""Sorting, partitioning, searching what is sorted. NaN is the greatest."""

import numpy as np

from whipsnake.prelude.creation import asarray, copy_like
from whipsnake.prelude.intrinsics import (
    argsort_line,
    axis_first,
    contiguous,
    is_contiguous,
    partition_line,
    sort_line,
)
from whipsnake.prelude.lines import along, each_line
from whipsnake.prelude.manipulate import flatten


def is_complex(a):
    """Are the elements complex numbers?"""
    return isinstance(a.dtype.type(0), (np.complex64, np.complex128))


def less(x, y):
    """The order of sorting: NaN is the greatest."""
    return x < y or (y != y and x == x)


# -- sorting --------------------------------------------------------------------------------------


def sort(a, axis=-1, kind=None):
    """np.sort."""
    x = asarray(a)
    if axis is None:
        out = flatten(x)
        sort_in_place(out)
        return out
    out = copy_like(x)
    sort_in_place(out, axis)
    return out


def sort_in_place(a, axis=-1, kind=None):
    """a.sort()."""
    b = axis_first(a, axis)
    n = b.shape[0]
    if n < 2:
        return
    if is_complex(a):
        each_line(b, 0, _sort_complex)
    else:
        each_line(b, (np.empty(n, a.dtype), np.empty(n, a.dtype)), _sort_line)


def _sort_line(line, scratch):
    if is_contiguous(line):
        sort_line(contiguous(line), scratch[0])
    else:
        scratch[1][:] = line
        sort_line(scratch[1], scratch[0])
        line[:] = scratch[1]


def _sort_complex(line, scratch):
    line[:] = line[_order_complex(line)]


def argsort(a, axis=-1, kind=None):
    """np.argsort; equal elements keep their order."""
    x = asarray(a)
    if axis is None:
        return argsort(flatten(x))
    order = np.empty(x.shape, np.int64)
    n = axis_first(x, axis).shape[0]
    if is_complex(x):
        along(x, order, axis, 0, _argsort_complex)
    else:
        scratch = (np.empty(n, x.dtype), np.empty(n, np.int64), np.empty(4 * n, np.int64))
        along(x, order, axis, scratch, _argsort_line)
    return order


def _argsort_line(line, order, scratch):
    if is_contiguous(line) and is_contiguous(order):
        argsort_line(contiguous(line), contiguous(order), scratch[2])
    else:
        scratch[0][:] = line
        argsort_line(scratch[0], scratch[1], scratch[2])
        order[:] = scratch[1]


def _argsort_complex(line, order, scratch):
    order[:] = _order_complex(line)


def _order_complex(z):
    """By the real part, then the imaginary one; NaN in one part after all without, in both last."""
    order = argsort(z.imag.copy())
    order = order[argsort(z.real[order])]
    nans = np.isnan(z.real) * 2 + np.isnan(z.imag)
    return order[argsort(nans[order])]


def lexsort(keys, axis=-1):
    """np.lexsort of a tuple of arrays, or the rows of one: by the last key first."""
    if isinstance(keys, tuple):
        return _lexsort(keys[1:], argsort(keys[0], axis))
    order = argsort(keys[0], axis)
    for k in range(1, keys.shape[0]):
        order = order[argsort(keys[k][order])]
    return order


def _lexsort(keys, order):
    if len(keys) == 0:
        return order
    return _lexsort(keys[1:], order[argsort(keys[0][order])])


# -- partitioning ---------------------------------------------------------------------------------


def partition(a, kth, axis=-1, kind="introselect"):
    """np.partition."""
    x = asarray(a)
    if axis is None:
        out = flatten(x)
        partition_in_place(out, kth)
        return out
    out = copy_like(x)
    partition_in_place(out, kth, axis)
    return out


def partition_in_place(a, kth, axis=-1, kind="introselect"):
    """a.partition()."""
    b = axis_first(a, axis)
    n = b.shape[0]
    if a.size == 0:
        return
    places = _places(kth, n)
    if is_complex(a):
        each_line(b, 0, _sort_complex)
    else:
        each_line(b, (np.empty(n, a.dtype), np.empty(n, a.dtype), places), _partition_line)


def _places(kth, n):
    """The places that are asked for, sorted, from 0 on."""
    places = np.array(np.atleast_1d(asarray(kth)), np.int64)
    for i in range(places.shape[0]):
        if not -n <= places[i] < n:
            raise ValueError(f"kth(={places[i]}) out of bounds ({n})")
        places[i] += n if places[i] < 0 else 0
    sort_in_place(places)
    return places


def _partition_line(line, scratch):
    if is_contiguous(line):
        partition_all(contiguous(line), scratch[0], scratch[2])
    else:
        scratch[1][:] = line
        partition_all(scratch[1], scratch[0], scratch[2])
        line[:] = scratch[1]


def partition_all(line, scratch, places):
    """Puts at some places, which are in order, what sorting would."""
    start = 0
    for i in range(places.shape[0]):
        k = places[i]
        if k >= start:
            partition_line(line[start:], scratch, k - start)
            start = k + 1


def argpartition(a, kth, axis=-1, kind="introselect"):
    """np.argpartition."""
    x = asarray(a)
    if axis is None:
        return argpartition(flatten(x), kth)
    places = _places(kth, axis_first(x, axis).shape[0])
    if is_complex(x) or places.shape[0] != 1:
        return argsort(x, axis)  # what sorting everything gives is partitioned, too
    order = np.empty(x.shape, np.int64)
    if x.size > 0:
        along(x, order, axis, places[0], _argpartition_line)
    return order


def _argpartition_line(line, order, k):
    """Those less than the k-th first, then its equals, then the rest."""
    ours = line[:].copy()
    partition_line(ours, np.empty(ours.shape[0], ours.dtype), k)
    v = ours[k]
    n = line.shape[0]
    low, same, high = 0, 0, n
    equal = np.empty(n, np.int64)
    for i in range(n):
        if less(line[i], v):
            order[low] = i
            low += 1
        elif less(v, line[i]):
            high -= 1
            order[high] = i
        else:
            equal[same] = i
            same += 1
    order[low:high] = equal[:same]


# -- searching ------------------------------------------------------------------------------------


def _search(a, v, right):
    """The first place whose element is not before `v`."""
    low = 0
    n = a.shape[0]
    while n > 0:
        half = n // 2
        x = a[low + half]
        before = not less(v, x) if right else less(x, v)
        low = low + half + 1 if before else low
        n = n - half - 1 if before else half
    return low


def _search_by(a, v, right, order):
    low = 0
    high = a.shape[0]
    while low < high:
        middle = (low + high) // 2
        x = a[order[middle]]
        before = not less(v, x) if right else less(x, v)
        if before:
            low = middle + 1
        else:
            high = middle
    return low


def searchsorted(a, v, side="left", sorter=None):
    """np.searchsorted in a sorted one-dimensional array."""
    if side != "left" and side != "right":
        raise ValueError(f"search side must be 'left' or 'right' (got '{side}')")
    x = asarray(a)
    if sorter is not None and sorter.shape[0] != x.shape[0]:
        raise ValueError("sorter.size must equal array.size")
    if isinstance(v, (np.ndarray, tuple)):
        y = asarray(v)
        out = np.empty(y.shape, np.int64)
        flat, to = y.ravel(), out.ravel()
        for i in range(flat.shape[0]):
            to[i] = _find(x, flat[i], side == "right", sorter)
        return out
    return _find(x, v, side == "right", sorter)


def _find(a, v, right, sorter):
    if sorter is None:
        return _search(a, v, right)
    return _search_by(a, v, right, sorter)


def digitize(x, bins, right=False):
    """np.digitize."""
    b = asarray(bins)
    if is_complex(asarray(x)):
        raise TypeError("x may not be complex")
    up = True
    down = True
    for i in range(1, b.shape[0]):
        up = up and not b[i - 1] > b[i]
        down = down and not b[i - 1] < b[i]
    if not up and not down:
        raise ValueError("bins must be monotonically increasing or decreasing")
    side = "left" if right else "right"
    if up:
        return searchsorted(b, x, side)
    return np.subtract(b.shape[0], searchsorted(b[::-1], x, side))
