# max_of_one_number: max of one number
# expect: TypingError
# tells: max | int64
from whipsnake import njit


@njit
def largest(n):
    return max(n)


largest(3)
