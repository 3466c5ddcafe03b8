"""Conjugate gradient for the Poisson equation on a square: stencil, dot products, updates."""

import numpy as np

from engine import njit

SIZE, SMALL = 96, 16


def work(size):
    return size**3


def setup(size):
    return np.random.default_rng(8).random((size, size)), 1e-8, 10 * size


@njit
def apply_laplacian(u, out):
    rows, columns = u.shape
    for i in range(rows):
        for j in range(columns):
            value = 4.0 * u[i, j]
            if i > 0:
                value -= u[i - 1, j]
            if i < rows - 1:
                value -= u[i + 1, j]
            if j > 0:
                value -= u[i, j - 1]
            if j < columns - 1:
                value -= u[i, j + 1]
            out[i, j] = value


@njit
def dot(a, b):
    total = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            total += a[i, j] * b[i, j]
    return total


@njit
def add_scaled(out, a, factor, b):
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = a[i, j] + factor * b[i, j]


@njit
def run(b, tolerance, max_steps):
    x = np.zeros_like(b)
    residual = b.copy()
    direction = b.copy()
    image = np.empty_like(b)
    square = dot(residual, residual)
    limit = tolerance * tolerance * square
    for step in range(max_steps):
        if square <= limit:
            break
        apply_laplacian(direction, image)
        alpha = square / dot(direction, image)
        add_scaled(x, x, alpha, direction)
        add_scaled(residual, residual, -alpha, image)
        new_square = dot(residual, residual)
        add_scaled(direction, residual, new_square / square, direction)
        square = new_square
    return x


def check(result, b, tolerance, max_steps):
    u = np.pad(result, 1)
    left = 4 * result - u[:-2, 1:-1] - u[2:, 1:-1] - u[1:-1, :-2] - u[1:-1, 2:]
    assert np.linalg.norm(left - b) <= 1.1 * tolerance * np.linalg.norm(b)
