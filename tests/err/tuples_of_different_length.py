# tuples_of_different_length: two tuples of different lengths meet in one variable
# expect: TypingError
# tells: (int64, int64) | (int64, int64, int64)
from whipsnake import njit


@njit
def corner(n, deep):
    if deep:
        p = (n, n, n)
    else:
        p = (n, n)
    return p


corner(1, True)
