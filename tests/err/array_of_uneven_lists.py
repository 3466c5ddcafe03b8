# array_of_uneven_lists: rows of different lengths
# expect: TypingError
# tells: numpy.array | one length at each depth
import numpy as np

from whipsnake import njit


@njit
def table():
    return np.array([[1, 2], [3]])


table()
