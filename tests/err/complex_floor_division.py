# complex_floor_division: floor division of a complex number
# expect: TypingError
# tells: // | complex128
from whipsnake import njit


@njit
def half(z):
    return z // 2


half(3j)
