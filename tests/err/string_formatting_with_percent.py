# string_formatting_with_percent: old-style formatting; the message proposes an f-string
# expect: TypingError
# tells: % | str
from whipsnake import njit


@njit
def label(n):
    return "%d items" % n


label(3)
