# string_array: an array of strings
# expect: TypingError
# tells: U
import numpy as np

from whipsnake import njit


@njit
def first(a):
    return a[0]


first(np.array(["ab", "cd"]))
