# numpy_function_not_supported: a NumPy function that is not supported
# expect: UnsupportedError
# tells: polyfit
import numpy as np

from whipsnake import njit


@njit
def fit(x, y):
    return np.polyfit(x, y, 1)


fit(np.arange(3.0), np.arange(3.0))
