"""Operations on one element of an array that no other thread can come between.

    @njit(parallel=True)
    def count(k, h):
        for i in prange(len(k)):
            atomic.add(h, k[i], 1)

Each takes an array of integers, float32 or float64, the subscript of an element (an integer, or a
tuple with one for each axis), and numbers, and gives what the element was before. They work in
compiled functions and in plain Python, which calls compiled ones.
"""

import functools as _functools
import inspect as _inspect
import threading as _threading

from whipsnake import decorators as _decorators
from whipsnake import errors as _errors

__all__ = ["load", "add", "sub", "min", "max", "and_", "or_", "xor", "exchange",
           "compare_exchange"]


def _compiled(plain):
    """The function as it is called in plain Python: by way of a compiled function that calls it,
    so that it cannot meet those of threads that do without the GIL."""
    if _decorators._is_disabled():
        one_at_a_time = _threading.Lock()

        def call(*args, **kwargs):
            with one_at_a_time:
                return plain(*args, **kwargs)

        return _functools.wraps(plain)(call)

    @_decorators.njit
    def compiled(*args):
        return call(*args)

    def call(*args, **kwargs):
        if kwargs:
            args = _inspect.signature(plain).bind(*args, **kwargs).args
        try:
            return compiled(*args)
        except _errors.TypingError as e:  # about that function: what it says is enough
            raise _errors.TypingError(str(e).splitlines()[0]) from None

    return _functools.wraps(plain)(call)


@_compiled
def load(ary, idx):
    """ary[idx], as one whole."""
    return ary[idx].item()


@_compiled
def add(ary, idx, value):
    """ary[idx] += value; the old value."""
    old = ary[idx].item()
    ary[idx] += value
    return old


@_compiled
def sub(ary, idx, value):
    """ary[idx] -= value; the old value."""
    old = ary[idx].item()
    ary[idx] -= value
    return old


@_compiled
def min(ary, idx, value):
    """The smaller of ary[idx] and value stays there; a NaN always does. The old value."""
    old = ary[idx].item()
    if not old != old and not old <= value:
        ary[idx] = value
    return old


@_compiled
def max(ary, idx, value):
    """The larger of ary[idx] and value stays there; a NaN always does. The old value."""
    old = ary[idx].item()
    if not old != old and not old >= value:
        ary[idx] = value
    return old


@_compiled
def and_(ary, idx, value):
    """ary[idx] &= value, for integers; the old value."""
    old = ary[idx].item()
    ary[idx] &= value
    return old


@_compiled
def or_(ary, idx, value):
    """ary[idx] |= value, for integers; the old value."""
    old = ary[idx].item()
    ary[idx] |= value
    return old


@_compiled
def xor(ary, idx, value):
    """ary[idx] ^= value, for integers; the old value."""
    old = ary[idx].item()
    ary[idx] ^= value
    return old


@_compiled
def exchange(ary, idx, value):
    """ary[idx] = value; the old value."""
    old = ary[idx].item()
    ary[idx] = value
    return old


@_compiled
def compare_exchange(ary, idx, expected, value):
    """ary[idx] = value, if it was `expected`, bit for bit; the old value."""
    old = ary[idx].item()
    if ary[idx].tobytes() == ary.dtype.type(expected).tobytes():
        ary[idx] = value
    return old
