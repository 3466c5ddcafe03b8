"""What the wheel check runs: a compiled function on an array, vector math included.

usage: wheel_program.py folder      the folder that whipsnake must have been installed in
"""

import math
import sys

import numpy as np

import whipsnake
from whipsnake import njit

assert whipsnake.__file__.startswith(sys.argv[1]), f"not the wheel's: {whipsnake.__file__}"


@njit
def total(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += math.sin(x[i]) * math.exp(-x[i])
    return s


x = np.linspace(0.0, 3.0, 10_001)
got, expected = total(x), total.py_func(x)
assert math.isclose(got, expected, rel_tol=1e-12), (got, expected)
assert total.signatures, "nothing was compiled"
print(f"[wheel] {whipsnake.__file__}: {got:.12f}")
