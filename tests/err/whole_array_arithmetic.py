# whole_array_arithmetic: arithmetic on whole arrays, which is not built yet
# expect: UnsupportedError
# tells: whole arrays | loop
import numpy as np

from whipsnake import njit


@njit
def scale(a, k):
    return a * k + 1


scale(np.zeros(3), 2.0)
