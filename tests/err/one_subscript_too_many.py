# one_subscript_too_many: a subscript on what is a number already
# expect: TypingError
# tells: float64 | subscript
import numpy as np

from whipsnake import njit


@njit
def corner(a):
    return a[0][0][0]


corner(np.zeros((2, 2)))
