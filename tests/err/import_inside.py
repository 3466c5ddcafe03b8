# import_inside: an import inside a function
# expect: UnsupportedError
# tells: import
from whipsnake import njit


@njit
def root(x):
    import math
    return math.sqrt(x)


root(4.0)
