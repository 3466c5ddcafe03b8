# bad_option_value: an option with a value that it does not take
# expect: any
# tells: error_model | pyhton
from whipsnake import njit


@njit(error_model="pyhton")
def f(x):
    return x


f(1)
