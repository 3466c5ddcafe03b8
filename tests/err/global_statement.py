# global_statement: assignment to a global
# expect: UnsupportedError
# tells: global | count
from whipsnake import njit


count = 0


@njit
def bump():
    global count
    count += 1


bump()
