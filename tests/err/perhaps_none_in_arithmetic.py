# perhaps_none_in_arithmetic: a variable that is None on one path is added to
# expect: TypingError
# tells: None | +
from whipsnake import njit


@njit
def first_negative(a, b):
    found = None
    if a < 0:
        found = a
    elif b < 0:
        found = b
    return found + (1, 2)


first_negative(1, -2)
