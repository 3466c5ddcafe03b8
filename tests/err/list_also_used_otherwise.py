# list_also_used_otherwise: a list that is not only made an array of
# expect: UnsupportedError
# tells: list
import numpy as np

from whipsnake import njit


@njit
def corner(x, y):
    point = [x, y]
    return np.array(point), point[0]


corner(1.0, 2.0)
