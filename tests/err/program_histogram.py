# program_histogram: a longer program: the number of bins is forgotten in one of two calls
# expect: TypingError
# tells: missing 1 required positional argument: 'bins' | def fill
import numpy as np

from whipsnake import njit


@njit
def limits(values):
    low = high = values[0]
    for v in values:
        low = min(low, v)
        high = max(high, v)
    return low, high


@njit
def fill(values, low, high, bins):
    counts = np.zeros(bins, np.int64)
    width = (high - low) / bins
    for v in values:
        i = int((v - low) / width)
        counts[min(i, bins - 1)] += 1
    return counts


@njit
def histogram(values, bins):
    low, high = limits(values)
    if low == high:
        return fill(values, low, low + 1.0)
    return fill(values, low, high, bins)


@njit
def entropy(values, bins):
    counts = histogram(values, bins)
    e = 0.0
    for c in counts:
        if c:
            p = c / values.size
            e -= p * np.log(p)
    return e


print(entropy(np.random.default_rng(2).normal(size=1000), 20))
