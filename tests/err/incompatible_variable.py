# incompatible_variable: a variable is a number on one path and a string on the other
# expect: TypingError
# tells: total | str
from whipsnake import njit


@njit
def describe(n):
    total = n
    if n > 3:
        total = "many"
    return total


describe(1)
