# The outer loop could be a prange: each iteration has a row of its own.
import numpy as np

from whipsnake import njit


@njit
def product(a, b):
    out = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            for j in range(b.shape[1]):
                out[i, j] += a[i, k] * b[k, j]
    return out


product(np.ones((3, 4)), np.ones((4, 5)))
