# Loops with prange: on several threads, or on one, and why.
import numpy as np

from whipsnake import njit, prange


@njit(parallel=True)
def scale(a, out):
    biggest = 0.0
    for i in prange(len(a)):
        out[i] = a[i] * 2
        biggest = max(biggest, out[i])
    for i in prange(len(a)):
        out[i // 2] = a[i]
    return biggest


scale(np.array([1.0, 2.0]), np.zeros(2))
