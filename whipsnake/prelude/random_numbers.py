"""Functions of the module random that draw integers, in CPython's order of draws."""

import math
import random
import sys

_NEW_TEXTS = sys.version_info >= (3, 12)


def _below(n):
    """An int in range(n), n > 0: as many bits as n has, until they are below it."""
    k = n.bit_length()
    r = random.getrandbits(k)
    while r >= n:
        r = random.getrandbits(k)
    return r


def randrange(start, stop=None, step=1):
    """random.randrange."""
    if stop is None:
        n = len(range(start))
        if n == 0:
            raise ValueError("empty range for randrange()")
        return _below(n)
    return _randrange(start, stop, step)


def _randrange(start, stop, step):
    if step == 0:
        raise ValueError("zero step for randrange()")
    n = len(range(start, stop, step))
    if n <= 0:
        if step != 1:
            if _NEW_TEXTS:
                raise ValueError(f"empty range in randrange({start}, {stop}, {step})")
            raise ValueError("empty range for randrange()")
        if _NEW_TEXTS:
            raise ValueError(f"empty range in randrange({start}, {stop})")
        raise ValueError(f"empty range for randrange() ({start}, {stop}, {stop - start})")
    return start + step * _below(n)


def randint(a, b):
    """random.randint."""
    return _randrange(a, b + 1, 1)


def choice(seq):
    """random.choice."""
    if len(seq) == 0:
        raise IndexError("Cannot choose from an empty sequence")
    return seq[_below(len(seq))]


def shuffle(x):
    """random.shuffle of a one-dimensional array."""
    for i in range(len(x) - 1, 0, -1):
        j = _below(i + 1)
        kept = x[i]
        x[i] = x[j]
        x[j] = kept


def triangular(low=0.0, high=1.0, mode=None):
    """random.triangular."""
    u = random.random()
    if mode is None:
        return _triangular(float(low), float(high), u, 0.5)
    if high == low:
        return float(low)
    return _triangular(float(low), float(high), u, (mode - low) / (high - low))


def _triangular(low, high, u, c):
    if u > c:
        return high + (low - high) * math.sqrt((1.0 - u) * (1.0 - c))
    return low + (high - low) * math.sqrt(u * c)
