# shape_of_floats: an array of a fractional size
# expect: TypingError
# tells: numpy.zeros | float64
import numpy as np

from whipsnake import njit


@njit
def make(n):
    return np.zeros(n / 2)


make(4)
