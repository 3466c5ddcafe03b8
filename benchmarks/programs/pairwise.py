"""Distances between all pairs of points."""

import math

import numpy as np

from engine import njit

SIZE, SMALL = 500, 40


def work(size):
    return size * size


def setup(size):
    return (np.random.default_rng(18).random((size, 3)),)


@njit
def run(points):
    n, dimensions = points.shape
    distance = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            square = 0.0
            for axis in range(dimensions):
                difference = points[i, axis] - points[j, axis]
                square += difference * difference
            distance[i, j] = math.sqrt(square)
    return distance


def check(result, points):
    expected = np.linalg.norm(points[:, None] - points[None], axis=2)
    np.testing.assert_allclose(result, expected, rtol=1e-12)
