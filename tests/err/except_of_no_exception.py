# except_of_no_exception: except with something that is no exception class
# expect: TypingError
# tells: except
from whipsnake import njit


@njit
def safe(a, b):
    try:
        return a // b
    except 0:
        return 0


safe(1, 0)
