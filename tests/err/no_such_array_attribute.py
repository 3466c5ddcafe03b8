# no_such_array_attribute: an attribute that arrays do not have
# expect: TypingError
# tells: length | float64
import numpy as np

from whipsnake import njit


@njit
def count(a):
    return a.length


count(np.zeros(3))
