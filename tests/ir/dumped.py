"""A program whose IR is dumped at every stage and read back: see test_dumps.py."""

import numpy as np

from whipsnake import njit


@njit
def helper(x, scale=2.0):
    if x < 0:
        raise ValueError("negative", x)
    return x * scale


@njit
def main(a, n, name):
    total = 0.0
    pair = (1, 2.5)
    out = np.empty(n)
    for i in range(n):
        out[i] = helper(a[i]) / pair[1] if a[i] != 3 else a[i] ** 2
        total += out[i]
        while total > 100:
            total -= 50.5
    z = complex(total, 1) * 2j
    b = a[1:] if n > 1 else a
    return total, z.real, b.sum(), f"{name} {n:>4}", out


print(main(np.arange(10.0), 10, "sum"))
