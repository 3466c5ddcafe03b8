# time_not_supported: the clock
# expect: UnsupportedError
# tells: time.time
import time

from whipsnake import njit


@njit
def measure(n):
    start = time.time()
    s = 0
    for i in range(n):
        s += i
    return time.time() - start


measure(3)
