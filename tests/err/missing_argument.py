# missing_argument: a compiled function is called with too few arguments
# expect: TypingError
# tells: add | 'b'
from whipsnake import njit


@njit
def add(a, b):
    return a + b


@njit
def caller(x):
    return add(x)


caller(1)
