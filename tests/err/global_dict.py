# global_dict: a global dict is read
# expect: TypingError
# tells: TABLE | dict
from whipsnake import njit


TABLE = {"a": 1}


@njit
def lookup(x):
    return TABLE["a"] * x


lookup(2)
