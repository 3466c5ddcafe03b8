"""Light on a surface: the cosine of the angle between its normals, of any length, and the light."""

import math

import numpy as np

from engine import njit

SIZE, SMALL = 300_000, 5_000
LIGHT = (0.6, 0.0, 0.8)


def work(size):
    return size


def setup(size):
    x, y, z = np.random.default_rng(19).normal(size=(3, size))
    return x.copy(), y.copy(), z.copy(), LIGHT, np.empty(size)


@njit
def run(x, y, z, light, out):
    for i in range(len(out)):
        length = math.sqrt(x[i] * x[i] + y[i] * y[i] + z[i] * z[i])
        out[i] = (x[i] * light[0] + y[i] * light[1] + z[i] * light[2]) / length


def check(result, x, y, z, light, out):
    assert result is None
    length = np.sqrt(x * x + y * y + z * z)
    np.testing.assert_array_equal(out, (x * light[0] + y * light[1] + z * light[2]) / length)
