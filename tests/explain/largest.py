# Reductions of several kinds, and a variable whose last value is used.
import numpy as np

from whipsnake import njit


@njit
def survey(a):
    most, count, last = a[0], 0, 0
    for i in range(len(a)):
        most = max(most, a[i])
        if a[i] > 10:
            count += 1
    for i in range(len(a)):
        last = a[i] * 2
    return most, count, last


survey(np.arange(5))
