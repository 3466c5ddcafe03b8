# tuple_grows_in_a_loop: a tuple that gets longer with each turn
# expect: TypingError
# tells: tuple
from whipsnake import njit


@njit
def collect(n):
    items = ()
    for i in range(n):
        items = items + (i,)
    return items


collect(3)
