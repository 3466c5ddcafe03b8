"""Joining, reordering, sorting, searching."""

import numpy as np

from whipsnake.prelude.intrinsics import axis_first, common_dtype, with_length


def concatenate(arrays, axis=0):
    """np.concatenate of a tuple of arrays."""
    first = arrays[0]
    n = 0
    number = 0
    for a in arrays:
        n += axis_first(a, axis).shape[0]
        _check_lengths(first, a, axis + first.ndim if axis < 0 else axis, number)
        number += 1
    out = np.empty(with_length(first.shape, axis, n), common_dtype(arrays))
    to = axis_first(out, axis)
    at = 0
    for a in arrays:
        part = axis_first(a, axis)
        to[at : at + part.shape[0]] = part
        at += part.shape[0]
    return out


def _check_lengths(first, a, axis, number):
    """All axes but the one that is joined are of one length."""
    for k in range(first.ndim):
        x, y = axis_first(first, k).shape[0], axis_first(a, k).shape[0]
        if k != axis and x != y:
            raise ValueError(
                "all the input array dimensions except for the concatenation axis must match "
                f"exactly, but along dimension {k}, the array at index 0 has size {x} and the "
                f"array at index {number} has size {y}"
            )


def diff(a, n=1):
    """np.diff along the last axis."""
    out = a[..., 1:] - a[..., :-1]
    for _ in range(1, n):
        out = out[..., 1:] - out[..., :-1]
    return out


def outer(a, b):
    """np.outer: all products."""
    return a.ravel()[:, None] * b.ravel()[None, :]


def roll(a, shift):
    """np.roll of the elements in C order."""
    out = np.empty(a.shape, a.dtype)
    if a.size > 0:
        k = shift % a.size
        flat, to = a.ravel(), out.ravel()
        to[k:] = flat[: a.size - k]
        to[:k] = flat[a.size - k :]
    return out


def flatnonzero(a):
    """np.flatnonzero: where elements, in C order, are true."""
    flat = a.ravel()
    out = np.empty(np.count_nonzero(flat), np.int64)
    k = 0
    for i in range(flat.shape[0]):
        if flat[i]:
            out[k] = i
            k += 1
    return out


# -- sorting -----------------------------------------------------------------------------------


def _less(x, y):
    """NaN is the greatest."""
    return x < y or (y != y and x == x)


def _insertion(a, order, start, stop):
    for i in range(start + 1, stop):
        k = order[i]
        v = a[k]
        j = i
        while j > start and _less(v, a[order[j - 1]]):
            order[j] = order[j - 1]
            j -= 1
        order[j] = k


def _merge(a, order, to, start, middle, stop):
    i = start
    j = middle
    for k in range(start, stop):
        if j >= stop or (i < middle and not _less(a[order[j]], a[order[i]])):
            to[k] = order[i]
            i += 1
        else:
            to[k] = order[j]
            j += 1


def argsort(a):
    """np.argsort along the last axis; equal elements keep their order."""
    if a.ndim > 1:
        rows = np.empty(a.shape, np.int64)
        for i in range(a.shape[0]):
            rows[i] = argsort(a[i])
        return rows
    n = a.shape[0]
    order = np.arange(n)
    width = 16
    for start in range(0, n, width):
        _insertion(a, order, start, min(start + width, n))
    other = np.empty(n, np.int64)
    while width < n:
        for start in range(0, n, 2 * width):
            _merge(a, order, other, start, min(start + width, n), min(start + 2 * width, n))
        order, other = other, order
        width *= 2
    return order


def _insert_values(a, start, stop):
    for i in range(start + 1, stop):
        v = a[i]
        j = i
        while j > start and _less(v, a[j - 1]):
            a[j] = a[j - 1]
            j -= 1
        a[j] = v


def _merge_values(a, to, start, middle, stop):
    i = start
    j = middle
    for k in range(start, stop):
        if j >= stop or (i < middle and not _less(a[j], a[i])):
            to[k] = a[i]
            i += 1
        else:
            to[k] = a[j]
            j += 1


def sort(a):
    """np.sort along the last axis."""
    if a.ndim > 1:
        rows = np.empty(a.shape, a.dtype)
        for i in range(a.shape[0]):
            rows[i] = sort(a[i])
        return rows
    n = a.shape[0]
    out = np.array(a)
    width = 16
    for start in range(0, n, width):
        _insert_values(out, start, min(start + width, n))
    other = np.empty(n, a.dtype)
    while width < n:
        for start in range(0, n, 2 * width):
            _merge_values(out, other, start, min(start + width, n), min(start + 2 * width, n))
        out, other = other, out
        width *= 2
    return out


def unique(a):
    """np.unique: the values, sorted, each once."""
    s = sort(a.ravel())
    n = 0
    for i in range(s.shape[0]):
        if i == 0 or _less(s[n - 1], s[i]):
            s[n] = s[i]
            n += 1
    return s[:n].copy()


def _search(a, v, right):
    low = 0
    high = a.shape[0]
    while low < high:
        middle = (low + high) // 2
        before = not _less(v, a[middle]) if right else _less(a[middle], v)
        if before:
            low = middle + 1
        else:
            high = middle
    return low


def searchsorted(a, v, side="left"):
    """np.searchsorted in a sorted one-dimensional array."""
    if isinstance(v, np.ndarray):
        out = np.empty(v.shape, np.int64)
        flat, to = v.ravel(), out.ravel()
        for i in range(flat.shape[0]):
            to[i] = _search(a, flat[i], side == "right")
        return out
    return _search(a, v, side == "right")
