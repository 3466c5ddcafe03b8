# zip_with_a_number: zip of an array and a number
# expect: TypingError
# tells: zip | int64
import numpy as np

from whipsnake import njit


@njit
def pairs(a, n):
    s = 0.0
    for x, i in zip(a, n):
        s += x * i
    return s


pairs(np.ones(3), 3)
