# All subscripts of a nest are checked once, before it.
import numpy as np

from whipsnake import njit


@njit
def smooth(a, out):
    n, m = a.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            out[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])


smooth(np.ones((5, 6)), np.ones((5, 6)))
