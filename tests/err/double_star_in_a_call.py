# double_star_in_a_call: keywords from a dict
# expect: UnsupportedError
# tells: **
from whipsnake import njit


@njit
def add(a, b):
    return a + b


@njit
def caller(options):
    return add(**options)


caller(1)
