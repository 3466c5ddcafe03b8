"""Softmax of each row."""

import numpy as np

from engine import njit

SIZE, SMALL = 400, 20


def setup(size):
    return (np.random.default_rng(9).normal(size=(size, 200)),)


@njit
def run(a):
    out = np.empty_like(a)
    for i in range(a.shape[0]):
        e = np.exp(a[i] - a[i].max())
        out[i] = e / e.sum()
    return out


def check(result, a):
    e = np.exp(a - a.max(1, keepdims=True))
    np.testing.assert_allclose(result, e / e.sum(1, keepdims=True), rtol=1e-12)
