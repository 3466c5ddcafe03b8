# error_in_a_callee: a mistake in a called function: both the call and the line are shown
# expect: TypingError
# tells: inner(x) | no_such
from whipsnake import njit


@njit
def inner(x):
    return x.no_such


@njit
def outer(x):
    return inner(x) + 1


outer(1)
