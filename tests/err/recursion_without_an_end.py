# recursion_without_an_end: recursion with no path that returns: the type can't be inferred
# expect: TypingError
# tells: forever
from whipsnake import njit


@njit
def forever(n):
    return forever(n + 1)


forever(0)
