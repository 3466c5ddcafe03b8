# cause_is_a_text: raise ... from something that is no exception
# expect: TypingError
# tells: exception causes | str | from None
from whipsnake import njit


@njit
def check(n):
    if n < 0:
        raise ValueError("negative") from "check"
    return n


check(5)
