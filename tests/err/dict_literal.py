# dict_literal: a dict
# expect: UnsupportedError
# tells: dict
from whipsnake import njit


@njit
def lookup(k):
    table = {1: 10, 2: 20}
    return table[k]


lookup(1)
