"""Large arrays that are freed are used again, and never too much is kept."""

import os
import threading

import numpy as np
import pytest

from support import needs_compiler, njit
from whipsnake import _core

pytestmark = needs_compiler

KEEPS = not hasattr(_core, "fail_after")  # builds with assertions give all memory back


@njit
def made(n, value):
    out = np.empty(n)
    out[:] = value
    return out


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not KEEPS, reason="with assertions all memory is given back: leaks are seen")
def test_a_block_is_used_again():
    first = made(3_100_000, 1.0)  # no other test has left one of about that size
    place = first.ctypes.data
    del first
    second = made(3_000_000, 2.0)
    assert second.ctypes.data == place
    assert (second == 2.0).all()
    third = made(3_100_000, 3.0)
    assert third.ctypes.data != place and (second == 2.0).all()


def test_zeros_are_zeros():
    zeros = njit(lambda n: np.zeros(n))
    made(70_000, 5.0)
    assert not zeros(70_000).any()


def test_little_is_kept():
    made(1000, 0.0)
    before = resident()
    arrays = [made(1_000_000 + 200_000 * k, 1.0) for k in range(20)]
    del arrays
    made(40_000_000, 1.0)  # more than is ever kept
    assert resident() - before < 100 << 20


def test_views_keep_the_block():
    tail = njit(lambda n: made(n, 7.0)[n // 2:])
    view = tail(60_000)
    others = [made(60_000, 8.0) for _ in range(5)]
    assert (view == 7.0).all() and all((o == 8.0).all() for o in others)


def test_threads_and_forks():
    stop, wrong = threading.Event(), []

    def work(value):
        while not stop.is_set():
            a = made(50_000 + 1000 * value, float(value))
            if not (a == value).all():
                wrong.append(value)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    try:
        for _ in range(20):
            child = os.fork()
            if not child:
                good = all((made(50_000, 9.0) == 9.0).all() for _ in range(5))
                os._exit(0 if good else 1)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    finally:
        stop.set()
        for t in threads:
            t.join()
    assert not wrong
