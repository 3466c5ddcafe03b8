# with_statement: a with statement
# expect: UnsupportedError
# tells: with
from whipsnake import njit


@njit
def read(path):
    with open(path) as file:
        return 1


read("data.txt")
