# no_matching_definition: a function with a signature is called with something else
# expect: TypingError
# tells: str | float64
from whipsnake import njit


@njit("float64(float64)")
def half(x):
    return x / 2


half("4")
