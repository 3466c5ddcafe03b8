# slice_with_a_float: a slice up to a float
# expect: TypingError
# tells: slice | float64
import numpy as np

from whipsnake import njit


@njit
def first_half(a):
    return a[:a.size / 2]


first_half(np.zeros(4))
