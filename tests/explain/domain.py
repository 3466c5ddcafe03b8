# math raises where numpy gives nan.
import math

import numpy as np

from whipsnake import njit


@njit
def with_math(a, out):
    for i in range(len(a)):
        out[i] = math.log(a[i])


@njit
def with_numpy(a, out):
    for i in range(len(a)):
        out[i] = np.log(a[i])


with_math(np.ones(4), np.ones(4))
with_numpy(np.ones(4), np.ones(4))
