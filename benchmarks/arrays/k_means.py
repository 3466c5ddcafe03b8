"""One step of k-means: nearest centre of each point, then the new centres."""

import numpy as np

from engine import njit

SIZE, SMALL = 4_000, 100


def setup(size):
    rng = np.random.default_rng(8)
    return rng.random((size, 8)), rng.random((12, 8))


@njit
def run(points, centres):
    k = centres.shape[0]
    nearest = np.empty(points.shape[0], np.int64)
    for i in range(points.shape[0]):
        d = centres - points[i]
        nearest[i] = np.argmin((d * d).sum(axis=1))
    moved = np.zeros_like(centres)
    for c in range(k):
        chosen = points[nearest == c]
        if chosen.shape[0] > 0:
            moved[c] = chosen.sum(axis=0) / chosen.shape[0]
    return moved


def check(result, points, centres):
    nearest = ((points[:, None] - centres) ** 2).sum(2).argmin(1)
    for c in range(len(centres)):
        if (nearest == c).any():
            np.testing.assert_allclose(result[c], points[nearest == c].mean(0), rtol=1e-10)
