# file_not_supported: open
# expect: UnsupportedError
# tells: open
from whipsnake import njit


@njit
def load(n):
    f = open("data.txt")
    return n


load(1)
