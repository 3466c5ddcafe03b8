# range_of_a_float: range of a quotient; the message says what to do
# expect: TypingError
# tells: range | float64
from whipsnake import njit


@njit
def half_sum(n):
    s = 0
    for i in range(n / 2):
        s += i
    return s


half_sum(10)
