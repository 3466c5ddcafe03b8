# Loops that end early.
import numpy as np

from whipsnake import njit


@njit
def find(a, x):
    for i in range(len(a)):
        if a[i] == x:
            return i
    return -1


@njit
def halvings(n):
    steps = 0
    while n > 1:
        n //= 2
        steps += 1
    return steps


assert find(np.arange(5.0), 3.0) == 3 and halvings(1000) == 9
