# truth_of_an_array: the truth of a whole array
# expect: any
# tells: truth value | (a > 0).any()
import numpy as np

from whipsnake import njit


@njit
def any_positive(a):
    if a > 0:
        return 1
    return 0


any_positive(np.ones(3))
