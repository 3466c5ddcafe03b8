# program_n_body: a longer program: a list holds the bodies
# expect: UnsupportedError
# tells: list | bodies
import math

import numpy as np

from whipsnake import njit

G = 6.674e-11


@njit
def energy(positions, velocities, masses):
    e = 0.0
    n = masses.size
    for i in range(n):
        e += 0.5 * masses[i] * (velocities[i] ** 2).sum()
    return e


@njit
def accelerate(positions, velocities, masses, dt):
    n = masses.size
    bodies = []
    for i in range(n):
        bodies.append((positions[i, 0], positions[i, 1], masses[i]))
    for i in range(n):
        ax = ay = 0.0
        for x, y, m in bodies:
            dx, dy = x - positions[i, 0], y - positions[i, 1]
            r2 = dx * dx + dy * dy + 1e-9
            f = G * m / (r2 * math.sqrt(r2))
            ax += f * dx
            ay += f * dy
        velocities[i, 0] += ax * dt
        velocities[i, 1] += ay * dt


positions = np.random.default_rng(1).normal(size=(5, 2))
velocities = np.zeros((5, 2))
masses = np.ones(5)
for t in range(10):
    accelerate(positions, velocities, masses, 0.01)
    positions += velocities * 0.01
