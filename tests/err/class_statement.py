# class_statement: a class statement inside a function
# expect: UnsupportedError
# tells: class
from whipsnake import njit


@njit
def build(x):
    class Point:
        pass
    return x


build(1)
