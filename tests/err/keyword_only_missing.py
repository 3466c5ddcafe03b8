# keyword_only_missing: a keyword-only parameter is left out
# expect: TypingError
# tells: missing 1 required keyword-only argument: 'factor'
from whipsnake import njit


@njit
def scale(x, *, factor):
    return x * factor


@njit
def caller(x):
    return scale(x)


caller(1)
