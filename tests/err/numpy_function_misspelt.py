# numpy_function_misspelt: a NumPy function that does not exist; the message proposes one
# expect: TypingError
# tells: srqt | 'sqrt'
import numpy as np

from whipsnake import njit


@njit
def root(x):
    return np.srqt(x)


root(2.0)
