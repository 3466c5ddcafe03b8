# non_native_byte_order: an array in the other byte order
# expect: TypingError
# tells: byte order
import numpy as np

from whipsnake import njit


@njit
def first(a):
    return a[0]


first(np.zeros(3, ">f8"))
