# wrong_dtype: a dtype that does not exist
# expect: TypingError
# tells: float46
import numpy as np

from whipsnake import njit


@njit
def make(n):
    return np.zeros(n, dtype="float46")


make(3)
