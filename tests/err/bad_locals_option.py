# bad_locals_option: locals names no type
# expect: any
# tells: locals
from whipsnake import njit


@njit(locals={"x": "int46"})
def f(a):
    x = a
    return x


f(1)
