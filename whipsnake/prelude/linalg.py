"""Products of vectors and matrices."""

import numpy as np

from whipsnake.prelude.axes import broadcast_shapes
from whipsnake.prelude.creation import asarray, zeros
from whipsnake.prelude.intrinsics import (
    common_dtype,
    has_library_matmul,
    library_matmul,
    refuse,
)
from whipsnake.prelude.tuples import shape_text


def _fit(a, b, i, j):
    """Axis i of `a` is summed with axis j of `b`."""
    if a.shape[i] != b.shape[j]:
        raise ValueError(
            f"shapes {shape_text(a.shape)} and {shape_text(b.shape)} not aligned: "
            f"{a.shape[i]} (dim {i}) != {b.shape[j]} (dim {j})"
        )


def _number(a):
    """An array without axes as the number it is."""
    if a.ndim == 0:
        return a[()]
    return a


def dot(a, b):
    """np.dot of numbers, and of one- and two-dimensional arrays."""
    x, y = asarray(a), asarray(b)
    if x.ndim == 0 or y.ndim == 0:
        return np.multiply(_number(x), _number(y))
    if x.ndim > 2 or y.ndim > 2:
        refuse("np.dot of more than two dimensions: use @, which multiplies stacks of matrices")
    _fit(x, y, x.ndim - 1, y.ndim - 2 if y.ndim > 1 else 0)
    return _product(x, y)


def vdot(a, b):
    """np.vdot."""
    x, y = asarray(a).ravel(), asarray(b).ravel()
    if x.shape[0] != y.shape[0]:
        raise ValueError(
            f"cannot reshape array of size {y.shape[0]} into shape {shape_text(x.shape)}"
        )
    return _product(np.conj(x), y)


def inner(a, b):
    """np.inner of one- and two-dimensional arrays."""
    x, y = asarray(a), asarray(b)
    if x.ndim == 0 or y.ndim == 0:
        return np.multiply(_number(x), _number(y))
    if x.ndim > 2 or y.ndim > 2:
        refuse("np.inner of more than two dimensions")
    _fit(x, y, x.ndim - 1, y.ndim - 1)
    return _product(x, y.T)


def matmul(a, b):
    """a @ b; of more than two dimensions: the products of matrices in the last two."""
    x, y = asarray(a), asarray(b)
    if x.ndim == 0 or y.ndim == 0:
        refuse("a product of matrices takes arrays with axes: use *")
    _check_core(x.shape[-1], y.shape[-2] if y.ndim > 1 else y.shape[0])
    if x.ndim <= 2 and y.ndim <= 2:
        return _product(x, y)
    out = np.empty(_stack_shape(x, y), common_dtype((x, y)))
    _stack_products(x, y, out)
    return out


def _check_core(n, m):
    if n != m:
        raise ValueError(
            "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
            f"(n?,k),(k,m?)->(n?,m?) (size {m} is different from {n})"
        )


def _stack_shape(a, b):
    if b.ndim == 1:
        return a.shape[:-1]
    if a.ndim == 1:
        return b.shape[:-2] + b.shape[-1:]
    return broadcast_shapes(a.shape[:-2], b.shape[:-2]) + (a.shape[-2], b.shape[-1])


def _stack_products(a, b, out):
    if a.ndim <= 2 and b.ndim <= 2:
        out[...] = _product(a, b)
    else:
        for i in range(out.shape[0]):
            _stack_products(_item(a, i, b), _item(b, i, a), out[i])


def _item(a, i, b):
    """Of what has more axes, or as many, the i-th matrix; a single one stands for all."""
    if a.ndim <= 2 or a.ndim < b.ndim:
        return a
    return a[0] if a.shape[0] == 1 else a[i]


def _product(a, b):
    """Of what fits: vectors and matrices."""
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
    if has_library_matmul(a, b) and a.shape[0] >= BLAS_VECTOR:
        out = np.empty(1, a.dtype)
        library_matmul(a, b, out)
        return out[0]
    total = a.dtype.type(0) * b.dtype.type(0)
    for i in range(a.shape[0]):
        total += a[i] * b[i]
    return np.result_type(a.dtype, b.dtype).type(total)


def _matrix_vector(a, b):
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
