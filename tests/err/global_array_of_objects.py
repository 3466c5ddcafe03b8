# global_array_of_objects: a global array whose elements compiled code cannot hold
# expect: TypingError
# tells: NAMES | object
import numpy as np

from whipsnake import njit


NAMES = np.array(["a", None], object)


@njit
def first(i):
    return NAMES[i]


first(0)
