# prange_variable_carried: a variable is more than a sum
# expect: TypingError
# tells: only adds
import numpy as np

from whipsnake import njit, prange


@njit(parallel=True)
def smooth(a):
    s = 0.0
    for i in prange(len(a)):
        s = 0.5 * s + a[i]
    return s


smooth(np.ones(3))
