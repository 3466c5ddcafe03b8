"""Tuples: of axes, lengths, arrays. What is done with their items is settled while compiling."""

from whipsnake.prelude.intrinsics import with_item


def mapped(f, values, *more):
    """f of each item, and of what else is given."""
    if len(values) == 0:
        return ()
    return (f(values[0], *more),) + mapped(f, values[1:], *more)


def counted(values, start):
    """The numbers from `start` on, one for each item."""
    if len(values) == 0:
        return ()
    return (start,) + counted(values[1:], start + 1)


def picked(values, places):
    """The items at these places."""
    if len(places) == 0:
        return ()
    return (values[places[0]],) + picked(values, places[1:])


def interleaved(a, b):
    """The items of two tuples by turns."""
    if len(a) == 0:
        return ()
    return (a[0], b[0]) + interleaved(a[1:], b[1:])


def products(a, b):
    """The products of the items of two tuples."""
    if len(a) == 0:
        return ()
    return (a[0] * b[0],) + products(a[1:], b[1:])


def product(values):
    """Of all items."""
    n = 1
    for v in values:
        n *= v
    return n


def inserted(values, at, v):
    """With one more item at a place."""
    out = (v,) + values
    k = 0
    for old in values:
        if k < at:
            out = with_item(with_item(out, k, old), k + 1, v)
        k += 1
    return out


def find(values, v):
    """The place of `v`, or -1."""
    for i in range(len(values)):
        if values[i] == v:
            return i
    return -1


def ascending(values):
    """Sorted."""
    for i in range(len(values)):
        for j in range(i):
            if values[i] < values[j]:
                low, high = values[i], values[j]
                values = with_item(with_item(values, i, high), j, low)
    return values


def repeats(values):
    """Are any two items equal?"""
    for i in range(len(values)):
        for j in range(i):
            if values[i] == values[j]:
                return True
    return False


def as_tuple(v):
    """A single item as a tuple."""
    return v if isinstance(v, tuple) else (v,)


def shape_text(shape):
    """A shape as NumPy's messages show it: (3,4), (3,)."""
    text = "("
    for k in range(len(shape)):
        text = text + f"{shape[k]}" + ("," if k + 1 < len(shape) or k == 0 else "")
    return text + ")"


def check_view(shape, itemsize):
    """Can there be an array of this shape? Views have no memory of their own to be refused."""
    size = itemsize
    for n in shape:
        if n < 0:
            raise ValueError("negative dimensions are not allowed")
        if size > 0x7FFFFFFFFFFFFFFF // max(n, 1):
            raise ValueError(
                "array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum "
                "possible size."
            )
        size *= max(n, 1)


def check_store(values, shape):
    """Are values of one shape broadcast to places of another one?"""
    at = len(shape) - len(values)
    for n in values:
        if n != 1 and (at < 0 or n != shape[at]):
            raise ValueError(
                f"shape mismatch: value array of shape {shape_text(values)} could not be broadcast "
                f"to indexing result of shape {shape_text(shape)}"
            )
        at += 1
