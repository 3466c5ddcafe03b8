"""The sieve of Eratosthenes over an array of booleans; returns the number of primes."""

import numpy as np

from engine import njit

SIZE, SMALL = 1_000_000, 10_000


def work(size):
    return size


def setup(size):
    return (size,)


@njit
def run(limit):
    prime = np.ones(limit, dtype=np.bool_)
    prime[0] = False
    prime[1] = False
    i = 2
    while i * i < limit:
        if prime[i]:
            for multiple in range(i * i, limit, i):
                prime[multiple] = False
        i += 1
    count = 0
    for i in range(limit):
        if prime[i]:
            count += 1
    return count


def check(result, limit):
    assert result == {1_000_000: 78498, 10_000: 1229}[limit]
