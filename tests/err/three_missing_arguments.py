# three_missing_arguments: several arguments are left out; they are listed as Python does
# expect: TypingError
# tells: missing 3 required positional arguments: 'b', 'c', and 'd'
from whipsnake import njit


@njit
def blend(a, b, c, d):
    return a * b + c * d


@njit
def caller(x):
    return blend(x)


caller(1)
