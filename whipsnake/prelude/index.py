"""Subscripts with index arrays and masks, and assignment to views."""

import numpy as np

from whipsnake.prelude.intrinsics import count_true, reshape, same_memory, take_true
from whipsnake.prelude.tuples import check_store


def take(a, index):
    """a[index] for an array of integers: shape index.shape + a.shape[1:]."""
    out = np.empty(index.shape + a.shape[1:], a.dtype)
    _take(a, index, out)
    return out


def _take(a, index, out):
    if index.ndim > 1:
        for i in range(index.shape[0]):
            _take(a, index[i], out[i])
    elif a.ndim == 1:
        for i in range(index.shape[0]):
            out[i] = a[index[i]]
    else:
        for i in range(index.shape[0]):
            out[i][...] = a[index[i]]


def take_mask(a, mask):
    """a[mask]: the elements (or rows) where mask is true, in C order."""
    _check_mask(a, mask)
    rest = a.shape[mask.ndim :]
    flat = mask.ravel()
    out = np.empty((count_true(flat),) + rest, a.dtype)
    take_true(reshape(np.ascontiguousarray(a), (mask.size,) + rest), flat, out)
    return out


def _check_mask(a, mask):
    for k in range(mask.ndim):
        if mask.shape[k] != a.shape[k]:
            raise IndexError(
                f"boolean index did not match indexed array along axis {k}; size of axis is "
                f"{a.shape[k]} but size of corresponding boolean axis is {mask.shape[k]}"
            )


def _check_all(index, n):
    """IndexError before anything is written, as in NumPy."""
    if index.ndim > 1:
        for i in range(index.shape[0]):
            _check_all(index[i], n)
    else:
        for i in range(index.shape[0]):
            if not -n <= index[i] < n:
                raise IndexError(f"index {index[i]} is out of bounds for axis 0 with size {n}")


def put(a, index, value):
    """a[index] = value for an array of integers and one value."""
    _check_all(index, a.shape[0])
    _put(a, index, value)


def _put(a, index, value):
    if index.ndim > 1:
        for i in range(index.shape[0]):
            _put(a, index[i], value)
    elif a.ndim == 1:
        for i in range(index.shape[0]):
            a[index[i]] = value
    else:
        for i in range(index.shape[0]):
            a[index[i]][...] = value


def put_array(a, index, values):
    """a[index] = values for an array of integers; values broadcast to index.shape + a.shape[1:]."""
    _check_all(index, a.shape[0])
    if values.ndim == 0:
        _put(a, index, values[()])
    elif a.ndim == 1 and index.ndim == 1 and values.ndim == 1:
        n = index.shape[0]
        check_store(values.shape, index.shape)
        step = 0 if values.shape[0] == 1 else 1
        if same_memory(a, values):
            values = values.copy()
        for i in range(n):
            a[index[i]] = values[i * step]
    else:
        full = np.empty(index.shape + a.shape[1:], a.dtype)
        check_store(values.shape, full.shape)
        full[...] = values
        _put_rows(a, index, full)


def _put_rows(a, index, full):
    if index.ndim > 1:
        for i in range(index.shape[0]):
            _put_rows(a, index[i], full[i])
    elif a.ndim == 1:
        for i in range(index.shape[0]):
            a[index[i]] = full[i]
    else:
        for i in range(index.shape[0]):
            a[index[i]][...] = full[i]


def put_mask(a, mask, value):
    """a[mask] = value."""
    _check_mask(a, mask)
    _put_mask(a, mask, value)


def _put_mask(a, mask, value):
    if mask.ndim > 1:
        for i in range(mask.shape[0]):
            _put_mask(a[i], mask[i], value)
    elif a.ndim == 1:
        for i in range(mask.shape[0]):
            if mask[i]:
                a[i] = value
    else:
        for i in range(mask.shape[0]):
            if mask[i]:
                a[i][...] = value


def put_mask_array(a, mask, values):
    """a[mask] = values: one value for each true element, or a single one."""
    _check_mask(a, mask)
    n = np.count_nonzero(mask)
    if same_memory(a, values):
        values = values.copy()
    if a.ndim == mask.ndim and values.ndim > 1:
        raise ValueError(
            "NumPy boolean array indexing assignment requires a 0 or 1-dimensional input, input "
            f"has {values.ndim} dimensions"
        )
    if a.ndim == mask.ndim and values.ndim == 1:
        if values.shape[0] != n and values.shape[0] != 1:
            raise ValueError(
                f"NumPy boolean array indexing assignment cannot assign {values.shape[0]} input "
                f"values to the {n} output values where the mask is true"
            )
        _put_mask_array(a, mask, values, 0, 1 if values.shape[0] == n else 0)
    else:
        full = np.empty((n,) + a.shape[mask.ndim :], a.dtype)
        check_store(values.shape, full.shape)
        full[...] = values
        _put_mask_rows(a, mask, full, 0)


def _put_mask_array(a, mask, values, at, step):
    if mask.ndim > 1:
        for i in range(mask.shape[0]):
            at = _put_mask_array(a[i], mask[i], values, at, step)
    else:
        for i in range(mask.shape[0]):
            if mask[i]:
                a[i] = values[at]
                at += step
    return at


def _put_mask_rows(a, mask, full, at):
    if mask.ndim > 1:
        for i in range(mask.shape[0]):
            at = _put_mask_rows(a[i], mask[i], full, at)
    elif a.ndim == 1:
        for i in range(mask.shape[0]):
            if mask[i]:
                a[i] = full[at]
                at += 1
    else:
        for i in range(mask.shape[0]):
            if mask[i]:
                a[i][...] = full[at]
                at += 1
    return at
