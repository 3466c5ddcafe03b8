"""A million exceptions, raised in a callee and caught: the unlikely path as the likely one."""

from engine import njit

SIZE, SMALL = 1_000_000, 10_000


def work(size):
    return size


def setup(size):
    return (size,)


@njit
def halve(n):
    if n % 2 == 1:
        raise ValueError("odd")
    return n // 2


@njit
def run(n):
    total = caught = 0
    for i in range(n):
        try:
            total += halve(2 * i + 1)
        except Exception:
            caught += 1
    return total + caught


def check(result, n):
    assert result == n
