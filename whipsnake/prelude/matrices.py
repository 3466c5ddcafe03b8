"""Matrices by their diagonals, grids, products of vectors."""

import numpy as np

from whipsnake.prelude.axes import move, normal_axis, stretched
from whipsnake.prelude.creation import asarray, zeros
from whipsnake.prelude.intrinsics import (
    readonly,
    reshape,
    strided,
    with_item,
)
from whipsnake.prelude.tuples import mapped


# -- diagonals ------------------------------------------------------------------------------------


def diagonal(a, offset=0, axis1=0, axis2=1):
    """np.diagonal: a view that cannot be written, the diagonal in the last axis."""
    x = asarray(a)
    if x.ndim < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    i, j = normal_axis(axis1, x.ndim), normal_axis(axis2, x.ndim)
    if i == j:
        raise ValueError("axis1 and axis2 cannot be the same")
    return readonly(_diagonal(move(x, (i, j), (x.ndim - 2, x.ndim - 1)), offset))


def _diagonal(a, offset):
    b = a[..., max(-offset, 0) :, max(offset, 0) :]
    n = min(b.shape[-2], b.shape[-1])
    return strided(b, b.shape[:-2] + (n,), b.strides[:-2] + (b.strides[-2] + b.strides[-1],))


def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    """np.trace."""
    return np.sum(diagonal(a, offset, axis1, axis2), -1, dtype, out)


def diag(v, k=0):
    """np.diag: a matrix with this diagonal, or the diagonal of a matrix."""
    x = asarray(v)
    if x.ndim == 1:
        return _with_diagonal(x, k)
    if x.ndim != 2:
        raise ValueError("Input must be 1- or 2-d.")
    return diagonal(x, k)


def _with_diagonal(v, k):
    n = v.shape[0] + abs(k)
    out = zeros((n, n), v.dtype)
    for i in range(v.shape[0]):
        out[i + max(-k, 0), i + max(k, 0)] = v[i]
    return out


def diagflat(v, k=0):
    """np.diagflat."""
    return _with_diagonal(asarray(v).ravel(), k)


def tri(N, M=None, k=0, dtype=np.float64):
    """np.tri: ones at and below a diagonal."""
    out = np.empty((N, N if M is None else M), dtype)
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = 1 if j <= i + k else 0
    return out


def tril(m, k=0):
    """np.tril: zeros above a diagonal."""
    a = _matrix(asarray(m))
    return np.where(tri(a.shape[-2], a.shape[-1], k, np.bool_), a, a.dtype.type(0))


def triu(m, k=0):
    """np.triu: zeros below a diagonal."""
    a = _matrix(asarray(m))
    return np.where(tri(a.shape[-2], a.shape[-1], k - 1, np.bool_), a.dtype.type(0), a)


def _matrix(a):
    """With one axis: the same row again and again."""
    return strided(a, (a.shape[0], a.shape[0]), (0, a.strides[0])) if a.ndim == 1 else a


def tril_indices(n, k=0, m=None):
    """np.tril_indices."""
    return _rows_columns(tri(n, m, k, np.bool_))


def triu_indices(n, k=0, m=None):
    """np.triu_indices."""
    return _rows_columns(~tri(n, m, k - 1, np.bool_))


def _rows_columns(mask):
    rows, columns = np.nonzero(mask)
    return rows.copy(), columns.copy()


def tril_indices_from(arr, k=0):
    """np.tril_indices_from."""
    return tril_indices(arr.shape[-2], k, arr.shape[-1])


def triu_indices_from(arr, k=0):
    """np.triu_indices_from."""
    return triu_indices(arr.shape[-2], k, arr.shape[-1])


def diag_indices(n, ndim=2):
    """np.diag_indices."""
    return (np.arange(n),) * ndim


def vander(x, N=None, increasing=False):
    """np.vander: powers of a vector."""
    a = asarray(x)
    if a.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    n = a.shape[0] if N is None else N
    out = np.empty((a.shape[0], n), np.result_type(a.dtype, np.int64))
    for i in range(a.shape[0]):
        x = out.dtype.type(a[i])
        v = out.dtype.type(1)
        for j in range(n):
            out[i, j if increasing else n - 1 - j] = v
            v = x if j == 0 else out.dtype.type(v * x)
    return out


# -- grids ----------------------------------------------------------------------------------------


def indices(dimensions, dtype=np.int64):
    """np.indices: for each axis its index, at every place."""
    out = np.empty((len(dimensions),) + dimensions, dtype)
    for k in range(len(dimensions)):
        _index_along(out[k], k)
    return out


def _index_along(a, axis):
    line = np.arange(a.shape[axis])
    strides = with_item((0,) * a.ndim, axis, line.strides[0])
    a[...] = strided(line, a.shape, strides)


def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    """np.meshgrid: a tuple of arrays."""
    if indexing != "xy" and indexing != "ij":
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    lines = mapped(_line, xi)
    swap = indexing == "xy" and len(xi) > 1
    grids = _spread(lines, 0, (1,) * len(xi), swap)
    if not sparse:
        grids = mapped(stretched, grids, _grid_shape(mapped(np.size, lines), swap))
    return mapped(_copy, grids) if copy else grids


def _line(x):
    return asarray(x).ravel()


def _copy(a):
    return a.copy()


def _spread(lines, axis, ones, swap):
    """Each line along an axis of its own; the first two change places in matrices of x and y."""
    if len(lines) == 0:
        return ()
    at = 1 - axis if swap and axis < 2 else axis
    grid = reshape(lines[0], with_item(ones, at, lines[0].shape[0]))
    return (grid,) + _spread(lines[1:], axis + 1, ones, swap)


def _grid_shape(lengths, swap):
    if len(lengths) < 2:
        return lengths
    return (lengths[1], lengths[0]) + lengths[2:] if swap else lengths


# -- products -------------------------------------------------------------------------------------


def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """np.cross of vectors of three."""
    x, y = asarray(a), asarray(b)
    u = _vectors(x, axisa if axis is None else axis)
    v = _vectors(y, axisb if axis is None else axis)
    if u.shape[-1] != 3 or v.shape[-1] != 3:
        raise ValueError(
            "Both input arrays must be (arrays of) 3-dimensional vectors, but they are "
            f"{u.shape[-1]} and {v.shape[-1]} dimensional instead."
        )
    i = u[..., 1] * v[..., 2] - u[..., 2] * v[..., 1]
    j = u[..., 2] * v[..., 0] - u[..., 0] * v[..., 2]
    k = u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]
    return np.stack((i, j, k), axisc if axis is None else axis)


def _vectors(a, axis):
    return move(a, (normal_axis(axis, a.ndim),), (a.ndim - 1,))
