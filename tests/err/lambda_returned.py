# lambda_returned: a function made inside is returned to Python
# expect: any
# tells: function
from whipsnake import njit


@njit
def adder(k):
    return lambda x: x + k


adder(1)
