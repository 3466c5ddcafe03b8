# reshape_to_a_string: reshape to something that is no shape
# expect: TypingError
# tells: reshape | str
import numpy as np

from whipsnake import njit


@njit
def table(a):
    return a.reshape("2x3")


table(np.zeros(6))
