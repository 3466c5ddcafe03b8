"""Views with other axes: added, taken away, in another order, backwards, stretched."""

import numpy as np

from whipsnake.prelude.creation import asarray
from whipsnake.prelude.intrinsics import (
    axis_first,
    axis_insert,
    readonly,
    refuse,
    reshape,
    strided,
    with_item,
)
from whipsnake.prelude.manipulate import permute
from whipsnake.prelude.tuples import (
    as_tuple,
    ascending,
    check_view,
    find,
    mapped,
    picked,
    product,
    repeats,
    shape_text,
)


def normal_axis(axis, ndim):
    """The axis as a number from 0 on; AxisError."""
    if not -ndim <= axis < ndim:
        raise np.exceptions.AxisError(axis, ndim)
    return axis + ndim if axis < 0 else axis + 0


def normal_axes(axes, ndim):
    """The same of a tuple, or of one number as a tuple."""
    return mapped(normal_axis, as_tuple(axes), ndim)


def different_axes(axes, ndim, text):
    """The same in ascending order; ValueError with this text if one is named twice."""
    places = normal_axes(axes, ndim)
    if repeats(places):
        raise ValueError(text)
    return ascending(places)


# -- more and fewer -------------------------------------------------------------------------------


def expand_dims(a, axis):
    """np.expand_dims."""
    x = asarray(a)
    if isinstance(axis, tuple):
        return _expand(x, different_axes(axis, x.ndim + len(axis), "repeated axis"))
    return axis_insert(x, axis)


def _expand(a, axes):
    """With axes at these places, in ascending order."""
    if len(axes) == 0:
        return a
    return _expand(axis_insert(a, axes[0]), axes[1:])


def squeeze(a, axis=None):
    """np.squeeze of the axes that are named."""
    x = asarray(a)
    if axis is None:
        refuse(
            "squeeze() without an axis: how many axes are left would depend on the lengths at run "
            "time; name them, as in squeeze(axis=0)"
        )
    return _squeeze(x, different_axes(axis, x.ndim, "duplicate value in 'axis'"))


def _squeeze(a, axes):
    if len(axes) == 0:
        return a
    b = axis_first(a, axes[-1])
    if b.shape[0] != 1:
        raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
    return _squeeze(b[0, ...], axes[:-1])


def atleast_1d(*arys):
    """np.atleast_1d; of several a tuple."""
    if len(arys) == 1:
        return one_axis(arys[0])
    return mapped(one_axis, arys)


def atleast_2d(*arys):
    """np.atleast_2d."""
    if len(arys) == 1:
        return two_axes(arys[0])
    return mapped(two_axes, arys)


def atleast_3d(*arys):
    """np.atleast_3d."""
    if len(arys) == 1:
        return three_axes(arys[0])
    return mapped(three_axes, arys)


def one_axis(x):
    """With one axis at least."""
    a = asarray(x)
    return reshape(a, (1,)) if a.ndim == 0 else a


def two_axes(x):
    """With two: rows."""
    a = asarray(x)
    if a.ndim == 0:
        return reshape(a, (1, 1))
    return a[None, :] if a.ndim == 1 else a


def three_axes(x):
    """With three: what has fewer gets one in front, then one behind."""
    a = asarray(x)
    if a.ndim == 0:
        return reshape(a, (1, 1, 1))
    if a.ndim == 1:
        return a[None, :, None]
    return a[:, :, None] if a.ndim == 2 else a


# -- in another order -----------------------------------------------------------------------------


def swapaxes(a, axis1, axis2):
    """np.swapaxes."""
    x = asarray(a)
    i, j = normal_axis(axis1, x.ndim), normal_axis(axis2, x.ndim)
    axes = x.shape
    for k in range(x.ndim):
        axes = with_item(axes, k, j if k == i else i if k == j else k)
    return permute(x, axes)


def moveaxis(a, source, destination):
    """np.moveaxis."""
    x = asarray(a)
    return move(x, normal_axes(source, x.ndim), normal_axes(destination, x.ndim))


def move(a, source, destination):
    """The axes of one tuple go to the places of the other; the rest stay in order."""
    if len(source) != len(destination):
        raise ValueError(
            "`source` and `destination` arguments must have the same number of elements"
        )
    axes = a.shape
    rest = 0
    for k in range(a.ndim):
        at = find(destination, k)
        if at < 0:
            while find(source, rest) >= 0:
                rest += 1
            axes = with_item(axes, k, rest)
            rest += 1
        else:
            axes = with_item(axes, k, source[at])
    return permute(a, axes)


def rollaxis(a, axis, start=0):
    """np.rollaxis."""
    x = asarray(a)
    n = x.ndim
    source = normal_axis(axis, n)
    to = start + n if start < 0 else start + 0
    if not 0 <= to <= n:
        raise np.exceptions.AxisError(
            f"'start' arg requires {-n} <= start < {n + 1}, but {start} was passed in"
        )
    return move(x, (source,), (to - 1 if source < to else to,))


def matrix_transpose(x):
    """np.matrix_transpose: the last two axes change places."""
    return swapaxes(x, -1, -2)


# -- backwards ------------------------------------------------------------------------------------


def flip(m, axis=None):
    """np.flip."""
    a = asarray(m)
    if axis is None:
        return _flip_all(a)
    if isinstance(axis, tuple):
        return _flip_some(strided(a, a.shape, a.strides), axis)
    return _flip(a, axis)


def _flip(a, axis):
    if a.ndim == 1:
        return axis_first(a, axis)[::-1]
    k = normal_axis(axis, a.ndim)
    return move(axis_first(a, k)[::-1], (0,), (k,))


def _flip_all(a):
    if a.ndim == 0:
        return a
    b = _flip(a, 0)
    for k in range(1, a.ndim):
        b = _flip(b, k)
    return b


def _flip_some(b, axes):
    for k in axes:
        b = _flip(b, k)
    return b


def fliplr(m):
    """np.fliplr."""
    a = asarray(m)
    if a.ndim < 2:
        raise ValueError("Input must be >= 2-d.")
    return a[:, ::-1]


def flipud(m):
    """np.flipud."""
    a = asarray(m)
    if a.ndim < 1:
        raise ValueError("Input must be >= 1-d.")
    return a[::-1]


def rot90(m, k=1, axes=(0, 1)):
    """np.rot90."""
    a = asarray(m)
    i, j = normal_axis(axes[0], a.ndim), normal_axis(axes[1], a.ndim)
    if i == j:
        raise ValueError("Axes must be different.")
    turns = k % 4
    b = strided(a, a.shape, a.strides)
    if turns == 0:
        return b
    if turns == 1:
        return swapaxes(_flip(b, j), i, j)
    if turns == 2:
        return _flip(_flip(b, i), j)
    return _flip(swapaxes(b, i, j), j)


# -- stretched ------------------------------------------------------------------------------------


def broadcast_to(array, shape):
    """np.broadcast_to: a view that cannot be written."""
    a = asarray(array)
    to = as_tuple(shape)
    for n in to:
        if n < 0:
            raise ValueError("all elements of broadcast shape must be non-negative")
    if len(to) == 0 and a.ndim > 0:
        raise ValueError("cannot broadcast a non-scalar to a scalar array")
    return readonly(stretched(a, to))


def stretched(a, shape):
    """`a` seen with the shape that it is broadcast to."""
    if len(shape) < a.ndim:
        raise ValueError("input operand has more dimensions than allowed by the axis remapping")
    if len(shape) == 0:
        return a
    check_view(shape, a.itemsize)
    strides = shape
    lead = len(shape) - a.ndim
    for k in range(len(shape)):
        strides = with_item(strides, k, 0 if k < lead else _stride(a, k - lead, shape, k))
    return strided(a, shape, strides)


def _stride(a, axis, shape, k):
    if a.ndim == 0:
        return 0
    if a.shape[axis] == shape[k]:
        return a.strides[axis]
    if a.shape[axis] != 1:
        raise ValueError(
            "operands could not be broadcast together with remapped shapes [original->remapped]: "
            f"{shape_text(a.shape)}  and requested shape {shape_text(shape)}"
        )
    return 0


def broadcast_shapes(*args):
    """np.broadcast_shapes."""
    shapes = mapped(as_tuple, args)
    return _common(mapped(_padded, shapes, _longest(shapes)), shapes)


def _longest(shapes):
    if len(shapes) == 0:
        return ()
    rest = _longest(shapes[1:])
    if len(shapes[0]) > len(rest):
        return shapes[0]
    return rest


def _padded(shape, longest):
    """With as many lengths as the longest one."""
    return (1,) * (len(longest) - len(shape)) + shape


def _common(shapes, given):
    """What shapes of as many axes are broadcast to; ValueError tells of them as they were given."""
    if len(shapes) == 0 or len(shapes[0]) == 0:
        return ()
    out = shapes[0]
    for k in range(len(out)):
        first, n, i = 0, 1, 0
        for s in shapes:
            if s[k] < 0:
                raise ValueError("negative dimensions are not allowed")
            if n == 1:
                first, n = i, s[k]
            elif s[k] != 1 and s[k] != n:
                raise ValueError(
                    "shape mismatch: objects cannot be broadcast to a single shape.  Mismatch is "
                    f"between arg {first} with shape {_text_at(given, first)} and arg {i} with "
                    f"shape {_text_at(given, i)}."
                )
            i += 1
        out = with_item(out, k, n)
    return out


def _text_at(shapes, i):
    k = 0
    text = ""
    for s in shapes:
        if k == i:
            text = f"{s}"
        k += 1
    return text


def are_broadcast(a, b):
    """Are two shapes broadcast to one?"""
    if len(b) == 0:
        return True
    at = len(b) - len(a)
    for n in a:
        if at >= 0 and n != 1 and b[at] != 1 and n != b[at]:
            return False
        at += 1
    return True


def broadcast_arrays(*args):
    """np.broadcast_arrays."""
    arrays = mapped(asarray, args)
    return mapped(stretched, arrays, broadcast_shapes(*mapped(shape, arrays)))


# -- asking ---------------------------------------------------------------------------------------


def ndim(a):
    """np.ndim."""
    return asarray(a).ndim


def shape(a):
    """np.shape."""
    return asarray(a).shape


def size(a, axis=None):
    """np.size."""
    x = asarray(a)
    if axis is None:
        return x.size
    if isinstance(axis, tuple):
        return product(picked(x.shape, axis))
    return axis_first(x, axis).shape[0]


def isscalar(element):
    """np.isscalar."""
    return isinstance(element, (int, float, complex, str))
