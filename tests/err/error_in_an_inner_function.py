# error_in_an_inner_function: a mistake in an inner function about what it captured
# expect: TypingError
# tells: captured | str
from whipsnake import njit


@njit
def outer(x, label):
    def shift(y):
        return y + label

    return shift(x)


outer(3, "a")
