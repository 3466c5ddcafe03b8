# list_argument: a list as an argument; the message names numpy.array
# expect: TypingError
# tells: list
from whipsnake import njit


@njit
def total(values):
    s = 0
    for v in values:
        s += v
    return s


total([1, 2, 3])
