# program_gradient_descent: a longer program: the result of a helper without a return is used
# expect: TypingError
# tells: step | None
import numpy as np

from whipsnake import njit


@njit
def loss(w, x, y):
    total = 0.0
    for i in range(x.shape[0]):
        error = w[0] + w[1] * x[i] - y[i]
        total += error * error
    return total / x.shape[0]


@njit
def step(w, x, y, rate):
    g0 = g1 = 0.0
    for i in range(x.shape[0]):
        error = w[0] + w[1] * x[i] - y[i]
        g0 += error
        g1 += error * x[i]
    w[0] -= rate * g0 / x.shape[0]
    w[1] -= rate * g1 / x.shape[0]


@njit
def train(x, y, steps, rate):
    w = np.zeros(2)
    best = np.inf
    for t in range(steps):
        change = step(w, x, y, rate)
        if change < 1e-9:
            break
        best = min(best, loss(w, x, y))
    return w, best


x = np.linspace(0, 1, 50)
print(train(x, 2 * x + 1, 1000, 0.5))
