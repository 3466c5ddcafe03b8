# abs_of_a_string: abs of a string
# expect: TypingError
# tells: abs | str
from whipsnake import njit


@njit
def size(x):
    return abs(x)


size("-3")
