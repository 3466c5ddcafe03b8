# Where integers become floats, and floats lose digits.
import numpy as np

from whipsnake import njit


@njit
def hash_all(keys, seed, out, small):
    h = seed
    for i in range(len(keys)):
        h = keys[i] * (i + 1)
        out[i] = keys[i] ^ seed
        small[i] = h / 2
    mean = seed / 3 + len(keys)
    return mean


hash_all(np.arange(4, dtype=np.uint64), np.uint64(7), np.zeros(4, np.uint64),
         np.zeros(4, np.float32))
