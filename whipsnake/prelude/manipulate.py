"""Other shapes of the same elements."""

import numpy as np

from whipsnake.prelude.creation import copy

from whipsnake.prelude import intrinsics
from whipsnake.prelude.tuples import as_tuple, picked


def _resolve(shape, size):
    """`shape` with a -1 replaced by what the size demands."""
    known = 1
    unknown = 0
    for k in range(len(shape)):
        if shape[k] < 0:
            unknown += 1
        else:
            known *= shape[k]
    if unknown > 1:
        raise ValueError("can only specify one unknown dimension")
    fill = 1
    if unknown == 1:
        if known == 0 or size % known != 0:
            raise ValueError(f"cannot reshape array of size {size} into shape {_known_text(shape)}")
        fill = size // known
        known *= fill
    if known != size:
        raise ValueError(f"cannot reshape array of size {size} into shape {_known_text(shape)}")
    return fill


def _known_text(shape):
    """The same without the -1, which NumPy leaves out here, and without a comma after one."""
    text = "("
    some = False
    for k in range(len(shape)):
        if shape[k] >= 0:
            text = text + ("," if some else "") + f"{shape[k]}"
            some = True
    return text + ("," if len(shape) == 1 and some else "") + ")"


def reshape(a, *shape):
    """a.reshape(2, 3), a.reshape((2, 3)); a view where the elements lie in C order, else a copy."""
    if len(shape) == 1 and isinstance(shape[0], tuple):
        return _reshape(a, shape[0])
    return _reshape(a, shape)


def reshape_to(a, shape):
    """np.reshape(a, shape)."""
    return _reshape(a, as_tuple(shape))


def _reshape(a, shape):
    to = _filled(shape, _resolve(shape, a.size))
    if intrinsics.layout(a) == "C":
        return intrinsics.reshape(a, to)
    plan = intrinsics.reshape_plan(a, to)
    if plan[0]:
        return intrinsics.strided(a, to, plan[1:])
    out = intrinsics.reshape(copy(a), to)
    return intrinsics.strided(out, to, out.strides)


def _filled(shape, fill):
    if len(shape) == 0:
        return shape
    first = fill if shape[0] < 0 else shape[0]
    return (first,) + _filled(shape[1:], fill)


def _in_order(a):
    if intrinsics.is_contiguous(a):
        return intrinsics.contiguous(a)
    return copy(a)


def ravel(a):
    """a.ravel(): a view where it can be one."""
    return intrinsics.reshape(_in_order(a), a.size)


def flatten(a):
    """a.flatten(): always a copy."""
    return intrinsics.reshape(copy(a), a.size)


def flat(a):
    """a.flat, of arrays in C order."""
    if intrinsics.layout(a) != "C":
        raise NotImplementedError(".flat of an array that is not in C order")
    return intrinsics.reshape(a, a.size)


def transpose(a, *axes):
    """a.transpose(): the axes reversed; a.transpose(1, 0, 2): in that order; also as a tuple."""
    if len(axes) == 0:
        return intrinsics.transpose(a)
    if len(axes) == 1 and axes[0] is None:
        return intrinsics.transpose(a)
    if len(axes) == 1 and isinstance(axes[0], tuple):
        return permute(a, axes[0])
    return permute(a, axes)


def transpose_to(a, axes=None):
    """np.transpose(a, axes)."""
    if axes is None:
        return intrinsics.transpose(a)
    return permute(a, axes)


def permute(a, axes):
    """`a` with its axes in this order; a view."""
    if len(axes) != a.ndim:
        raise ValueError("axes don't match array")
    for i in range(a.ndim):
        if not -a.ndim <= axes[i] < a.ndim:
            raise ValueError(f"axis {axes[i]} is out of bounds for array of dimension {a.ndim}")
        for j in range(i):
            if axes[i] % a.ndim == axes[j] % a.ndim:
                raise ValueError("repeated axis in transpose")
    return intrinsics.strided(a, picked(a.shape, axes), picked(a.strides, axes))


def fill(a, value):
    """a.fill(value)."""
    a[...] = value


def ascontiguousarray(a):
    """np.ascontiguousarray: `a` itself where it is in C order."""
    return _in_order(a)


def item(a, *args):
    """a.item(): the element of an array of size 1, or at a place."""
    if len(args) == 0:
        if a.size != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        return ravel(a)[0]
    if len(args) == 1 and isinstance(args[0], tuple):
        return a[args[0]]
    if len(args) == 1:
        return _item(ravel(a), args[0])
    return a[args]


def _item(flat, i):
    n = flat.shape[0]
    if not -n <= i < n:
        raise IndexError(f"index {i} is out of bounds for size {n}")
    return flat[i]


def tolist(a):
    """a.tolist(): refused, there are no lists of unknown depth."""
    intrinsics.refuse("no tolist() in compiled code: use the array itself, or a.copy()")


def asfortranarray(a):
    """np.asfortranarray."""
    x = np.asarray(a)
    if intrinsics.layout(x) == "F" or x.ndim < 2:
        return ascontiguousarray(x) if x.ndim < 2 else x
    out = np.empty(x.shape, x.dtype, "F")
    out[...] = x
    return out
