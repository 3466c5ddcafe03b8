# delete_item: del of an array's element
# expect: UnsupportedError
# tells: del
import numpy as np

from whipsnake import njit


@njit
def drop_first(values):
    del values[0]
    return values


drop_first(np.zeros(3))
