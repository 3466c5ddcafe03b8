# generator_of_numpy: a random Generator made in compiled code
# expect: UnsupportedError
# tells: numpy.random.default_rng | np.random.default_rng(seed) | numpy.random.seed
import numpy as np

from whipsnake import njit


@njit
def draw(seed):
    return np.random.default_rng(seed).random()


draw(1)
