"""Covariance matrix of columns: means, differences, a product."""

import numpy as np

from engine import njit

SIZE, SMALL = 2_000, 50


def setup(size):
    return (np.random.default_rng(13).random((size, 20)),)


@njit
def run(a):
    centred = a - a.sum(axis=0) / a.shape[0]
    return np.dot(centred.T, centred) / (a.shape[0] - 1)


def check(result, a):
    np.testing.assert_allclose(result, np.cov(a.T), rtol=1e-10, atol=1e-12)
