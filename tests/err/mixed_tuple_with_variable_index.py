# mixed_tuple_with_variable_index: an index known at run time into a tuple of different types
# expect: TypingError
# tells: int64 | float64
from whipsnake import njit


@njit
def pick(t, i):
    return t[i]


pick((1, 2.5, True, None), 1)
