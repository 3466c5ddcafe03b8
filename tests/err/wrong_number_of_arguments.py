# wrong_number_of_arguments: a compiled function is called with too many arguments
# expect: TypingError
# tells: add | 2 | 3
from whipsnake import njit


@njit
def add(a, b):
    return a + b


@njit
def caller(x):
    return add(x, x, x)


caller(1)
