# result_of_fill: the result of a method that returns nothing is used
# expect: TypingError
# tells: None
import numpy as np

from whipsnake import njit


@njit
def ones(n):
    a = np.empty(n).fill(1.0)
    return a[0]


ones(3)
