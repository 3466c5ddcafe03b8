"""What cannot be done raises, and says what was wrong: sizes, recursion, variables that were never
set, arguments of the wrong type; also when LLVM gives up."""

import os
import subprocess
import sys

import numpy as np
import pytest

from support import PLAIN, njit

if PLAIN:
    pytest.skip("about compiled code", allow_module_level=True)


@njit
def zeros(n):
    return np.zeros(n)


@njit
def empty(n, m):
    return np.empty((n, m), np.int32)


@njit
def four(n):
    return np.ones((n, n, n, n))


@njit
def arange(n):
    return np.arange(n)


@njit
def linspace(n):
    return np.linspace(0.0, 1.0, n)


@njit
def eye(n):
    return np.eye(n)


@njit
def reshape(a, n, m):
    return a.reshape((n, m))


@njit
def without_end(a):
    return without_end(a.copy()) + 1.0


@njit
def maybe_set(n):
    if n > 5:
        value = n
    return value


@njit
def element(values, index):
    return values[index]


HUGE, TOO_BIG = 1 << 45, "array is too big"
NEGATIVE = "negative dimensions are not allowed"
A = np.zeros(6)


@pytest.mark.parametrize("function, args, error, text", [
    (zeros, (-1,), ValueError, NEGATIVE),
    (zeros, (-(1 << 63),), ValueError, NEGATIVE),
    (zeros, (HUGE,), MemoryError, f"Unable to allocate {8 * HUGE} bytes"),
    (zeros, (1 << 62,), ValueError, TOO_BIG),
    (zeros, (1 << 70,), OverflowError, "argument 'n' of zeros()"),
    (empty, (-3, 4), ValueError, NEGATIVE),
    (empty, (0, -1), ValueError, NEGATIVE),
    (empty, (HUGE, HUGE), ValueError, TOO_BIG),
    (four, (1 << 17,), ValueError, TOO_BIG),
    (arange, (1 << 60,), ValueError, TOO_BIG),
    (linspace, (-5,), ValueError, "Number of samples, -5"),
    (eye, (1 << 33,), ValueError, TOO_BIG),
    (eye, (-2,), ValueError, NEGATIVE),
    (reshape, (A, 4, 4), ValueError, "cannot reshape array of size 6"),
    (reshape, (A, -1, -1), ValueError, "can only specify one unknown dimension"),
    (reshape, (A, -1, 0), ValueError, "cannot reshape array of size 6"),
    (reshape, (A, HUGE, HUGE), ValueError, "cannot reshape array of size 6"),
    (without_end, (A,), RecursionError, "maximum recursion depth exceeded"),
    (maybe_set, (3,), UnboundLocalError, "local variable 'value'"),
    (element, (object(), 1), TypeError, "argument 'values' of element()"),
    (element, ([1, 2], 1), TypeError, "argument 'values' of element()"),
    (element, (np.zeros(3, object), 1), TypeError, "argument 'values' of element()"),
    (element, (np.zeros(3, ">f8"), 1), TypeError, "argument 'values' of element()"),
    (element, (A, {}), TypeError, "argument 'index' of element()"),
    (element, (A, "x"), TypeError, "'values' is array(float64, 1d, C): argument 1 of element"),
    (element, (A, 6), IndexError, "index 6 is out of bounds for axis 0 with size 6"),
    (element, (A, -(1 << 63)), IndexError, "out of bounds"),
    (element, (A, (1 << 63) + 5), IndexError, "out of bounds"),
])
def test_says_what_is_wrong(function, args, error, text):
    for _ in range(2):
        with pytest.raises(error) as raised:
            function(*args)
        assert text in str(raised.value)
    assert zeros(3).size == 3


def test_fatal_errors_of_llvm_are_exceptions(tmp_path):
    """It ends the process by itself: here it raises, also the next time, and all else goes on."""
    program = tmp_path / "program.py"
    program.write_text("""
from whipsnake import njit
@njit
def f(x):
    return x + 1
for value in 1, 2.0:
    try:
        f(value)
    except Exception as e:
        print(type(e).__name__, str(e).splitlines()[0])
print(f.py_func(1))
""")
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True,
                          env=os.environ | {"WHIPSNAKE_CPU_NAME": "i386"})
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "InternalError LLVM: 64-bit code requested on a subtarget that doesn't support it!",
        "InternalError LLVM: an earlier error in this process; start it again",
        "2",
    ]
