# prange_subscript_from_data: two iterations of prange may write to one element
# expect: TypingError
# tells: array of its own
import numpy as np

from whipsnake import njit, prange


@njit(parallel=True)
def count(values, bins):
    for i in prange(len(values)):
        bins[values[i]] += 1


count(np.array([1, 2, 2]), np.zeros(4, np.int64))
