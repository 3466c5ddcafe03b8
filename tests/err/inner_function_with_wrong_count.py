# inner_function_with_wrong_count: an inner function is called with too many arguments
# expect: TypingError
# tells: square | 1 | 2
from whipsnake import njit


@njit
def outer(x):
    def square(y):
        return y * y

    return square(x, 2)


outer(3)
