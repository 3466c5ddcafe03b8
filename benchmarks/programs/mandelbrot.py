"""The Mandelbrot set: complex numbers and a helper function, one byte per pixel."""

import numpy as np

from engine import njit

SIZE, SMALL = 180, 24
LIMIT = 100


def work(size):
    return size * size


def setup(size):
    return -2.0, 0.6, -1.2, 1.2, size, size


@njit
def escape_time(c, limit):
    z = 0j
    for i in range(limit):
        z = z * z + c
        if z.real * z.real + z.imag * z.imag > 4.0:
            return i
    return limit


@njit
def run(left, right, bottom, top, width, height):
    image = np.empty((height, width), dtype=np.uint8)
    dx = (right - left) / width
    dy = (top - bottom) / height
    for row in range(height):
        for column in range(width):
            c = complex(left + column * dx, bottom + row * dy)
            image[row, column] = escape_time(c, LIMIT)
    return image


def check(result, left, right, bottom, top, width, height):
    x = left + np.arange(width) * ((right - left) / width)
    y = bottom + np.arange(height) * ((top - bottom) / height)
    c = x + 1j * y[:, None]
    z = np.zeros_like(c)
    times = np.full(c.shape, LIMIT)
    for i in range(LIMIT):
        inside = times == LIMIT
        z[inside] = z[inside] ** 2 + c[inside]
        times[inside & (z.real**2 + z.imag**2 > 4.0)] = i
    # NumPy may fuse the product, so a few points right at the edge leave one step apart.
    assert np.count_nonzero(result != times) <= times.size // 500
