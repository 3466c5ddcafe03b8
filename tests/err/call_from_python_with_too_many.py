# call_from_python_with_too_many: too many arguments in a call from Python: Python's own words
# expect: any
# tells: takes 2 positional arguments but 3 were given
from whipsnake import njit


@njit
def add(a, b):
    return a + b


add(1, 2, 3)
