# Each iteration needs the one before.
import numpy as np

from whipsnake import njit


@njit
def accumulate(a):
    for i in range(1, len(a)):
        a[i] += a[i - 1]
    return a


accumulate(np.ones(5))
