# matrix_product_dimensions: a matrix product of more than two dimensions
# expect: UnsupportedError
# tells: @ | 4
import numpy as np

from whipsnake import njit


@njit
def product(a, b):
    return a @ b


product(np.zeros((2, 2, 2, 2)), np.zeros((2, 2, 2)))
