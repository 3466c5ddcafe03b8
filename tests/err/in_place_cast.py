# in_place_cast: a float cannot be added to an array of integers in place
# expect: TypingError
# tells: a = a + b | int64
import numpy as np

from whipsnake import njit


@njit
def shift(a):
    a += 0.5


shift(np.arange(3))
