# incompatible_in_loop: a variable changes from a number to an array in a loop
# expect: TypingError
# tells: best
import numpy as np

from whipsnake import njit


@njit
def longest(rows):
    best = 0.0
    for i in range(rows.shape[0]):
        best = rows[i]
    return best


longest(np.zeros((2, 2)))
