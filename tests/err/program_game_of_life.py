# program_game_of_life: a longer program: a coordinate is computed with / instead of //
# expect: TypingError
# tells: float64 | centre
import numpy as np

from whipsnake import njit


@njit
def neighbours(world, i, j):
    rows, columns = world.shape
    n = 0
    for di in range(-1, 2):
        for dj in range(-1, 2):
            if di or dj:
                n += world[(i + di) % rows, (j + dj) % columns]
    return n


@njit
def step(world, out):
    for i in range(world.shape[0]):
        for j in range(world.shape[1]):
            n = neighbours(world, i, j)
            out[i, j] = 1 if n == 3 or (n == 2 and world[i, j]) else 0


@njit
def glider(world):
    centre = world.shape[0] / 2
    for di, dj in ((0, 1), (1, 2), (2, 0), (2, 1), (2, 2)):
        world[centre + di, centre + dj] = 1


@njit
def run(size, steps):
    world = np.zeros((size, size), np.uint8)
    out = np.zeros((size, size), np.uint8)
    glider(world)
    for t in range(steps):
        step(world, out)
        world, out = out, world
    return world.sum()


print(run(32, 100))
