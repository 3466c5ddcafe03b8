# star_of_an_array: an array is spread over the arguments
# expect: TypingError
# tells: * | array
import numpy as np

from whipsnake import njit


@njit
def add(a, b):
    return a + b


@njit
def caller(values):
    return add(*values)


caller(np.ones(2))
