"""The longest Collatz chain below a limit: integer remainder and division in a while loop."""

from engine import njit

SIZE, SMALL = 30_000, 500


def work(size):
    return size


def setup(size):
    return (size,)


@njit
def chain_length(n):
    length = 1
    while n != 1:
        if n % 2 == 0:
            n //= 2
        else:
            n = 3 * n + 1
        length += 1
    return length


@njit
def run(limit):
    best = 0
    best_length = 0
    for n in range(1, limit):
        length = chain_length(n)
        if length > best_length:
            best = n
            best_length = length
    return best


def check(result, limit):
    lengths = {1: 1}
    for n in range(2, limit):
        path, m = [], n
        while m not in lengths:
            path.append(m)
            m = 3 * m + 1 if m % 2 else m // 2
        for steps, passed in enumerate(reversed(path), 1):
            lengths[passed] = lengths[m] + steps
    assert result == max(range(1, limit), key=lengths.get)
