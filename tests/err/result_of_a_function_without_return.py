# result_of_a_function_without_return: the result of a function that returns nothing is used
# expect: TypingError
# tells: None
from whipsnake import njit


@njit
def report(x):
    x + 1


@njit
def f(x):
    return report(x) * 2


f(1)
