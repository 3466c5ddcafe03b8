"""Loops that pack elements together or list what they find: the place to write to follows the
counter, so its subscript needs no check, unless the array written to is too short."""

import numpy as np
import pytest

from support import check, needs_compiler

pytestmark = needs_compiler


def keep(x, out):
    count = 0
    for i in range(len(x)):
        if x[i] > 2:
            out[count] = x[i]
            count += 1
    return count


def keep_two(x, out):
    """Two elements for one: only half of them are sure to fit."""
    count = 0
    for i in range(len(x)):
        if x[i] > 2:
            out[count] = x[i]
            out[count + 1] = -x[i]
            count += 2
        elif x[i] == 1:
            count += 1
    return count


def ahead(x, out):
    """It starts ahead of the counter, and behind it."""
    first, second = 1, 0
    for i in range(1, len(x)):
        if x[i] != x[i - 1]:
            out[first] = x[i]
            first += 1
        if x[i] > 3:
            out[second] += 1
            second += 1
    return first * 100 + second


def back_and_forth(x, out):
    top = 0
    for i in range(len(x)):
        if x[i] > 2:
            out[top] = x[i]
            top += 1
        elif top > 0:
            top -= 1
    return top


def below_zero(x, out):
    top = 0
    for i in range(len(x)):
        top += 1 if x[i] > 2 else -1
        out[top] = i
    return top


def runs(x, out):
    """A scanner: it goes on by as many elements as are equal."""
    count = 0
    i = 0
    while i < len(x):
        if x[i] == 0:
            i += 1
            continue
        start = i
        i += 1
        while i < len(x) and x[i] == x[start]:
            i += 1
        out[count] = i - start
        count += 1
    return count


def jumps(x, out):
    """Loops inside loops that all count on, and ways around them."""
    count = 0
    i = 0
    while i < len(x):
        if x[i] == 4:
            break
        k = i
        while k < len(x) and x[k] < 2:
            while k < len(x) and x[k] == 0:
                k += 1
                count += 1
            if k < len(x) and x[k] == 1:
                k += 1
        if k < len(out):
            out[k] = count
        out[count] = k
        i = k + 1
    return count


def far_steps(x, out):
    count = 0
    i = 0
    while i < len(x):
        out[count] = i
        count += 1
        i += x[i]
    return count


FUNCTIONS = [keep, keep_two, ahead, back_and_forth, below_zero, runs, jumps]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_same(function):
    rng = np.random.default_rng(4)
    for size in (0, 1, 2, 30):
        for room in (0, 1, size // 2, size - 1, size, size + 1, 2 * size + 1):
            for top in (1, 3, 6):
                check(function, rng.integers(0, top, size), np.zeros(max(room, 0), np.int64))


def test_steps_from_data():
    check(far_steps, np.array([2, 1, 3, 1, 1, 5]), np.zeros(6, np.int64))
    check(far_steps, np.array([2, 1, -2, 1, 1, 5]), np.zeros(6, np.int64))
    check(far_steps, np.array([2, 1, 2**62, 1]), np.zeros(3, np.int64))
