# math_function_of_an_array: math.sqrt of an array; the message says how to loop
# expect: TypingError
# tells: math.sqrt | array | loop
import math

import numpy as np

from whipsnake import njit


@njit
def roots(a):
    return math.sqrt(a)


roots(np.ones(3))
