# print_to_a_file: print with a keyword that is not supported
# expect: UnsupportedError
# tells: print | file
import sys

from whipsnake import njit


@njit
def show(x):
    print(x, file=sys.stderr)


show(1)
