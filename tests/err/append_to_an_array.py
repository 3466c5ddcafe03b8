# append_to_an_array: append, as if the array were a list
# expect: TypingError
# tells: append | grow
import numpy as np

from whipsnake import njit


@njit
def collect(n):
    result = np.zeros(0)
    for i in range(n):
        result.append(i * 0.5)
    return result


collect(3)
