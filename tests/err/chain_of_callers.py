# chain_of_callers: a mistake three calls deep: every call on the way is shown
# expect: TypingError
# tells: is called from middle | is called from outer | str
from whipsnake import njit


@njit
def twice(x):
    return x / 2


@njit
def middle(x):
    return twice(x) + 1


@njit
def outer(x):
    return middle(x) * 3


outer("4")
