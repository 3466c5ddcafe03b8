# call_a_number: a number is called
# expect: TypingError
# tells: int64 | call
from whipsnake import njit


@njit
def apply(f, x):
    return f(x)


apply(3, 4)
