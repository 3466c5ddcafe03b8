# numpy_function_of_an_array: a NumPy function of a whole array, which is not built yet
# expect: UnsupportedError
# tells: numpy.exp | loop
import numpy as np

from whipsnake import njit


@njit
def softmax(a):
    e = np.exp(a)
    return e / e.sum()


softmax(np.zeros(3))
