# unpack_in_a_loop: items of a one-dimensional array are unpacked
# expect: TypingError
# tells: unpack | float64
import numpy as np

from whipsnake import njit


@njit
def total(points):
    s = 0.0
    for x, y in points:
        s += x * y
    return s


total(np.zeros(4))
