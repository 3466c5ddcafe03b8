# array_into_an_element: an array is stored in one element
# expect: TypingError
# tells: array | element
import numpy as np

from whipsnake import njit


@njit
def put(a, row):
    a[0] = row
    return a


put(np.zeros(3), np.ones(3))
