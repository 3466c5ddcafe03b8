"""Boolean filters over columns, as after loading a table: the rows kept are packed together."""

import numpy as np

from engine import njit

SIZE, SMALL = 400_000, 4_000


def work(size):
    return size


def setup(size):
    rng = np.random.default_rng(9)
    price = rng.uniform(0.0, 100.0, size)
    volume = rng.integers(0, 1000, size)
    valid = rng.random(size) < 0.8
    return price, volume, valid, 20.0, 70.0, np.zeros(size)


@njit
def run(price, volume, valid, low, high, out):
    count = 0
    for i in range(len(price)):
        cheap = low < price[i] < high
        traded = volume[i] >= 250 or not volume[i] % 5
        if valid[i] and cheap and traded:
            out[count] = price[i] * volume[i]
            count += 1
    return count


def check(result, price, volume, valid, low, high, out):
    keep = valid & (low < price) & (price < high) & ((volume >= 250) | (volume % 5 == 0))
    assert result == np.count_nonzero(keep)
    np.testing.assert_array_equal(out[:result], (price * volume)[keep])
