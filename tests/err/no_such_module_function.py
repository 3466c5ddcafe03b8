# no_such_module_function: a module has no such function
# expect: TypingError
# tells: math | sinus
import math

from whipsnake import njit


@njit
def f(x):
    return math.sinus(x)


f(1.0)
