# bits_of_a_float: a bit operation on a float
# expect: TypingError
# tells: & | float64
from whipsnake import njit


@njit
def mask(x):
    return x & 255


mask(3.5)
