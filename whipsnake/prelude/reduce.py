"""Reductions over whole arrays."""

import math

import numpy as np

from whipsnake.prelude.intrinsics import contiguous, is_contiguous, pairwise_sum, reshape


def sum(a):
    """np.sum over all elements: floats pairwise; integers as int64, or uint64 if unsigned."""
    if a.ndim == 0:
        return a[()] + _zero(a)
    if a.ndim > 1 and is_contiguous(a):
        return _sum(reshape(contiguous(a), a.size))
    return _sum(a)


def _zero(a):
    return a.dtype.type(0)


def _sum(a):
    if a.ndim > 1:
        total = _sum(a[0]) if a.shape[0] > 0 else _sum_empty(a)
        for i in range(1, a.shape[0]):
            total += _sum(a[i])
        return total
    if isinstance(_zero(a), (np.float32, np.float64, np.complex64, np.complex128)):
        return _zero(a) + pairwise_sum(a)  # -0.0 becomes 0.0, as in NumPy
    if isinstance(_zero(a), (np.uint8, np.uint16, np.uint32, np.uint64)):
        total = np.uint64(0)
        for i in range(a.shape[0]):
            total += np.uint64(a[i])
        return total
    count = 0
    for i in range(a.shape[0]):
        count += a[i]
    return count


def _sum_empty(a):
    return _sum(np.empty(0, a.dtype))


def prod(a):
    """np.prod over all elements."""
    if a.ndim > 1:
        total = _one(a)
        for i in range(a.shape[0]):
            total *= prod(a[i])
        return total
    total = _one(a)
    if a.ndim == 0:
        return total * a[()]
    for i in range(a.shape[0]):
        total *= a[i]
    return total


def _one(a):
    if isinstance(_zero(a), (np.uint8, np.uint16, np.uint32, np.uint64)):
        return np.uint64(1)
    if isinstance(_zero(a), (np.float32, np.float64, np.complex64, np.complex128)):
        return a.dtype.type(1)
    return 1


def mean(a):
    """np.mean over all elements."""
    if isinstance(_zero(a), (np.float32, np.float64, np.complex64, np.complex128)):
        return sum(a) / a.dtype.type(a.size) if a.size > 0 else a.dtype.type(math.nan)
    return _mean_of_ints(a)


def _mean_of_ints(a):
    if a.size == 0:
        return math.nan
    return _float_sum(a) / a.size


def _float_sum(a):
    total = 0.0
    if a.ndim > 1:
        for i in range(a.shape[0]):
            total += _float_sum(a[i])
    else:
        for i in range(a.shape[0]):
            total += a[i]
    return total


def min(a):
    """np.min over all elements; NaN wins."""
    if a.size == 0:
        raise ValueError("zero-size array to reduction operation minimum which has no identity")
    return _min(a)


def _min(a):
    if a.ndim == 0:
        return a[()]
    if a.ndim > 1:
        best = _min(a[0])
        for i in range(1, a.shape[0]):
            v = _min(a[i])
            if v < best or v != v:
                best = v
        return best
    best = a[0]
    for i in range(1, a.shape[0]):
        v = a[i]
        best = v if v < best or v != v else best
    return best


def max(a):
    """np.max over all elements; NaN wins."""
    if a.size == 0:
        raise ValueError("zero-size array to reduction operation maximum which has no identity")
    return _max(a)


def _max(a):
    if a.ndim == 0:
        return a[()]
    if a.ndim > 1:
        best = _max(a[0])
        for i in range(1, a.shape[0]):
            v = _max(a[i])
            if v > best or v != v:
                best = v
        return best
    best = a[0]
    for i in range(1, a.shape[0]):
        v = a[i]
        best = v if v > best or v != v else best
    return best


def argmin(a):
    """np.argmin over the flattened array: the first of equals; a NaN is the least."""
    if a.size == 0:
        raise ValueError("attempt to get argmin of an empty sequence")
    return _argmin(a, 0)[1]


def _argmin(a, base):
    if a.ndim > 1:
        best, at = _argmin(a[0], base)
        for i in range(1, a.shape[0]):
            v, k = _argmin(a[i], base + i * a[0].size)
            if v < best or (v != v and best == best):
                best, at = v, k
        return best, at
    best = a[0]
    at = base
    for i in range(1, a.shape[0]):
        v = a[i]
        if v < best or (v != v and best == best):
            best = v
            at = base + i
    return best, at


def argmax(a):
    """np.argmax over the flattened array: the first of equals; a NaN is the greatest."""
    if a.size == 0:
        raise ValueError("attempt to get argmax of an empty sequence")
    return _argmax(a, 0)[1]


def _argmax(a, base):
    if a.ndim > 1:
        best, at = _argmax(a[0], base)
        for i in range(1, a.shape[0]):
            v, k = _argmax(a[i], base + i * a[0].size)
            if v > best or (v != v and best == best):
                best, at = v, k
        return best, at
    best = a[0]
    at = base
    for i in range(1, a.shape[0]):
        v = a[i]
        if v > best or (v != v and best == best):
            best = v
            at = base + i
    return best, at


def all(a):
    """np.all over all elements."""
    if a.ndim > 1:
        for i in range(a.shape[0]):
            if not all(a[i]):
                return False
        return True
    for i in range(a.shape[0]):
        if not a[i]:
            return False
    return True


def any(a):
    """np.any over all elements."""
    if a.ndim > 1:
        for i in range(a.shape[0]):
            if any(a[i]):
                return True
        return False
    for i in range(a.shape[0]):
        if a[i]:
            return True
    return False


def count_nonzero(a):
    """np.count_nonzero over all elements."""
    if a.ndim == 0:
        return 1 if a[()] else 0
    n = 0
    if a.ndim > 1:
        for i in range(a.shape[0]):
            n += count_nonzero(a[i])
        return n
    for i in range(a.shape[0]):
        if a[i]:
            n += 1
    return n
