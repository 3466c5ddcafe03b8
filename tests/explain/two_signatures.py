# One report for each signature.
from whipsnake import njit


@njit
def power(x, n):
    result = 1
    for _ in range(n):
        result *= x
    return result


assert power(3, 4) == 81 and power(0.5, 2) == 0.25
