# builtin_keyword_not_accepted: a keyword that a builtin does not have
# expect: TypingError
# tells: abs | default
from whipsnake import njit


@njit
def f(x):
    return abs(x, default=0)


f(1)
