"""Hot loops become vector code, with checks on and off: looked up in the assembly by features."""

import math
import platform
import re

import numpy as np
import pytest

from support import njit, needs_compiler, typeof

pytestmark = [
    needs_compiler,
    pytest.mark.skipif(platform.machine() != "x86_64", reason="the patterns are those of x86-64"),
]

VECTOR = r"\bv(?:add|sub|mul|div|fmadd\w*|max|min|sqrt)p[sd]\b|\bvp(?:add|sub|mull)[dq]\b"
WIDE = r"%[yz]mm\d+"


def saxpy(a, x, y):
    for i in range(len(x)):
        y[i] = a * x[i] + y[i]


def product(a, b, c):
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            for j in range(b.shape[1]):
                c[i, j] += a[i, k] * b[k, j]


def stencil(u, v):
    for i in range(1, len(u) - 1):
        v[i] = 0.25 * u[i - 1] + 0.5 * u[i] + 0.25 * u[i + 1]


def divide(a, b, out):
    for i in range(len(a)):
        out[i] = a[i] / b[i]


def while_loop(x, y):
    i = 0
    while i < len(x):
        y[i] = x[i] * 2.0 + 1.0
        i += 1


def sines(x, y):
    for i in range(len(x)):
        y[i] = math.sin(x[i])


def integers(x, y):
    for i in range(len(x)):
        y[i] = x[i] + 3


def whole(x, y):
    for i in range(len(x)):
        x[i] = x[i] // y[i]


V = np.ones(64)
M = np.ones((8, 8))
LOOPS = [(saxpy, (2.0, V, V.copy())), (product, (M, M.copy(), M.copy())), (stencil, (V, V.copy())),
         (divide, (V, V.copy(), V.copy())), (while_loop, (V, V.copy())),
         (integers, (V.astype(np.int64), V.astype(np.int64)))]


def assembly(func, args, **options):
    fast = njit(**options)(func)
    fast(*args)
    return fast.inspect_asm(tuple(typeof(a) for a in args))


@pytest.mark.parametrize("boundscheck", [True, False])
@pytest.mark.parametrize("func, args", LOOPS, ids=lambda v: getattr(v, "__name__", ""))
def test_loops_are_vectorized(func, args, boundscheck):
    text = assembly(func, args, boundscheck=boundscheck)
    lines = [line for line in text.splitlines() if re.search(VECTOR, line)]
    assert any(re.search(WIDE, line) for line in lines), text[-4000:]


@pytest.mark.parametrize("name", ["sin", "exp", "log"])
def test_math_loops_call_vector_functions(name):
    from support import make
    func = make(f"def f(x, y):\n    for i in range(len(x)):\n        y[i] = math.{name}(x[i])\n")
    text = assembly(func, (V, V.copy()))
    assert re.search(rf"Sleef_{name}d[248]|_ZGV[cde]N[248]v_{name}|{name}d[248]_u10", text), \
        text[-4000:]


def test_nothing_is_fused_without_fastmath():
    assert "vfmadd" not in assembly(saxpy, (2.0, V, V.copy()))
    assert "vfmadd" in assembly(saxpy, (2.0, V, V.copy()), fastmath={"contract"})


@pytest.mark.parametrize("error_model", ["python", "numpy"])
def test_integers_are_divided_as_floats(error_model):
    ints = np.ones(64, np.int64)
    text = assembly(whole, (ints, ints.copy()), error_model=error_model)
    assert re.search(r"\bvdivpd\b.*%[yz]mm", text)


def live(now, after):
    for i in range(1, now.shape[0] - 1):
        for j in range(1, now.shape[1] - 1):
            n = now[i - 1, j] + now[i + 1, j] + now[i, j - 1] + now[i, j + 1]
            if n == 3 or (n == 2 and now[i, j] == 1):
                after[i, j] = 1
            else:
                after[i, j] = 0


@pytest.mark.parametrize("boundscheck", [True, False])
def test_conditions_are_vectorized(boundscheck):
    """What may be read though a condition says no is known from the checks, also those not made."""
    board = np.ones((9, 9), np.uint8)
    text = assembly(live, (board, board.copy()), boundscheck=boundscheck)
    assert re.search(r"\bvpcmpeqb\b.*%[xyz]mm", text), text[-4000:]


def test_a_float_as_subscript_is_tested_once():
    """In the loop a truncation and an unsigned comparison; if it fits is asked where that fails."""

    def count(x, bins):
        for i in range(len(x)):
            bins[int(x[i])] += 1

    for boundscheck in (True, False):
        text = assembly(count, (V, np.zeros(9, np.int64)), boundscheck=boundscheck)
        hot = text[text.index("ws_entry:"):]
        assert re.search(r"vcvttsd2si\s+[^\n]*\n\s+cmpq[^\n]*\n\s+j(?:b|ae)\b", hot), hot

