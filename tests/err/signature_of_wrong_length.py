# signature_of_wrong_length: a signature with fewer types than the function has parameters
# expect: TypingError
# tells: 2 | 1 | add
from whipsnake import njit


@njit("int64(int64)")
def add(a, b):
    return a + b
