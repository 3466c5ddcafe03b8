# keyword_not_accepted: a keyword that the callee does not have
# expect: TypingError
# tells: add | scale
from whipsnake import njit


@njit
def add(a, b):
    return a + b


@njit
def caller(x):
    return add(x, b=x, scale=2)


caller(1)
