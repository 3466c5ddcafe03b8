# subscript_with_a_string: an array is subscripted like a table
# expect: TypingError
# tells: array | str
import numpy as np

from whipsnake import njit


@njit
def column(a):
    return a["price"]


column(np.zeros(3))
