# index_a_number: a subscript on a number
# expect: TypingError
# tells: int64
from whipsnake import njit


@njit
def first(n):
    return n[0]


first(3)
