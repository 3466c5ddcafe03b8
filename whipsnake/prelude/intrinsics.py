"""What the prelude needs from the compiler. Here: the same meaning for plain Python."""

import numpy as np


def reshape(a, shape):
    """A C-contiguous array seen with another shape of the same size."""
    return a.reshape(shape)


def contiguous(a):
    """`a`, known to be C-contiguous, as an array of layout 'C'."""
    return a


def is_contiguous(a):
    """Is `a` in C order without gaps?"""
    return a.flags.c_contiguous


def layout(a):
    """'C', 'F' or 'A': what the type of `a` says."""
    return "C" if a.flags.c_contiguous else "F" if a.flags.f_contiguous else "A"


def reshape_plan(a, shape):
    """(1, strides ...) of a view of `a` with this shape, or (0, ...) if only a copy has it."""
    view = a.view()
    try:
        view.shape = shape
    except AttributeError:
        return (0,) * (len(shape) + 1)
    return (1,) + view.strides


def strided(a, shape, strides):
    """The memory of `a` with another shape and strides (bytes)."""
    return np.lib.stride_tricks.as_strided(a, shape, strides)


def transpose(a):
    """`a` with its axes reversed; a view."""
    return a.T


def dtype_of(x):
    """The dtype of a scalar or an array."""
    return np.asarray(x).dtype


def pairwise_sum(a):
    """Sum of a one-dimensional float or complex array, in NumPy's pairwise order."""
    return np.add.reduce(a)


def has_library_matmul(a, b):
    """Does NumPy multiply arrays of these types with a BLAS?"""
    return a.dtype == b.dtype and a.dtype.char in "fdFD"


def library_matmul(a, b, out):
    """Writes a @ b, as NumPy computes it, to `out`: C-contiguous, of the right shape and dtype."""
    np.matmul(a, b, out=out)


def same_memory(a, b):
    """May `a` and `b` share an element? True may be wrong, False is not."""
    return np.may_share_memory(a, b)


def axis_first(a, axis):
    """A view of `a` with this axis in front; AxisError if there is none."""
    return np.moveaxis(a, axis, 0)


def axis_insert(a, axis):
    """A view of `a` with an axis of length 1 at this place."""
    return np.expand_dims(a, axis)


def returned_dtype(f, args):
    """The dtype of the number that f(*args) gives. Compiled code does not call it."""
    try:
        return np.asarray(f(*args)).dtype
    except IndexError:  # an array without elements, where nothing else tells
        return np.dtype(float)


def common_dtype(arrays):
    """The dtype that the arrays of a tuple have in common."""
    return np.result_type(*arrays)


def with_item(values, i, v):
    """A tuple of integers with another item at one place, which is an axis; AxisError."""
    values = list(values)
    values[i] = v
    return tuple(values)


def sort_line(a, scratch):
    """Sorts a contiguous one-dimensional array of real numbers; NaN last. Scratch: of its kind."""
    a.sort()


def argsort_line(a, order, scratch):
    """Writes to `order` (int64) how `a` is sorted; equals keep their order. Scratch: 4 n int64."""
    order[:] = np.argsort(a, kind="stable")


def partition_line(a, scratch, k):
    """Puts the k-th element of the sorted `a` in its place, smaller ones before it."""
    a.partition(k)


def readonly(a):
    """A view of `a` that cannot be written."""
    view = a.view()
    view.flags.writeable = False
    return view


def refuse(text):
    """This cannot be compiled: `text` says why. No code is reached behind it."""
    raise NotImplementedError(text)


def count_true(mask):
    """How many elements of a contiguous array of bools with one axis are true."""
    return np.count_nonzero(mask)


def true_places(mask, places):
    """Writes where such an array is true to `places` (int64), which has room for one more."""
    places[:-1] = np.flatnonzero(mask)


def copy_items(to, a):
    """to[...] = a for arrays of one dtype, shape and layout, 'C' or 'F', that are apart."""
    to[...] = a


def find_bool(mask, value):
    """The first place of True or False in such an array, or its length."""
    places = np.flatnonzero(mask == value)
    return int(places[0]) if places.size else mask.size


def take_true(a, mask, out):
    """Writes the items along the first axis of `a` where the mask is true to `out`, which has just
    the room; all contiguous."""
    out[...] = a[mask]


def axis_part(a, axis, start, stop):
    """A view of the items start to stop of an axis; they must be there."""
    return np.moveaxis(np.moveaxis(a, axis, 0)[start:stop], 0, axis)


def reinterpret(a, dtype):
    """The bytes of `a` as elements of another dtype; in C order where their size is another."""
    return a.view(dtype)
