# argument_beyond_64_bits: an int argument that no machine integer holds
# expect: any
# tells: 64 bits | 'n'
from whipsnake import njit


@njit
def f(n):
    return n


f(10**30)
