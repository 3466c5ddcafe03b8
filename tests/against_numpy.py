"""Compare a function of NumPy as it is and compiled."""

import numpy as np

from support import assert_same, compiled, unwrap


def outcome(function, args):
    """What it returns or raises, and the arguments afterwards."""
    args = [a.copy(order="K") if isinstance(a, np.ndarray) else a for a in args]
    try:
        with np.errstate(all="ignore"):
            return function(*args), None, args
    except Exception as error:
        return None, error, args


def same_as_numpy(function, *args, ulp=2, strides=True, raises=False):
    """The function as it is and compiled, on copies of the arguments. raises: NumPy must raise, or
    must not; None: it may."""
    want, want_error, want_args = outcome(function, args)
    assert raises is None or raises == (want_error is not None), repr(want_error)
    got, got_error, got_args = outcome(compiled(function), args)
    if want_error is not None or got_error is not None:
        assert type(got_error) is type(want_error), f"{got_error!r} instead of {want_error!r}"
        assert str(got_error) == str(want_error)
        return
    want = tuple(want) if isinstance(want, list) else want  # of split
    if not strides:
        want, got = without_strides(want), without_strides(got)
    assert_same(got, unwrap(want), ulp=ulp)
    for g, w in zip(got_args, want_args):
        np.testing.assert_array_equal(g, w)


def without_strides(value):
    if isinstance(value, tuple):
        return tuple(without_strides(v) for v in value)
    return np.ascontiguousarray(value) if isinstance(value, np.ndarray) and value.ndim else value
