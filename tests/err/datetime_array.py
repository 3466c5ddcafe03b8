# datetime_array: an array of dates
# expect: TypingError
# tells: datetime64
import numpy as np

from whipsnake import njit


@njit
def first(a):
    return a[0]


first(np.array(["2024-01-01"], "datetime64[D]"))
