# tuple_index_out_of_range: a constant subscript beyond a tuple's end
# expect: TypingError
# tells: 3 | 2
from whipsnake import njit


@njit
def third(t):
    return t[3]


third((1, 2))
