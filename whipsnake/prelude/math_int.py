"""Functions of the module math on integers. All take and give int64; what does not fit raises."""

import math


def factorial(n):
    """math.factorial."""
    if n < 0:
        raise ValueError("factorial() not defined for negative values")
    if n > 20:
        raise OverflowError("the result does not fit in a 64-bit integer")
    product = 1
    for i in range(2, n + 1):
        product *= i
    return product


def comb(n, k):
    """math.comb."""
    if n < 0:
        raise ValueError("n must be a non-negative integer")
    if k < 0:
        raise ValueError("k must be a non-negative integer")
    if k > n:
        return 0
    if k > n - k:
        k = n - k
    ways = 1
    for i in range(1, k + 1):
        # ways * (n - k + i) / i, divided before it is multiplied: the ways only grow, so what
        # overflows here would not fit at the end either.
        common = math.gcd(ways, i)
        ways = _product(ways // common, (n - k + i) // (i // common))
    return ways


def perm(n, k):
    """math.perm with both arguments."""
    if n < 0:
        raise ValueError("n must be a non-negative integer")
    if k < 0:
        raise ValueError("k must be a non-negative integer")
    if k > n:
        return 0
    ways = 1
    for i in range(k):
        ways = _product(ways, n - i)
    return ways


def _product(a, b):
    """a * b of two positive int64."""
    if a > 9223372036854775807 // b:
        raise OverflowError("the result does not fit in a 64-bit integer")
    return a * b
