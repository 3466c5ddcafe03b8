# array_plus_tuple: an array and a mixed tuple are added
# expect: TypingError
# tells: + | tuple (int64, str)
import numpy as np

from whipsnake import njit


@njit
def shift(points, offset):
    return points + offset


shift(np.zeros(3), (1, "a"))
