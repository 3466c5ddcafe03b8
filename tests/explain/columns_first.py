# The inner loop goes down the columns of a C array; the other order does not. Where the columns
# have nothing to do with each other, many go down together.
import numpy as np

from whipsnake import njit


@njit
def scale_columns(a, f):
    for j in range(a.shape[1]):
        for i in range(a.shape[0]):
            a[i, j] *= f[j]


@njit
def scale_rows(a, f):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            a[i, j] *= f[j]


@njit
def total(a):
    s = 0.0
    for j in range(a.shape[1]):
        for i in range(a.shape[0]):
            s += a[i, j]
    return s


scale_columns(np.ones((3, 4)), np.ones(4))
scale_rows(np.ones((3, 4)), np.ones(4))
total(np.ones((3, 4)))
