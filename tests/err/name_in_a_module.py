# name_in_a_module: a name that is there, but in a module that was imported
# expect: NotDefinedError
# tells: float32 | np.float32
import numpy as np

from whipsnake import njit


@njit
def blank(n):
    return np.zeros(n, dtype=float32)


blank(4)
