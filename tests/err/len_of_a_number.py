# len_of_a_number: len of a number
# expect: TypingError
# tells: len | float64
from whipsnake import njit


@njit
def count(x):
    return len(x)


count(1.5)
