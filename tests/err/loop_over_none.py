# loop_over_none: a loop over None
# expect: TypingError
# tells: None
from whipsnake import njit


@njit
def total(values):
    s = 0
    for v in values:
        s += v
    return s


total(None)
