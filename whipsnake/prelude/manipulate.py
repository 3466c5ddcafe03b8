"""Other shapes of the same elements."""


from whipsnake.prelude.creation import copy
from whipsnake.prelude.index import assign
from whipsnake.prelude import intrinsics


def _shape_size(shape):
    n = 1
    for k in range(len(shape)):
        n *= shape[k]
    return n


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
            raise ValueError(f"cannot reshape array of size {size} into shape {shape}")
        fill = size // known
        known *= fill
    if known != size:
        raise ValueError(f"cannot reshape array of size {size} into shape {shape}")
    return fill


def reshape(a, *shape):
    """a.reshape(2, 3), a.reshape((2, 3)); a view where the elements lie in C order, else a copy."""
    if len(shape) == 1 and isinstance(shape[0], tuple):
        return _reshape(a, shape[0])
    return _reshape(a, shape)


def reshape_to(a, shape):
    """np.reshape(a, shape)."""
    if isinstance(shape, tuple):
        return _reshape(a, shape)
    return _reshape(a, (shape,))


def _reshape(a, shape):
    fill = _resolve(shape, a.size)
    return intrinsics.reshape(_in_order(a), _filled(shape, fill))


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


def transpose(a):
    """a.transpose(), np.transpose(a): the axes reversed."""
    return intrinsics.transpose(a)


def fill(a, value):
    """a.fill(value)."""
    assign(a, value)


def ascontiguousarray(a):
    """np.ascontiguousarray: `a` itself where it is in C order."""
    return _in_order(a)
