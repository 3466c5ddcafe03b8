# unknown_fastmath_flag: a flag that fastmath does not know
# expect: any
# tells: fastmath | nan
from whipsnake import njit


@njit(fastmath={"nan"})
def f(x):
    return x


f(1.0)
