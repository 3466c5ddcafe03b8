# index_with_a_float: a float as a subscript; the message proposes //
# expect: TypingError
# tells: float64 | index
import numpy as np

from whipsnake import njit


@njit
def middle(a):
    return a[a.size / 2]


middle(np.zeros(3))
