# variable_used_in_nested_def_and_changed: an inner function assigns a variable of the outer one
# expect: UnsupportedError
# tells: captured
from whipsnake import njit


@njit
def count(n):
    total = 0

    def bump():
        nonlocal total
        total += 1

    for i in range(n):
        bump()
    return total


count(3)
