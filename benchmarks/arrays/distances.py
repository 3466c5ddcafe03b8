"""Euclidean distances of all pairs of points, one row at a time."""

import numpy as np

from engine import njit

SIZE, SMALL = 500, 20


def setup(size):
    return (np.random.default_rng(10).random((size, 3)),)


@njit
def run(points):
    out = np.empty((points.shape[0], points.shape[0]))
    for i in range(points.shape[0]):
        d = points - points[i]
        out[i] = np.sqrt((d * d).sum(axis=1))
    return out


def check(result, points):
    want = np.sqrt(((points[:, None] - points) ** 2).sum(2))
    np.testing.assert_allclose(result, want, rtol=1e-12)
