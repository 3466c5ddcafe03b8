# comprehension: a list comprehension
# expect: UnsupportedError
# tells: comprehension
from whipsnake import njit


@njit
def squares(n):
    return sum([i * i for i in range(n)])


squares(4)
