# yield_from: yield from
# expect: UnsupportedError
# tells: yield from
from whipsnake import njit


@njit
def numbers(n):
    yield from range(n)


numbers(3)
