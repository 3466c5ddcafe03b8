# signature_result_impossible: the declared result can't hold what is returned
# expect: TypingError
# tells: float64 | complex128
from whipsnake import njit


@njit("float64(complex128)")
def f(z):
    return z * 2


f(1j)
