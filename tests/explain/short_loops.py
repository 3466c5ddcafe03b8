# Loops that are written out, and loops that go away.
import numpy as np

from whipsnake import njit


@njit
def corners(x, a):
    s = 0
    for i in range(3):
        a[i] *= x
    for k in range(x):
        s += 3
    return s


corners(5, np.zeros(3))
