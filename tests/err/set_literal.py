# set_literal: a set
# expect: UnsupportedError
# tells: set
from whipsnake import njit


@njit
def distinct(a, b):
    s = {a, b}
    return len(s)


distinct(1, 2)
