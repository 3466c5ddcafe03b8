"""Going through arrays line by line: what takes all elements along an axis at once."""

from whipsnake.prelude.intrinsics import axis_first


def each_line(b, scratch, work):
    """work(line, scratch) for each line along the first axis of `b`."""
    if b.ndim > 1:
        for i in range(b.shape[1]):
            each_line(b[:, i], scratch, work)
    else:
        work(b, scratch)


def each_pair(b, to, arg, work):
    """work(line, result, arg) for the lines along the first axes of two arrays."""
    if b.ndim > 1:
        for i in range(b.shape[1]):
            each_pair(b[:, i], to[:, i], arg, work)
    else:
        work(b, to, arg)


def along(a, to, axis, arg, work):
    """work(line, result, arg) along an axis, which has a length of its own in `to`."""
    each_pair(axis_first(a, axis), axis_first(to, axis), arg, work)
