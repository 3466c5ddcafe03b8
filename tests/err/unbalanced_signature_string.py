# unbalanced_signature_string: a signature string that can't be read
# expect: TypingError
# tells: int64(int64
from whipsnake import njit


@njit("int64(int64")
def f(x):
    return x
