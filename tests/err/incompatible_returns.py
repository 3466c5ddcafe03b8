# incompatible_returns: two return statements of types that have nothing in common; both are shown
# expect: TypingError
# tells: float64 | return
import numpy as np

from whipsnake import njit


@njit
def first_or_all(a, whole):
    if whole:
        return a
    return a[0]


first_or_all(np.zeros(3), True)
