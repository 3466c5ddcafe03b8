# unpack_wrong_count: a tuple is unpacked into a different number of names
# expect: TypingError
# tells: 2 | 3
from whipsnake import njit


@njit
def sum3(t):
    a, b, c = t
    return a + b + c


sum3((1, 2))
