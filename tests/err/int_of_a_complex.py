# int_of_a_complex: int of a complex number
# expect: TypingError
# tells: int | complex128
from whipsnake import njit


@njit
def whole(z):
    return int(z)


whole(1 + 2j)
