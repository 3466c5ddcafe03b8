# program_cellular: a longer program: a variable changes its type between two loops
# expect: TypingError
# tells: state | array | int64
import numpy as np

from whipsnake import njit


@njit
def rule_bit(rule, left, centre, right):
    return rule >> (left * 4 + centre * 2 + right) & 1


@njit
def evolve(rule, width, steps):
    history = np.zeros((steps, width), np.int64)
    state = 0
    for t in range(steps):
        if t == 0:
            history[0, width // 2] = 1
        else:
            state = history[t - 1]
            for i in range(width):
                left = state[(i - 1) % width]
                right = state[(i + 1) % width]
                history[t, i] = rule_bit(rule, left, state[i], right)
    return history, state


@njit
def density(history):
    ones = 0
    for row in history:
        for cell in row:
            ones += cell
    return ones / history.size


print(density(evolve(30, 64, 32)[0]))
