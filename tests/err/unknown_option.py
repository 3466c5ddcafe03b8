# unknown_option: an option that the decorator does not know; the message proposes the nearest
# expect: any
# tells: fastmaths | fastmath
from whipsnake import njit


@njit(fastmaths=True)
def f(x):
    return x


f(1)
