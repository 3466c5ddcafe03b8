# no_such_array_method: a method that arrays do not have
# expect: TypingError
# tells: push_back | float64
import numpy as np

from whipsnake import njit


@njit
def extend(a, x):
    a.push_back(x)
    return a


extend(np.zeros(3), 1.0)
