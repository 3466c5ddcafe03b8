# undefined_name: a misspelt variable; the message proposes the one that exists
# expect: TypingError
# tells: lenght | length
from whipsnake import njit


@njit
def area(length, width):
    return lenght * width


area(2, 3)
