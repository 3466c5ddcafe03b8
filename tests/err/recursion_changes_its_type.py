# recursion_changes_its_type: recursion that returns a text at its end and a number before
# expect: TypingError
# tells: str | countdown
from whipsnake import njit


@njit
def countdown(n):
    if n == 0:
        return "done"
    return countdown(n - 1) + 1


countdown(3)
