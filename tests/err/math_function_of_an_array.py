# math_function_of_an_array: math.sqrt of an array; the message tells of NumPy's
# expect: TypingError
# tells: math.sqrt | array | np.sqrt
import math

import numpy as np

from whipsnake import njit


@njit
def roots(a):
    return math.sqrt(a)


roots(np.ones(3))
