# subclass_of_array: a matrix, which multiplies unlike an array
# expect: TypingError
# tells: asarray
import numpy as np

from whipsnake import njit


@njit
def first(m):
    return m[0, 0]


first(np.ma.masked_array([[1.0, 2.0]]))
