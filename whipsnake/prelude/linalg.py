"""Products of vectors and matrices."""

import numpy as np

from whipsnake.prelude.creation import zeros
from whipsnake.prelude.intrinsics import has_library_matmul, library_matmul
from whipsnake.prelude.manipulate import shape_text


def _check(a, b, i, j):
    """Axis i of `a` is summed with axis j of `b`."""
    if a.shape[i] != b.shape[j]:
        raise ValueError(
            f"shapes {shape_text(a.shape)} and {shape_text(b.shape)} not aligned: "
            f"{a.shape[i]} (dim {i}) != {b.shape[j]} (dim {j})"
        )


def dot(a, b):
    """np.dot of one- and two-dimensional arrays."""
    return matmul(a, b)


def matmul(a, b):
    """a @ b of one- and two-dimensional arrays."""
    if a.ndim == 1 and b.ndim == 1:
        return _vector_vector(a, b)
    if a.ndim == 2 and b.ndim == 1:
        return _matrix_vector(a, b)
    if a.ndim == 1 and b.ndim == 2:
        return _vector_matrix(a, b)
    return _matrix_matrix(a, b)



# From so many products on a call of NumPy's BLAS costs less than our loops. The size alone decides:
# the result must not depend on what was computed before.
BLAS_MATRIX = 8192
BLAS_VECTOR = 1024


def _vector_vector(a, b):
    _check(a, b, 0, 0)
    if has_library_matmul(a, b) and a.shape[0] >= BLAS_VECTOR:
        out = np.empty(1, a.dtype)
        library_matmul(a, b, out)
        return out[0]
    total = a.dtype.type(0) * b.dtype.type(0)
    for i in range(a.shape[0]):
        total += a[i] * b[i]
    return total


def _matrix_vector(a, b):
    _check(a, b, 1, 0)
    if has_library_matmul(a, b) and a.size >= BLAS_VECTOR:
        out = np.empty(a.shape[0], a.dtype)
        library_matmul(a, b, out)
        return out
    out = zeros(a.shape[0], np.result_type(a.dtype, b.dtype))
    for i in range(a.shape[0]):
        total = out[i]
        for k in range(a.shape[1]):
            total += a[i, k] * b[k]
        out[i] = total
    return out


def _vector_matrix(a, b):
    _check(a, b, 0, 0)
    if has_library_matmul(a, b) and b.size >= BLAS_VECTOR:
        out = np.empty(b.shape[1], a.dtype)
        library_matmul(a, b, out)
        return out
    out = zeros(b.shape[1], np.result_type(a.dtype, b.dtype))
    for k in range(b.shape[0]):
        for j in range(b.shape[1]):
            out[j] += a[k] * b[k, j]
    return out


def _matrix_matrix(a, b):
    _check(a, b, 1, 0)
    if has_library_matmul(a, b) and a.size * b.shape[1] >= BLAS_MATRIX:
        out = np.empty((a.shape[0], b.shape[1]), a.dtype)
        library_matmul(a, b, out)
        return out
    out = zeros((a.shape[0], b.shape[1]), np.result_type(a.dtype, b.dtype))
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            v = a[i, k]
            for j in range(b.shape[1]):
                out[i, j] += v * b[k, j]
    return out
