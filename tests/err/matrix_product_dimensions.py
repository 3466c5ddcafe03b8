# matrix_product_dimensions: a matrix product of an array without dimensions
# expect: UnsupportedError
# tells: @ | 4
import numpy as np

from whipsnake import njit


@njit
def product(a, b):
    return a @ b


product(np.array(2.0), np.zeros(2))
