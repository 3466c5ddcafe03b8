"""2-D convolution of a picture with a small kernel, valid part only."""

import numpy as np

from engine import njit

SIZE, SMALL = 320, 40


def work(size):
    return (size - 4) ** 2


def setup(size):
    rng = np.random.default_rng(6)
    image = rng.random((size, size))
    kernel = rng.random((5, 5))
    return image, kernel, np.empty((size - 4, size - 4))


@njit
def run(image, kernel, out):
    kernel_rows, kernel_columns = kernel.shape
    rows = image.shape[0] - kernel_rows + 1
    columns = image.shape[1] - kernel_columns + 1
    for i in range(rows):
        for j in range(columns):
            total = 0.0
            for k in range(kernel_rows):
                for m in range(kernel_columns):
                    total += image[i + k, j + m] * kernel[k, m]
            out[i, j] = total


def check(result, image, kernel, out):
    assert result is None
    windows = np.lib.stride_tricks.sliding_window_view(image, kernel.shape)
    np.testing.assert_allclose(out, np.einsum("ijkm,km->ij", windows, kernel), rtol=1e-12)
