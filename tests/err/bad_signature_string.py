# bad_signature_string: a type in a signature string that does not exist
# expect: TypingError
# tells: int46
from whipsnake import njit


@njit("int46(int64)")
def f(x):
    return x
