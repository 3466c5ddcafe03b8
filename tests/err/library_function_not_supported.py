# library_function_not_supported: a function of a module that compiled code can't call
# expect: UnsupportedError
# tells: os.getcwd
import os

from whipsnake import njit


@njit
def here(x):
    os.getcwd()
    return x


here(1)
