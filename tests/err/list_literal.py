# list_literal: a list; the message says what to use instead
# expect: UnsupportedError
# tells: list
from whipsnake import njit


@njit
def collect(n):
    result = []
    for i in range(n):
        result.append(i)
    return len(result)


collect(3)
