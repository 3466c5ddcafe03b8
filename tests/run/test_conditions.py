"""Loops that only store, with conditions in them: the conditions become values, the loops vector
code. What is read must not be read where it is not there, and all else must come out the same."""

import numpy as np
import pytest

from support import check, compiled, needs_compiler, njit

pytestmark = needs_compiler


def life(now, after):
    for i in range(1, now.shape[0] - 1):
        for j in range(1, now.shape[1] - 1):
            n = 0
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    if di != 0 or dj != 0:
                        n += now[i + di, j + dj]
            if n == 3 or (n == 2 and now[i, j] == 1):
                after[i, j] = 1
            else:
                after[i, j] = 0


def edges(now, after):
    """Conditions keep subscripts in range, so nothing may be read before them."""
    rows, columns = now.shape
    for i in range(rows):
        for j in range(columns):
            if i > 0 and now[i - 1, j] > 2 and j + 1 < columns and now[i, j + 1] > 1:
                after[i, j] = 7
            else:
                after[i, j] = now[i, j]


def nested(now, after):
    for i in range(now.shape[0]):
        for j in range(now.shape[1]):
            v = now[i, j]
            if v > 1 and not (v == 3 or v == 5):
                if after[i, j] < 4 or v == 2:
                    after[i, j] = v + 1
                else:
                    after[i, j] = v
            else:
                after[i, j] = 0


def mirrored(now, after):
    rows, columns = now.shape
    for i in range(rows):
        for j in range(columns):
            if now[i, j] > 2 or after[i, columns - 1 - j] == now[rows - 1 - i, j]:
                after[i, j] = now[i, columns - 1 - j]
            else:
                after[i, j] = now[rows - 1 - i, j]


def negative(now, after):
    for i in range(now.shape[0]):
        for j in range(now.shape[1]):
            if now[i, j] > 2 and now[-i, -j] > 1:
                after[i, j] = 1
            else:
                after[i, j] = 2


def too_far(now, after):
    for i in range(now.shape[0]):
        for j in range(now.shape[1]):
            if now[i, j] > 90 and now[i, j + 3] > 1:
                after[i, j] = 1
            else:
                after[i, j] = 2


FUNCTIONS = [life, edges, nested, mirrored, negative, too_far]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.float64, np.float32])
def test_same(function, dtype):
    rng = np.random.default_rng(3)
    for shape in ((0, 5), (1, 1), (3, 3), (2, 40), (17, 70)):
        now = rng.integers(0, 7 if function is not life else 2, shape).astype(dtype)
        check(function, now, rng.integers(0, 7, shape).astype(dtype))
        check(function, np.asfortranarray(now), rng.integers(0, 7, shape).astype(dtype))
        both = now.copy()
        check(function, both, both)


def test_raises_where_it_did():
    now = np.zeros((4, 50))
    now[2, 48] = 99.0
    with pytest.raises(IndexError):
        compiled(too_far)(now, np.zeros((4, 50)))
    check(too_far, now, np.zeros((4, 50)))


def test_elements_written():
    """Arrays of different sizes: the exception comes at its iteration."""
    check(mirrored, np.ones((5, 30)), np.zeros((5, 29)))
    check(mirrored, np.ones((5, 30)), np.zeros((4, 40)))
    check(life, np.ones((6, 30), np.uint8), np.zeros((6, 20), np.uint8))


def test_stencil_is_vector_code():
    function = njit(life)
    function(np.ones((9, 9), np.uint8), np.ones((9, 9), np.uint8))
    text, = function.inspect_llvm().values()
    assert "i8>" in text
