# call_from_python_with_unknown_keyword: an unknown keyword from Python: its own words
# expect: any
# tells: unexpected keyword argument 'c'
from whipsnake import njit


@njit
def add(a, b):
    return a + b


add(1, b=2, c=3)
