"""Stencils: a function of the numbers around a place, for each place of an array.

What a kernel gets for an array is one of the classes here: the array seen from the place, whose
subscripts are distances. Inside, where all of the neighbourhood is there, those are added to the
place and no more; at the edges the mode says what is behind them.
"""

from typing import Any, NamedTuple

import numpy as np

from whipsnake import prange
from whipsnake.prelude.intrinsics import refuse, returned_dtype
from whipsnake.prelude.tuples import as_tuple, shape_text


class Inside(NamedTuple):
    """All that is asked for is there: IndexError if it is not."""

    array: Any
    seen_from: Any

    def __getitem__(self, offsets):
        return self.array[_moved(self.seen_from, _offsets(offsets, self.seen_from))]


class Nearest(NamedTuple):
    """Behind an edge there is the last element again and again."""

    array: Any
    seen_from: Any

    def __getitem__(self, offsets):
        at = _moved_freely(self.seen_from, _offsets(offsets, self.seen_from))
        return self.array[_nearest(at, self.array.shape)]


class Wrap(NamedTuple):
    """Behind an edge there is what is at the other one."""

    array: Any
    seen_from: Any

    def __getitem__(self, offsets):
        at = _moved_freely(self.seen_from, _offsets(offsets, self.seen_from))
        return self.array[_wrapped(at, self.array.shape)]


class Reflect(NamedTuple):
    """An edge is a mirror, which stands behind the last element."""

    array: Any
    seen_from: Any

    def __getitem__(self, offsets):
        at = _moved_freely(self.seen_from, _offsets(offsets, self.seen_from))
        return self.array[_reflected(at, self.array.shape)]


def _offsets(offsets, place):
    all_of_them = as_tuple(offsets)
    if len(all_of_them) != len(place):
        refuse("a subscript in a stencil's kernel has one distance for each axis of the array")
    return all_of_them


def _moved(place, offsets):
    if len(place) == 0:
        return ()
    at = place[0] + offsets[0]
    if at < 0:
        raise IndexError("a stencil's kernel reads what is outside of the array: let its "
                         "neighborhood say how far it goes")
    return (at,) + _moved(place[1:], offsets[1:])


def _moved_freely(place, offsets):
    if len(place) == 0:
        return ()
    return (place[0] + offsets[0],) + _moved_freely(place[1:], offsets[1:])


def _nearest(at, shape):
    if len(at) == 0:
        return ()
    return (max(min(at[0], shape[0] - 1), 0),) + _nearest(at[1:], shape[1:])


def _wrapped(at, shape):
    if len(at) == 0:
        return ()
    return (at[0] % shape[0],) + _wrapped(at[1:], shape[1:])


def _reflected(at, shape):
    if len(at) == 0:
        return ()
    m = at[0] % (2 * shape[0])
    return (min(m, 2 * shape[0] - 1 - m),) + _reflected(at[1:], shape[1:])


# -- what a kernel is given -----------------------------------------------------------------------


def _value(seen, v, standard, place):
    if isinstance(v, np.ndarray) and standard is None:
        return seen(v, place)
    return v


def _values(seen, args, standards, place):
    if len(args) == 0:
        return ()
    return (_value(seen, args[0], standards[0], place),) + _values(seen, args[1:], standards[1:],
                                                                  place)


def _same(v):
    return v


# -- loops ----------------------------------------------------------------------------------------


def _walk(loop, kernel, out, seen, args, standards, start, stop):
    """The kernel at the places from `start` up to `stop`."""
    if len(start) == 1:
        for i in loop(start[0], stop[0]):
            out[i] = kernel(*_values(seen, args, standards, (i,)))
    elif len(start) == 2:
        for i in loop(start[0], stop[0]):
            for j in range(start[1], stop[1]):
                out[i, j] = kernel(*_values(seen, args, standards, (i, j)))
    else:
        for i in loop(start[0], stop[0]):
            _walk_on(kernel, out, seen, args, standards, start, stop, (i,))


def _walk_on(kernel, out, seen, args, standards, start, stop, place):
    k = len(place)
    for i in range(start[k], stop[k]):
        if k + 1 < len(start):
            _walk_on(kernel, out, seen, args, standards, start, stop, place + (i,))
        else:
            at = place + (i,)
            out[at] = kernel(*_values(seen, args, standards, at))


def _walk_edges(kernel, out, seen, args, standards, starts, stops, start, stop):
    """At those places that are not inside: for each axis those before and behind it, within what
    is inside along the axes before."""
    k = len(start)
    if k < out.ndim:
        rest = out.shape[k + 1:]
        first = _zeros(rest)
        _walk(range, kernel, out, seen, args, standards, start + (0,) + first,
              stop + (starts[k],) + rest)
        _walk(range, kernel, out, seen, args, standards, start + (stops[k],) + first,
              stop + (out.shape[k],) + rest)
        _walk_edges(kernel, out, seen, args, standards, starts, stops, start + (starts[k],),
                    stop + (stops[k],))


def _zeros(shape):
    if len(shape) == 0:
        return ()
    return (0,) + _zeros(shape[1:])


def _starts(low, shape):
    if len(shape) == 0:
        return ()
    return (min(-low[0], shape[0]),) + _starts(low[1:], shape[1:])


def _stops(high, starts, shape):
    if len(shape) == 0:
        return ()
    return (max(shape[0] - high[0], starts[0]),) + _stops(high[1:], starts[1:], shape[1:])


def _negated(low):
    if len(low) == 0:
        return ()
    return (-low[0],) + _negated(low[1:])


def _less(shape, high):
    if len(shape) == 0:
        return ()
    return (shape[0] - high[0],) + _less(shape[1:], high[1:])


# -- checks ---------------------------------------------------------------------------------------


def _check(shape, args, standards):
    """The arrays behind the first are at least as large."""
    if len(args) > 0:
        _check_one(shape, args[0], standards[0])
        _check(shape, args[1:], standards[1:])


def _check_one(shape, v, standard):
    if isinstance(v, np.ndarray) and standard is None:
        if v.ndim != len(shape):
            refuse("the arrays that a stencil's kernel sees from a place have equally many axes")
        for k in range(len(shape)):
            if v.shape[k] < shape[k]:
                raise ValueError(f"an array of a stencil has the shape {shape_text(v.shape)}, "
                                 f"less than that of the first, {shape_text(shape)}")


# -- all of it ------------------------------------------------------------------------------------


def apply(kernel, args, out, low, high, mode, cval, standards):
    """The kernel at each place. low, high: how far it goes along each axis, at most 0 and at least
    0; standards: for each argument None if it is seen from the place, else a number."""
    if len(args) == 0 or not isinstance(args[0], np.ndarray):
        refuse("the first argument of a stencil is an array")
    if len(args) != len(standards):
        refuse("a stencil takes as many arguments as its kernel, and out=")
    first = args[0]
    if first.ndim != len(low):
        refuse("the neighborhood of a stencil, given or that of the subscripts in its kernel, has "
               "as many axes as its first array")
    _check(first.shape, args[1:], standards[1:])
    if out is None:
        dtype = returned_dtype(kernel, _values(Nearest, args, standards, low))
        made = np.empty(first.shape, dtype)
        _fill(kernel, made, args, low, high, mode, 0 if cval is None else cval, standards)
        return made
    if out.ndim != first.ndim:
        refuse("out has as many axes as the first array of a stencil")
    if out.shape != first.shape:
        raise ValueError(f"out has the shape {shape_text(out.shape)}, and the first array of the "
                         f"stencil {shape_text(first.shape)}")
    _fill(kernel, out, args, low, high, mode, cval, standards)
    return out


def make(kernel, low, high, mode, cval, standards):
    """The function of arrays that a stencil is."""

    def stencil(*args, out=None):
        return apply(kernel, args, out, low, high, mode, cval, standards)

    return stencil


def _fill(kernel, out, args, low, high, mode, cval, standards):
    starts = _starts(low, out.shape)
    stops = _stops(high, starts, out.shape)
    if mode == "nearest":
        _walk_edges(kernel, out, Nearest, args, standards, starts, stops, (), ())
    elif mode == "wrap":
        _walk_edges(kernel, out, Wrap, args, standards, starts, stops, (), ())
    elif mode == "reflect":
        _walk_edges(kernel, out, Reflect, args, standards, starts, stops, (), ())
    elif cval is not None:
        _walk_edges(_same, out, Inside, (cval,), (None,), starts, stops, (), ())
    _walk(prange, kernel, out, Inside, args, standards, _negated(low), _less(out.shape, high))
