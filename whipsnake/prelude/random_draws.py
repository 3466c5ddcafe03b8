"""Numbers drawn for parameters: one, or an array of a size, or one for each item of arrays.

A distribution is a check of its parameters, all of which are checked before anything is drawn, and
a function that draws one number.
"""

import math

import numpy as np

from whipsnake.prelude.axes import broadcast_shapes, shape, stretched
from whipsnake.prelude.creation import asarray
from whipsnake.prelude.intrinsics import reshape
from whipsnake.prelude.tuples import mapped


def draws(check, draw, dtype, size, params):
    """One number; or an array of this size, or of the shape of the parameters."""
    if _are_numbers(params):
        check(params, "is NaN")
        if size is None:
            return draw(params)
        return _fill(np.empty(size, dtype), draw, params)
    arrays = mapped(asarray, params)
    common = broadcast_shapes(*mapped(shape, arrays))
    lines = mapped(_line, arrays, common)
    for i in range(lines[0].shape[0]):
        check(mapped(_item, lines, i), "contains NaNs")
    if size is None:
        return _fill_each(np.empty(common, dtype), draw, lines)
    out = np.empty(size, dtype)
    broadcast_shapes(out.shape, common)
    return _fill_each(out, draw, mapped(_line, arrays, out.shape))


def _are_numbers(params):
    if len(params) == 0:
        return True
    if isinstance(params[0], (np.ndarray, tuple)):
        return False
    return _are_numbers(params[1:])


def _line(a, shape):
    return stretched(a, shape).ravel()


def _item(line, i):
    return line[i]


def _fill(out, draw, params):
    flat = reshape(out, out.size)
    for i in range(flat.shape[0]):
        flat[i] = draw(params)
    return out


def _fill_each(out, draw, lines):
    flat = reshape(out, out.size)
    for i in range(flat.shape[0]):
        flat[i] = draw(mapped(_item, lines, i))
    return out


# -- checks ---------------------------------------------------------------------------------------


def not_negative(x, name):
    """-0.0 is negative, NaN is not."""
    if x == x and math.copysign(1.0, x) < 0:
        raise ValueError(f"{name} < 0")


def positive(x, name):
    """NaN is let through."""
    if x <= 0:
        raise ValueError(f"{name} <= 0")


def check_none(params, nan):
    """Any parameters will do."""


def check_scale(params, nan):
    """The last one is not negative."""
    not_negative(float(params[-1]), "scale")


def check_a(params, nan):
    """One positive parameter."""
    positive(params[0], "a")


def check_df(params, nan):
    """Degrees of freedom."""
    positive(params[0], "df")
