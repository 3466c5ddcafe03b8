# math_function_of_a_string: a function of numbers is given a string
# expect: TypingError
# tells: math.sqrt | str
import math

from whipsnake import njit


@njit
def root(text):
    return math.sqrt(text)


root("4")
