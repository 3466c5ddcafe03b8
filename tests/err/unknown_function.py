# unknown_function: a name that is not defined anywhere is called
# expect: TypingError
# tells: normalise
from whipsnake import njit


@njit
def scale(x):
    return normalise(x) * 2


scale(3)
