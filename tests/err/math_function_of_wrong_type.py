# math_function_of_wrong_type: a function of integers is given a float
# expect: TypingError
# tells: math.gcd | float64 | integers
import math

from whipsnake import njit


@njit
def common(a, b):
    return math.gcd(a, b)


common(6, 4.0)
