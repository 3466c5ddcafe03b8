# An array with gaps between its elements.
import numpy as np

from whipsnake import njit


@njit
def shift(a, by):
    for i in range(len(a)):
        a[i] = a[i] + by


m = np.ones((4, 3))
shift(m[:, 1], 2.0)
shift(m[1], 2.0)
assert m.sum() == 26.0
