# numpy_array_of_a_list: numpy.array inside a compiled function
# expect: UnsupportedError
# tells: list
import numpy as np

from whipsnake import njit


@njit
def corner(x, y):
    return np.array([x, y])


corner(1.0, 2.0)
