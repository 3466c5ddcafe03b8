# Subscripts from data: checked in every iteration, and two iterations may meet.
import numpy as np

from whipsnake import njit


@njit
def count(values, bins):
    for v in values:
        bins[v] += 1
    return bins


count(np.array([1, 2, 2]), np.zeros(4, np.int64))
