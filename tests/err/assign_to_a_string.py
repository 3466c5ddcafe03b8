# assign_to_a_string: a character of a string is assigned
# expect: TypingError
# tells: str
from whipsnake import njit


@njit
def capitalise(s):
    s[0] = "A"
    return s


capitalise("abc")
