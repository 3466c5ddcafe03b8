# args_of_two_kinds: e.args where exceptions with different arguments arrive
# expect: TypingError
# tells: e.args | ValueError(str, int64) | KeyError(float64)
from whipsnake import njit


@njit
def last(n):
    try:
        if n > 3:
            raise ValueError("too large", n)
        raise KeyError(n * 0.5)
    except (ValueError, KeyError) as error:
        return error.args[0]


last(5)
