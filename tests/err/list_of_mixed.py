# list_of_mixed: a list of different types
# expect: UnsupportedError
# tells: list
from whipsnake import njit


@njit
def mixed(x):
    values = [x, "text", None]
    return values[0]


mixed(1)
