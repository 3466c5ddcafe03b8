# string_plus_int: a string and a number are added
# expect: TypingError
# tells: + | str | int64
from whipsnake import njit


@njit
def label(n):
    return "item " + n


label(3)
