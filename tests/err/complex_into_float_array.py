# complex_into_float_array: a complex number is stored in an array of floats
# expect: TypingError
# tells: complex128 | float64
import numpy as np

from whipsnake import njit


@njit
def fill(a, z):
    a[0] = z
    return a


fill(np.zeros(3), 1 + 2j)
