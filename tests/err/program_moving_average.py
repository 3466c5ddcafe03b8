# program_moving_average: a longer program: a helper gives an array or None, and that is subscripted
# expect: TypingError
# tells: None | window
import numpy as np

from whipsnake import njit


@njit
def window(values, size):
    if size < 2:
        return None
    out = np.empty(len(values) - size + 1)
    total = 0.0
    for i in range(len(values)):
        total += values[i]
        if i >= size:
            total -= values[i - size]
        if i >= size - 1:
            out[i - size + 1] = total / size
    return out


@njit
def crossings(values, short, long):
    fast = window(values, short)
    slow = window(values, long)
    count = 0
    for i in range(1, len(slow)):
        if (fast[i] > slow[i]) != (fast[i - 1] > slow[i - 1]):
            count += 1
    return count


prices = np.cumsum(np.random.default_rng(1).normal(size=500))
crossings(prices, 5, 20)
