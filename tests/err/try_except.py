# try_except: try
# expect: UnsupportedError
# tells: try
from whipsnake import njit


@njit
def safe(a, b):
    try:
        return a / b
    except ZeroDivisionError:
        return 0.0


safe(1, 0)
