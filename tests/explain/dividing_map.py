# Divisions are checked in strips; without the check there are none.
import numpy as np

from whipsnake import njit


@njit
def ratio(a, b, out):
    for i in range(len(out)):
        out[i] = a[i] / b[i]


@njit(error_model="numpy")
def ratio_unchecked(a, b, out):
    for i in range(len(out)):
        out[i] = a[i] / b[i]


a = np.arange(1.0, 9.0)
ratio(a, a, np.empty(8))
ratio_unchecked(a, a, np.empty(8))
