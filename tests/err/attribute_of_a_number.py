# attribute_of_a_number: an array's attribute asked of a number
# expect: TypingError
# tells: size | int64
from whipsnake import njit


@njit
def count(a):
    return a.size


count(3)
