# program_monte_carlo: a longer program: the length of an array is computed with /
# expect: TypingError
# tells: numpy.empty | float64 | mean_exit | main
import random

import numpy as np

from whipsnake import njit


@njit
def walk(path):
    x = 0.0
    for t in range(path.size):
        x += random.random() - 0.5
        path[t] = x


@njit
def first_exit(path, limit):
    for t in range(path.size):
        if abs(path[t]) > limit:
            return t
    return None


@njit
def mean_exit(n, steps, limit):
    path = np.empty(steps / 2)
    times = np.empty(n)
    for i in range(n):
        walk(path)
        exit_time = first_exit(path, limit)
        times[i] = steps if exit_time is None else exit_time
    return times.mean()


@njit
def main(limit):
    return mean_exit(100, 1000, limit), limit


print(main(3.0))
