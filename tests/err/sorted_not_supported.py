# sorted_not_supported: sorted
# expect: UnsupportedError
# tells: sorted
from whipsnake import njit


@njit
def median(t):
    return sorted(t)[1]


median((3, 1, 2))
