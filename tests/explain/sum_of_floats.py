# A sum of floats keeps its order, so it is not vectorized; under reassoc it is.
import numpy as np

from whipsnake import njit


@njit
def total(a):
    s = 0.0
    for x in a:
        s += x
    return s


@njit(fastmath={"reassoc"})
def total_in_any_order(a):
    s = 0.0
    for x in a:
        s += x
    return s


a = np.arange(10.0)
assert total(a) == total_in_any_order(a) == 45.0
