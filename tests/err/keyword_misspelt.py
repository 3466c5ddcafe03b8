# keyword_misspelt: a keyword that is nearly a parameter's name; the message proposes that
# expect: TypingError
# tells: lenght | length
from whipsnake import njit


@njit
def area(length, width=1):
    return length * width


@njit
def caller(x):
    return area(lenght=x)


caller(1)
