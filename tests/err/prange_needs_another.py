# prange_needs_another: an iteration of prange reads what another one writes
# expect: TypingError
# tells: range
import numpy as np

from whipsnake import njit, prange


@njit(parallel=True)
def running(a):
    for i in prange(1, len(a)):
        a[i] = a[i] + a[i - 1]


running(np.ones(3))
