# args_of_own_init: e.args of a class whose __init__ decides what they are
# expect: TypingError
# tells: e.args | StateError(str, int64) | __init__
from whipsnake import njit


class StateError(Exception):
    def __init__(self, name, code):
        super().__init__(f"{name}: {code}")


@njit
def last(n):
    try:
        raise StateError("closed", n)
    except StateError as error:
        return error.args[0]


last(5)
