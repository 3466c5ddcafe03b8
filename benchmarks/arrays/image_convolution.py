"""A 5 x 5 filter over an image, by shifted slices."""

import numpy as np

from engine import njit

SIZE, SMALL = 300, 20


def setup(size):
    rng = np.random.default_rng(17)
    return rng.random((size, size)), rng.random((5, 5))


@njit
def run(image, kernel):
    h, w = image.shape[0] - 4, image.shape[1] - 4
    out = np.zeros((h, w))
    for i in range(5):
        for j in range(5):
            out += kernel[i, j] * image[i:i + h, j:j + w]
    return out


def check(result, image, kernel):
    h, w = image.shape[0] - 4, image.shape[1] - 4
    want = sum(kernel[i, j] * image[i:i + h, j:j + w] for i in range(5) for j in range(5))
    np.testing.assert_allclose(result, want, rtol=1e-10)
