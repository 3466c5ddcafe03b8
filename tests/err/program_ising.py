# program_ising: a longer program: a NumPy function gets an axis that compiled code does not take
# expect: any
# tells: magnetisation | axis
import numpy as np

from whipsnake import njit


@njit
def neighbours(spins, i, j):
    n, m = spins.shape
    return (spins[(i + 1) % n, j] + spins[i - 1, j]
            + spins[i, (j + 1) % m] + spins[i, j - 1])


@njit
def sweep(spins, beta):
    for _ in range(spins.size):
        i = np.random.randint(0, spins.shape[0])
        j = np.random.randint(0, spins.shape[1])
        change = 2.0 * spins[i, j] * neighbours(spins, i, j)
        if change <= 0.0 or np.random.random() < np.exp(-beta * change):
            spins[i, j] = -spins[i, j]


@njit
def magnetisation(spins):
    return np.unique(spins, axis=0)


@njit
def simulate(n, steps, beta):
    spins = np.ones((n, n))
    for _ in range(steps):
        sweep(spins, beta)
    return magnetisation(spins)


simulate(8, 10, 0.4)
