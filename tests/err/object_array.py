# object_array: an array of Python objects
# expect: TypingError
# tells: object
import numpy as np

from whipsnake import njit


@njit
def first(a):
    return a[0]


first(np.array([1, "a", None], object))
