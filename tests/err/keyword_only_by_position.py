# keyword_only_by_position: a keyword-only parameter is given by position
# expect: TypingError
# tells: takes 1 positional argument but 2 were given
from whipsnake import njit


@njit
def scale(x, *, factor):
    return x * factor


@njit
def caller(x):
    return scale(x, 2)


caller(1)
