# integer_beyond_64_bits: an integer literal that no machine integer holds
# expect: UnsupportedError
# tells: 64 bits
from whipsnake import njit


@njit
def big(x):
    return x + 100000000000000000000


big(1)
