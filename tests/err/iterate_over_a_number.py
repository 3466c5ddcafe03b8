# iterate_over_a_number: a loop over a number; the message proposes range
# expect: TypingError
# tells: int64
from whipsnake import njit


@njit
def total(n):
    s = 0
    for i in n:
        s += i
    return s


total(10)
