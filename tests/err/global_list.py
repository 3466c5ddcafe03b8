# global_list: a global list is read
# expect: TypingError
# tells: WEIGHTS | list
from whipsnake import njit


WEIGHTS = [0.25, 0.5, 0.25]


@njit
def smooth(a, b, c):
    return WEIGHTS[0] * a + WEIGHTS[1] * b + WEIGHTS[2] * c


smooth(1.0, 2.0, 3.0)
