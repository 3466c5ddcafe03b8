"""Sums of floats without rounding on the way, and what is made of them: lengths of vectors.

The building blocks are exact: a sum or product of two floats as the rounded result and its error
(Knuth's and Dekker's methods). Arguments are tuples of float64, one-dimensional arrays, or ranges.
"""

import math

import numpy as np


def _two_sum(a, b):
    """(x, y): x = a + b rounded, y the error."""
    x = a + b
    z = x - a
    return x, (a - (x - z)) + (b - z)


def _split(x):
    """(high, low): x in two halves of 26 bits."""
    t = x * 134217729.0
    high = t - (t - x)
    return high, x - high


def _two_product(a, b):
    """(x, y): x = a * b rounded, y the error; |a| and |b| below 2**996."""
    x = a * b
    ah, al = _split(a)
    bh, bl = _split(b)
    return x, ((ah * bh - x) + ah * bl + al * bh) + al * bl


# -- fsum ---------------------------------------------------------------------------------------


def fsum(seq):
    """math.fsum: Shewchuk's algorithm. The sum so far is kept as floats of growing size that do
    not overlap."""
    if len(seq) == 0:
        return 0.0
    partials = np.empty(40)
    n = 0
    specials = 0.0
    infinities = 0.0
    for item in seq:
        original = float(item)
        x = original
        kept = 0
        for j in range(n):
            y = partials[j]
            if math.fabs(x) < math.fabs(y):
                x, y = y, x
            high = x + y
            low = y - (high - x)
            if low != 0.0:
                partials[kept] = low
                kept += 1
            x = high
        n = kept
        if x != 0.0:
            if not math.isfinite(x):
                if math.isfinite(original):
                    raise OverflowError("intermediate overflow in fsum")
                if math.isinf(original):
                    infinities += original
                specials += original
                n = 0
            else:
                if n == partials.shape[0]:
                    longer = np.empty(2 * n)
                    for j in range(n):
                        longer[j] = partials[j]
                    partials = longer
                partials[n] = x
                n += 1
    if specials != 0.0:
        if math.isnan(infinities):
            raise ValueError("-inf + inf in fsum")
        return specials
    return _sum_partials(partials, n)


def _sum_partials(partials, n):
    """The rounded sum of partials[:n], the largest last."""
    if n == 0:
        return 0.0
    n -= 1
    high = partials[n]
    low = 0.0
    while n > 0:
        n -= 1
        x = high
        y = partials[n]
        high = x + y
        low = y - (high - x)
        if low != 0.0:
            break
    # Half way between two floats: what is left decides.
    if n > 0 and ((low < 0.0 and partials[n - 1] < 0.0) or (low > 0.0 and partials[n - 1] > 0.0)):
        y = low * 2.0
        x = high + y
        if y == x - high:
            high = x
    return high


# -- sumprod ------------------------------------------------------------------------------------


def sumprod(p, q):
    """math.sumprod of floats, as if in three times the precision; from the first overflow (or a
    factor beyond 2**996) on, plainly."""
    if len(p) != len(q):
        raise ValueError("Inputs are not the same length")
    if len(p) == 0:
        return 0.0
    high = 0.0
    middle = 0.0
    low = 0.0
    plain = 0.0
    overflowed = False
    for i in range(len(p)):
        x = float(p[i])
        y = float(q[i])
        if not overflowed:
            product, error = _two_product(x, y)
            total, lost = _two_sum(high, product)
            if math.isfinite(total) and math.isfinite(error):
                carry, carry_lost = _two_sum(middle, error)
                middle, middle_lost = _two_sum(carry, lost)
                high = total
                low = low + carry_lost + middle_lost
            else:
                overflowed = True
                total, lost = _two_sum(middle, high)
                plain = low + lost + total + x * y
        else:
            plain += x * y
    if overflowed:
        return plain
    total, lost = _two_sum(middle, high)
    return low + lost + total


def sumprod_of_ints(p, q):
    """math.sumprod of integers: int64, wrapping like the operators."""
    if len(p) != len(q):
        raise ValueError("Inputs are not the same length")
    if len(p) == 0:
        return 0
    total = 0
    for i in range(len(p)):
        total += int(p[i]) * int(q[i])
    return total


# -- lengths ------------------------------------------------------------------------------------


def hypot(v):
    """math.hypot of three and more coordinates, a tuple of float64: below 1 ulp."""
    largest = 0.0
    has_nan = False
    for x in v:
        a = math.fabs(x)
        has_nan = has_nan or a != a
        largest = max(largest, a)
    return _length(v, v, 0.0, largest, has_nan)


def dist(p, q):
    """math.dist."""
    if len(p) != len(q):
        raise ValueError("both points must have the same number of dimensions")
    if len(p) == 0:
        return 0.0
    largest = 0.0
    has_nan = False
    for i in range(len(p)):
        a = math.fabs(float(p[i]) - float(q[i]))
        has_nan = has_nan or a != a
        largest = max(largest, a)
    return _length(p, q, 1.0, largest, has_nan)


def _length(p, q, minus, largest, has_nan):
    """The length of p - minus * q, whose largest coordinate, NaN left aside, is known."""
    if math.isinf(largest):
        return largest
    if has_nan:
        return math.nan
    if largest == 0.0:
        return 0.0
    # Scaled by a power of two, so that squares neither overflow nor get lost.
    exponent = math.frexp(largest)[1]
    scale = 2.0**1000 if exponent < -1000 else math.ldexp(1.0, -exponent)
    return _scaled_length(p, q, minus, scale) / scale


def _scaled_length(p, q, minus, scale):
    square = 0.0
    rest = 0.0
    for i in range(len(p)):
        x = (float(p[i]) - minus * float(q[i])) * scale
        product, error = _two_product(x, x)
        square, lost = _two_sum(square, product)
        rest += lost + error
    root = math.sqrt(square + rest)
    # One step of Newton's method with the exact square.
    product, error = _two_product(root, root)
    return root + ((square - product) - error + rest) / (2.0 * root)
