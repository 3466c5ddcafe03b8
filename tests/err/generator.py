# generator: yield
# expect: UnsupportedError
# tells: yield
from whipsnake import njit


@njit
def count(n):
    for i in range(n):
        yield i


count(3)
