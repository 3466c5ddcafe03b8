"""Which dtypes may be stored in which."""

import numpy as np

from whipsnake.prelude.reduce import is_float
from whipsnake.prelude.sorting import is_complex


def _kind(a):
    """The place of its kind in the order of kinds: bool, unsigned, signed, float, complex."""
    if isinstance(a.dtype.type(0), bool):
        return 0
    if isinstance(a.dtype.type(0), (np.uint8, np.uint16, np.uint32, np.uint64)):
        return 1
    if is_complex(a):
        return 4
    return 3 if is_float(a) else 2


def _may_cast(a, to, rule):
    if rule == "unsafe":
        return True
    if rule == "same_kind":
        return _kind(a) <= _kind(to)
    if rule == "safe":
        return np.result_type(a.dtype, to.dtype) == to.dtype
    if rule == "no" or rule == "equiv":
        return a.dtype == to.dtype
    raise ValueError(
        f"casting must be one of 'no', 'equiv', 'safe', 'same_kind', 'unsafe' (got '{rule}')"
    )


def check_cast(a, to, rule):
    """May elements of one array be stored in another one? TypeError."""
    if not _may_cast(a, to, rule):
        what = "scalar" if a.ndim == 0 else "array data"
        raise TypeError(
            f"Cannot cast {what} from dtype('{a.dtype.name}') to dtype('{to.dtype.name}') "
            f"according to the rule '{rule}'"
        )
