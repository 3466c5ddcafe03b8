# Inner functions and lambdas are at their own lines; variables of several types.
from whipsnake import njit


@njit
def outer(n):
    def inner(k):
        t = k * 0.5
        return t

    x = n
    if n > 3:
        x = None
    halves = inner(n) + (lambda v: v + 1)(n)
    return halves, x


outer(5)
