# compare_complex: an order between complex numbers
# expect: TypingError
# tells: < | complex128
from whipsnake import njit


@njit
def smaller(a, b):
    return a < b


smaller(1j, 2j)
