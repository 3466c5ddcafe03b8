"""Planets around the sun, symplectic Euler steps; returns the energy at the end."""

import math

import numpy as np

from engine import njit

SIZE, SMALL = 20_000, 200
STEP = 0.01


def work(size):
    return size


def setup(size):
    position = np.array(
        [
            [0.0, 0.0, 0.0],
            [4.84143144, -1.16032004, -0.10362204],
            [8.34336671, 4.12479856, -0.40352341],
            [12.8943695, -15.1111514, -0.22330758],
            [15.3796971, -25.9193146, 0.17925877],
        ]
    )
    velocity = np.array(
        [
            [0.0, 0.0, 0.0],
            [0.60632639, 2.81198684, -0.02521836],
            [-1.01077434, 1.82566237, 0.00841576],
            [1.08279100, 0.86871301, -0.01083263],
            [0.97909073, 0.59469899, -0.03475595],
        ]
    )
    mass = np.array([39.47841760, 0.03769367, 0.01128632, 0.00172372, 0.00203368])
    return position, velocity, mass, size


@njit
def advance(position, velocity, mass, dt):
    n = len(mass)
    for i in range(n):
        for j in range(i + 1, n):
            dx = position[i, 0] - position[j, 0]
            dy = position[i, 1] - position[j, 1]
            dz = position[i, 2] - position[j, 2]
            square = dx * dx + dy * dy + dz * dz
            pull = dt / (square * math.sqrt(square))
            velocity[i, 0] -= dx * mass[j] * pull
            velocity[i, 1] -= dy * mass[j] * pull
            velocity[i, 2] -= dz * mass[j] * pull
            velocity[j, 0] += dx * mass[i] * pull
            velocity[j, 1] += dy * mass[i] * pull
            velocity[j, 2] += dz * mass[i] * pull
    for i in range(n):
        for axis in range(3):
            position[i, axis] += dt * velocity[i, axis]


@njit
def energy(position, velocity, mass):
    total = 0.0
    for i in range(len(mass)):
        speed = 0.0
        for axis in range(3):
            speed += velocity[i, axis] ** 2
        total += 0.5 * mass[i] * speed
        for j in range(i + 1, len(mass)):
            square = 0.0
            for axis in range(3):
                square += (position[i, axis] - position[j, axis]) ** 2
            total -= mass[i] * mass[j] / math.sqrt(square)
    return total


@njit
def run(position, velocity, mass, steps):
    position = position.copy()
    velocity = velocity.copy()
    for _ in range(steps):
        advance(position, velocity, mass, STEP)
    return energy(position, velocity, mass)


def check(result, position, velocity, mass, steps):
    distance = np.linalg.norm(position[:, None] - position[None], axis=2)
    pairs = np.triu_indices(len(mass), 1)
    start = 0.5 * (mass * (velocity**2).sum(axis=1)).sum()
    start -= (np.outer(mass, mass)[pairs] / distance[pairs]).sum()
    # The method keeps the energy to a fraction of the step.
    np.testing.assert_allclose(result, start, rtol=5e-3)
