# none_in_arithmetic: arithmetic with None
# expect: TypingError
# tells: None | +
from whipsnake import njit


@njit
def increase(x):
    return x + 1


increase(None)
