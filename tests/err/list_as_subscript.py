# list_as_subscript: elements picked by a list of places
# expect: UnsupportedError
# tells: lists | np.array
import numpy as np

from whipsnake import njit


@njit
def ends(x):
    places = [0, -1]
    return x[places]


ends(np.arange(5.0))
