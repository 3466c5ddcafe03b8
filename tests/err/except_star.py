# except_star: except*
# expect: UnsupportedError
# tells: except*
from whipsnake import njit


@njit
def safe(a, b):
    try:
        a //= b
    except* ZeroDivisionError:
        a = 0
    return a


safe(1, 0)
