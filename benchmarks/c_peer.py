"""The programs in C: built by clang, loaded with ctypes, called with the same arguments.

Flags: -O3 -march=native, IEEE arithmetic (no contraction), and no errno from math functions. Loops
over math functions vectorize through -fveclib=libmvec, whose names (_ZGVdN4v_exp ...) the linker
takes from SLEEF's libsleefgnuabi where it is installed, else from glibc. So the C programs use the
same vector math as compiled Python would, and `math_library()` says which one it was.
"""

import ctypes
import ctypes.util
import pathlib
import shutil
import subprocess

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
BUILD = HERE / ".build"
FLAGS = ["-std=c17", "-O3", "-march=native", "-ffp-contract=off", "-fno-math-errno"]

# What a C function that fills `out` is given for it, from the arguments of the Python function.
# Programs not named here return a number, or nothing.
OUT = {
    "matmul": lambda a, b: np.empty((a.shape[0], b.shape[1])),
    "mandelbrot": lambda left, right, bottom, top, w, h: np.empty((h, w), np.uint8),
    "game_of_life": lambda board, generations: np.empty_like(board),
    "quicksort": np.empty_like,
    "conjugate_gradient": lambda b, tolerance, steps: np.empty_like(b),
    "histogram": lambda x, low, high, bins: np.empty(bins, np.int64),
    "spmv": lambda row_start, column, value, start, steps: np.empty_like(start),
    "runge_kutta": lambda state, h, steps: np.empty(3),
    "pairwise": lambda points: np.empty((len(points), len(points))),
}
RETURNS = {
    ctypes.c_double: ["nbody", "monte_carlo", "prefix_sum"],
    ctypes.c_int64: [
        "exceptions",
        "fib",
        "ackermann",
        "sieve",
        "tokenizer",
        "boolean_filter",
        "levenshtein",
        "collatz",
    ],
}


def compiler():
    """Path of the newest clang that is installed, or None."""
    for name in ("clang-19", "clang", "clang-20", "clang-18", "clang-17"):
        if shutil.which(name):
            return shutil.which(name)
    return None


def math_library():
    """Name of the library that the vector math comes from."""
    return "sleefgnuabi" if ctypes.util.find_library("sleefgnuabi") else "mvec"


def build(name):
    """Build c/<name>.c unless that is done already; returns the path of the shared library."""
    source, library = HERE / "c" / f"{name}.c", BUILD / f"{name}.so"
    newest = max(source.stat().st_mtime, (HERE / "c" / "peer.h").stat().st_mtime)
    if library.exists() and library.stat().st_mtime > newest:
        return library
    if compiler() is None:
        raise FileNotFoundError("no clang found: install clang-19 for the C column")
    BUILD.mkdir(exist_ok=True)
    link = ["-Wl,--no-as-needed", f"-l{math_library()}", "-lm"]
    command = [compiler(), *FLAGS, "-fveclib=libmvec", "-fPIC", "-shared", "-o", str(library)]
    done = subprocess.run(
        [*command, str(source), *link], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"clang failed on {source.name}: {done.stderr.strip()}")
    return library


def flatten(args):
    """The ctypes arguments for Python ones; they borrow the arrays, which must stay alive."""
    flat = []
    for arg in args:
        if isinstance(arg, np.ndarray):
            assert arg.flags.c_contiguous
            flat.append(ctypes.c_void_p(arg.ctypes.data))
            flat.extend(ctypes.c_int64(n) for n in arg.shape)
        elif isinstance(arg, tuple):
            flat.extend(flatten(arg))
        elif isinstance(arg, np.float32):
            flat.append(ctypes.c_float(arg))
        elif isinstance(arg, float):
            flat.append(ctypes.c_double(arg))
        else:
            flat.append(ctypes.c_int64(arg))
    return flat


def load(name, args):
    """The C program `name` as a function of no interest in its arguments: `args` are bound now.

    A result array is new at every call, as it is in Python.
    """
    run = ctypes.CDLL(str(build(name))).run
    run.restype = next((kind for kind, names in RETURNS.items() if name in names), None)
    flat, make_out = flatten(args), OUT.get(name)
    if make_out is None:
        return lambda *same: run(*flat)

    def call(*same):
        out = make_out(*args)
        run(*flat, ctypes.c_void_p(out.ctypes.data))
        return out

    return call
