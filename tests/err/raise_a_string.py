# raise_a_string: a string is raised
# expect: TypingError
# tells: exceptions | str
from whipsnake import njit


@njit
def check(x):
    if x < 0:
        raise "negative"
    return x


check(1)
