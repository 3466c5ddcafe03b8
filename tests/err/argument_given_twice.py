# argument_given_twice: an argument is given by position and by keyword
# expect: TypingError
# tells: multiple values for argument 'a'
from whipsnake import njit


@njit
def add(a, b):
    return a + b


@njit
def caller(x):
    return add(x, a=x)


caller(1)
