# too_many_indices: more subscripts than dimensions
# expect: TypingError
# tells: 2 | 3
import numpy as np

from whipsnake import njit


@njit
def corner(a):
    return a[0, 0, 0]


corner(np.zeros((2, 2)))
