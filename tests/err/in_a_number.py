# in_a_number: membership in a number
# expect: TypingError
# tells: in | int64
from whipsnake import njit


@njit
def has(x, n):
    return x in n


has(1, 10)
