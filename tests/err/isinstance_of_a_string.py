# isinstance_of_a_string: isinstance with something that is no type
# expect: TypingError
# tells: isinstance
from whipsnake import njit


@njit
def check(x):
    return isinstance(x, "int")


check(1)
