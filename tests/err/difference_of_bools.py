# difference_of_bools: NumPy has no difference of bools, neither do we
# expect: TypingError
# tells: a ^ b
import numpy as np

from whipsnake import njit


@njit
def changed(a):
    return a[1:] - a[:-1]


changed(np.zeros(3, np.bool_))
