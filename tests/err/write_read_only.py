# write_read_only: writing to a read-only array
# expect: TypingError
# tells: read
import numpy as np

from whipsnake import njit


@njit
def clear(a):
    a[0] = 0.0


data = np.ones(3)
data.flags.writeable = False
clear(data)
