# key_is_no_function: max with a key that is no function
# expect: TypingError
# tells: key
from whipsnake import njit


@njit
def longest(t):
    return max(t, key=1)


longest((1, 2, 3))
