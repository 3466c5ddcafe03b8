"""Programs made to order, to see how compile time grows with their size.

Each series makes a file with a function `run` and the arguments `ARGS` to compile and call it with.
Twice the size is twice the source (but for "equal tuple"), so times should grow in proportion.
"""

import pathlib

SERIES = {
    "statements": (10, 100, 1000),
    "scalar arguments": (1, 4, 16, 64),
    "array arguments": (1, 4, 16, 64),
    "equal tuple": (1, 10, 100),
    "mixed tuple": (1, 10, 100),
    "functions": (1, 10, 100),
}

HEAD = "import numpy as np\n\nfrom engine import njit\n\n\n"


def statements(n):
    """One function of n statements: arithmetic on floats and integers, branches, array elements."""
    kinds = (
        "a = a * 0.5 + b",
        "i = (i * 3 + {k}) % 8",
        "b = b - a * 0.25",
        "if a > b:\n        b = b + {k}.0",
        "x[i] = x[i] + a",
    )
    body = [kinds[k % len(kinds)].format(k=k) for k in range(n)]
    lines = ["a, b, i = 1.0, 2.0, 0", *body, "return a + b + i + x[i]"]
    return "@njit\ndef run(x):\n    " + "\n    ".join(lines) + "\n", "(np.ones(8),)"


def scalar_arguments(n):
    names = [f"a{k}" for k in range(n)]
    text = f"@njit\ndef run({', '.join(names)}):\n    return {' + '.join(names)}\n"
    return text, repr(tuple(float(k) for k in range(n)))


def array_arguments(n):
    names = [f"a{k}" for k in range(n)]
    total = " + ".join(f"{name}[0]" for name in names)
    text = f"@njit\ndef run({', '.join(names)}):\n    return {total}\n"
    return text, f"tuple(np.full(3, float(k)) for k in range({n}))"


def equal_tuple(n):
    text = (
        "@njit\ndef run(t):\n    total = 0.0\n    for i in range(len(t)):\n"
        "        total += t[i]\n    return total\n"
    )
    return text, f"(tuple(float(k) for k in range({n})),)"


def mixed_tuple(n):
    total = " + ".join(f"t[{k}]" for k in range(n))
    text = f"@njit\ndef run(t):\n    return {total}\n"
    return text, f"(tuple(float(k) if k % 2 else k for k in range({n})),)"


def functions(n):
    """A chain of n functions, each of which calls the one before."""
    text = "@njit\ndef f0(x):\n    return x + 1.0\n"
    for k in range(1, n):
        text += (
            f"\n\n@njit\ndef f{k}(x):\n    if x < 0.0:\n        return x\n"
            f"    return f{k - 1}(x) + {k}.0\n"
        )
    return text + f"\n\nrun = f{n - 1}\n", "(1.5,)"


MAKERS = {
    "statements": statements,
    "scalar arguments": scalar_arguments,
    "array arguments": array_arguments,
    "equal tuple": equal_tuple,
    "mixed tuple": mixed_tuple,
    "functions": functions,
}


def write(folder, series, size):
    """Write the program of that series and size into `folder`; returns its path."""
    text, args = MAKERS[series](size)
    path = pathlib.Path(folder) / f"{series.replace(' ', '_')}_{size}.py"
    path.write_text(f"{HEAD}{text}\n\nARGS = {args}\n")
    return path


def describe(row):
    """By engine, a time in milliseconds."""
    return "   ".join(
        f"{name} failed" if took is None else f"{name} {took * 1e3:.1f} ms"
        for name, took in row.items()
    )
