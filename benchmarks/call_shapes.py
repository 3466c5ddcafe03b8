"""Functions that do next to nothing, one per shape of arguments: what is left is the call.

Each uses all of its arguments, so that no engine gets away with not unpacking one.
"""

import time
from itertools import repeat

import numpy as np


def nothing():
    return None


def one(a):
    return a + 1.0


def two(a, b):
    return a + b


def five(a, b, c, d, e):
    return a + b + c + d + e


def two_integers(i, j):
    return i + j


def two_keywords(a, b=2.0, c=3.0):
    return a + b + c


def one_array(x):
    return x[0]


def two_arrays(x, y):
    return x[0] + y[0]


def five_arrays(x, y, z, v, w):
    return x[0] + y[0] + z[0] + v[0] + w[0]


def matrix(x):
    return x[0, 0]


def mixed(x, y, a, n):
    return x[0] + y[0] + a + n


def pair(t):
    return t[0] + t[1]


RATE = 1.5
C0, C1, C2, C3, C4, C5, C6, C7, C8, C9 = (float(k) for k in range(10))


def one_global(a):
    return a + RATE


def ten_globals(a):
    return a + C0 + C1 + C2 + C3 + C4 + C5 + C6 + C7 + C8 + C9


def pair_result(a, b):
    return b, a


def array_result(x):
    return x


# By name of the shape: the function, and the text of the arguments to call it with (see VALUES).
SHAPES = {
    "no arguments": (nothing, ""),
    "one float": (one, "a"),
    "two floats": (two, "a, b"),
    "five floats": (five, "a, b, a, b, a"),
    "two ints": (two_integers, "i, j"),
    "one float, one global": (one_global, "a"),
    "one float, ten globals": (ten_globals, "a"),
    "keywords": (two_keywords, "a, c=b"),
    "one array": (one_array, "x"),
    "two arrays": (two_arrays, "x, y"),
    "five arrays": (five_arrays, "x, y, x, y, x"),
    "2-D array": (matrix, "m"),
    "two arrays, float, int": (mixed, "x, y, a, i"),
    "tuple of two": (pair, "t"),
    "returns a tuple": (pair_result, "a, b"),
    "returns its array": (array_result, "x"),
}

VALUES = {
    "a": 1.5,
    "b": 2.5,
    "i": 1000,
    "j": 2000,
    "x": np.ones(8),
    "y": np.ones(8),
    "m": np.ones((4, 4)),
    "t": (1.5, 2.5),
}

LOOP = """
def loop(count, f, clock, repeat, {names}):
    times = repeat(None, count)
    start = clock()
    for _ in times:
        {body}
    return clock() - start
"""


def make_loop(body, function):
    space = {}
    exec(LOOP.format(names=", ".join(VALUES), body=body), space)
    loop = space["loop"]
    return lambda count: loop(count, function, time.perf_counter, repeat, **VALUES)


def call_loop(function, arguments):
    """A function of a count that calls `function(arguments)` so often and returns the seconds."""
    return make_loop(f"f({arguments})", function)


def empty_loop():
    return make_loop("pass", None)
