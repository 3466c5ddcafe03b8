# assign_to_a_tuple: assignment to an element of a tuple
# expect: TypingError
# tells: tuple
from whipsnake import njit


@njit
def change(t):
    t[0] = 5
    return t


change((1, 2))
