# attribute_misspelt: an attribute that is nearly one of arrays; the message proposes that
# expect: TypingError
# tells: shpae | 'shape'
import numpy as np

from whipsnake import njit


@njit
def rows(a):
    return a.shpae[0]


rows(np.zeros((3, 2)))
