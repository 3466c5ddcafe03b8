# global_string_in_arithmetic: a global turns out to be a string
# expect: TypingError
# tells: str | FACTOR
from whipsnake import njit


FACTOR = "2.5"


@njit
def scale(x):
    return x * FACTOR


scale(2.0)
