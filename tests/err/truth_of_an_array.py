# truth_of_an_array: the truth of a whole array
# expect: any
# tells: whole arrays | float64
import numpy as np

from whipsnake import njit


@njit
def any_positive(a):
    if a > 0:
        return 1
    return 0


any_positive(np.ones(3))
