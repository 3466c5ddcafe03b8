"""Sets of values: unique, and what two arrays have in common."""

import numpy as np

from whipsnake.prelude.creation import asarray
from whipsnake.prelude.intrinsics import refuse
from whipsnake.prelude.manipulate import flatten
from whipsnake.prelude.sorting import argsort, searchsorted, sort_in_place


def unique(
    ar, return_index=False, return_inverse=False, return_counts=False, axis=None, equal_nan=True
):
    """np.unique: the values, sorted, each once."""
    a = asarray(ar)
    if axis is not None:
        refuse("np.unique with an axis is not supported yet: sort the rows with np.lexsort")
    flat = flatten(a)
    if not return_index and not return_inverse:
        sort_in_place(flat)
        starts = _starts(flat, equal_nan)
        if not return_counts:
            return flat[starts]
        return flat[starts], np.diff(np.append(np.flatnonzero(starts), flat.size))
    order = argsort(flat)
    s = flat[order]
    starts = _starts(s, equal_nan)
    out = (s[starts],)
    if return_index:
        out = out + (order[starts],)
    if return_inverse:
        out = out + (_inverse(order, starts).reshape(a.shape),)
    if return_counts:
        out = out + (np.diff(np.append(np.flatnonzero(starts), s.size)),)
    return out


def _starts(s, equal_nan):
    """Where a sorted array has another value than before."""
    starts = np.empty(s.shape[0], np.bool_)
    for i in range(s.shape[0]):
        starts[i] = i == 0 or (
            s[i] != s[i - 1] and not (equal_nan and s[i] != s[i] and s[i - 1] != s[i - 1])
        )
    return starts


def _inverse(order, starts):
    out = np.empty(order.shape[0], np.int64)
    k = -1
    for i in range(order.shape[0]):
        k += starts[i]
        out[order[i]] = k
    return out


def _joined(a, b):
    return np.concatenate((asarray(a).ravel(), asarray(b).ravel()))


def union1d(ar1, ar2):
    """np.union1d."""
    return unique(_joined(ar1, ar2))


def _uniques(ar1, ar2, assume_unique):
    """Both as flat arrays without repetitions."""
    a, b = asarray(ar1).ravel(), asarray(ar2).ravel()
    if assume_unique:
        return a, b
    return unique(a), unique(b)


def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    """np.intersect1d."""
    a, b = asarray(ar1).ravel(), asarray(ar2).ravel()
    if return_indices and not assume_unique:
        i, j = _firsts(a), _firsts(b)
        u, v = a[i], b[j]
        both, at, to = _common(u, v)
        return both, i[at], j[to]
    if not return_indices and not assume_unique:
        return _common(unique(a), unique(b))[0]
    both, at, to = _common(a, b)
    return (both, at, to) if return_indices else both


def _firsts(a):
    """Where each value stands first, in the order of the values."""
    order = argsort(a)
    return order[_starts(a[order], True)]


def _common(a, b):
    """The values of two arrays without repetitions that are in both, and where they are."""
    both = np.concatenate((a, b))
    order = argsort(both)
    s = both[order]
    here = np.flatnonzero(s[1:] == s[:-1])
    return s[here], order[here], order[here + 1] - a.shape[0]


def setxor1d(ar1, ar2, assume_unique=False):
    """np.setxor1d."""
    a, b = _uniques(ar1, ar2, assume_unique)
    s = np.concatenate((a, b))
    sort_in_place(s)
    starts = np.ones(s.shape[0] + 1, np.bool_)
    starts[1:-1] = s[1:] != s[:-1]
    return s[starts[1:] & starts[:-1]]


def setdiff1d(ar1, ar2, assume_unique=False):
    """np.setdiff1d."""
    a = asarray(ar1).ravel()
    if assume_unique:
        return a[isin(a, ar2, False, True)]
    u = unique(a)
    return u[isin(u, ar2, False, True)]


def isin(element, test_elements, assume_unique=False, invert=False, kind=None):
    """np.isin: which elements are among the others."""
    a = asarray(element)
    among = asarray(test_elements).ravel()
    out = np.empty(a.shape, np.bool_)
    flat, to = a.ravel(), out.ravel()
    if among.shape[0] <= 8:
        for i in range(flat.shape[0]):
            to[i] = _is_among(among, flat[i]) != invert
        return out
    if _are_small(flat, among):
        _look_up(flat, among, invert, to)
        return out
    s = np.sort(among)
    n = s.shape[0]
    for i in range(flat.shape[0]):
        k = searchsorted(s, flat[i])
        to[i] = (k < n and s[min(k, n - 1)] == flat[i]) != invert
    return out


def _are_small(flat, among):
    """Integers near to each other, for which a table is quickest."""
    if not isinstance(flat.dtype.type(0), int) or not isinstance(among.dtype.type(0), int):
        return False
    span = int(np.max(among)) - int(np.min(among))
    return 0 <= span <= 8 * (flat.shape[0] + among.shape[0])


def _look_up(flat, among, invert, to):
    low = int(np.min(among))
    table = np.zeros(int(np.max(among)) - low + 1, np.bool_)
    for i in range(among.shape[0]):
        table[int(among[i]) - low] = True
    for i in range(flat.shape[0]):
        k = int(flat[i]) - low
        to[i] = (0 <= k < table.shape[0] and table[min(max(k, 0), table.shape[0] - 1)]) != invert


def _is_among(among, v):
    for i in range(among.shape[0]):
        if among[i] == v:
            return True
    return False


def in1d(ar1, ar2, assume_unique=False, invert=False):
    """np.in1d."""
    return isin(asarray(ar1).ravel(), ar2, assume_unique, invert)
