"""What the walk of tests/oom does while memory runs out: a task is a function without arguments.

`TASKS` maps a name to a function that prepares (with memory) and gives (task, watched objects)."""

import collections
import contextlib
import enum
import io
import itertools

import numpy as np

from whipsnake import _core, njit, typeof

Point = collections.namedtuple("Point", "x y")
TABLE = np.arange(6.0)
SCALE = 3


class Color(enum.Enum):
    """An enum that is not made of ints."""

    RED = "r"
    GREEN = "g"


class BadInput(ValueError):
    """A user's own exception."""


def ints(n):
    s = 0
    for i in range(n):
        if i % 3 == 0:
            continue
        s += i * SCALE // 2
    return s


def arrays(a, n):
    b = np.zeros(n)
    for i in range(n):
        b[i] = a[i % a.size] * 2.0
    return b[1:], a[::2], b


def tuples(p, t):
    return Point(p.y, p.x), (t[0], (t[1], t[0])), t[2]


def raises(a, n):
    b = a.copy()
    if n > b.size:
        raise BadInput("too many", n, b[0], (n, "of"))
    return b[n]


def index_error(a):
    c = a.copy()
    return c[a.size]


def inner(a, n):
    def scaled(x):
        return x * n + a[0]

    return scaled(2.0) + scaled(1.0)


@njit
def callee(a, i):
    b = a.copy()
    if i == 0:
        raise ValueError("text", i, a.size)
    return callee(b, i - 1)


def outer(a, n):
    return callee(a, n)


def handled(a, n):
    text = ""
    try:
        raise BadInput("text", n, a.copy())
    except BadInput as e:
        text = str(e)[:4]
        try:
            a[n + 100]
        except IndexError as inner:
            raise KeyError(text, inner, len(e.args)) from e


def kept(n):
    last = None
    for i in range(n):
        try:
            if i % 2:
                raise ValueError("odd", i)
            1 // i
        except (ValueError, ZeroDivisionError) as e:
            last = e
    return repr(last), isinstance(last, ValueError)


def cells(a, n):
    best, text, fault = a, "", None

    def step(i):
        nonlocal best, text, fault
        best = best.copy()
        text += str(i)
        fault = ValueError(best, text)

    for i in range(n):
        step(i)
    return best, text, repr(fault)


def prelude(a):
    return a.mean() + np.dot(a, a), np.linspace(0, 1, a.size), a.argmax(), np.eye(2), np.arange(3)


def text(name, n, x):
    line = f"{name}: {n:5d} {x:.3f} {name!r} \u00e4"
    return line + "!" + str(n), line[1], len(line)


def prints(name, n, x):
    print(name, n, x, f"{n:>8}")


def text_index(name, i):
    return name[i]


def captured(i):
    return TABLE[i] + TABLE.size


def enums(c, x):
    return c if x > 0 else Color.GREEN


def optional(x, y=None):
    return x if y is None else None


def varargs(x, *rest, scale=2):
    return x * scale + rest[0]


def wrong_types(a, n):
    return a + (n, n)


def unknown_name(a):
    b = a + 1
    return undefined_thing(b)  # noqa: F821


A = np.arange(7.0)
WIDE = "sn\u00f6 \U0001f40d" * 3

PROGRAMS = {
    "ints": (ints, (10,)),
    "arrays": (arrays, (A, 5)),
    "tuples": (tuples, (Point(1, 2.5), (A, 3, "text"))),
    "raises": (raises, (A, 9)),
    "index error": (index_error, (A,)),
    "inner function": (inner, (A, 3)),
    "traceback through callees": (outer, (A, 3)),
    "handled exceptions": (handled, (A, 3)),
    "kept exceptions": (kept, (4,)),
    "cells": (cells, (A, 3)),
    "prelude": (prelude, (A,)),
    "text": (text, (WIDE, 42, 2.5)),
    "print": (prints, (WIDE, 42, 2.5)),
    "text index": (text_index, (WIDE, 3)),
    "captured array": (captured, (2,)),
    "enum": (enums, (Color.RED, 1)),
    "optional": (optional, (5,)),
    "varargs": (varargs, (5, 6, 7)),
    "wrong types": (wrong_types, (A, 3)),
    "unknown name": (unknown_name, (A,)),
}


def _compile_task(name):
    func, args = PROGRAMS[name]
    fast = njit(func)
    types = tuple(map(typeof, args if name != "varargs" else (args[0], args[1:], 2)))

    def task():
        fast._forget()
        fast._compile(types)
        return str(fast.nopython_signatures)

    return task, [func, TABLE, Point, Color, BadInput, *args]


def _call_task(name):
    func, args = PROGRAMS[name]
    fast = njit(func)

    def task():
        with contextlib.redirect_stdout(io.StringIO()) as out:
            result = fast(*args)
        return result, out.getvalue()

    return task, [func, TABLE, Point, Color, BadInput, *args]


def _new_types():
    """A type that nobody has met before: the table grows now and then."""
    widths = itertools.product([1, 1.0, True, 1j, "x"], repeat=9)

    def task():
        return str(typeof(next(widths)))[:5]

    return task, [1.0, 1j]


def _new_signatures():
    """A function that is called with more and more types."""
    fast = njit(lambda t: t[0])
    widths = itertools.product([1, 1.0, True, 1j], repeat=7)

    def task():
        return type(fast((5,) + next(widths))).__name__

    return task, [fast]


def _compile_new_types():
    """Compiles for types that nobody has met before, so that the compiler meets new ones too."""
    def func(t, a):
        def pick(x):
            return x[0]

        pairs = enumerate(zip(t[0], a.reshape((a.size, 1, 1))))
        for i, both in pairs:
            return pick((t, both, i)), a.copy(), t[1:]
        return None

    fast = njit(func)
    widths = itertools.product([1, 1.0, True, 1j], repeat=8)

    def task():
        fast._forget()
        fast._compile((typeof(((1, 2), 5.0, *next(widths))), typeof(A)))
        return None

    return task, [fast]


def _signature():
    fast = njit(ints)

    def task():
        fast._forget()
        fast.compile("int64(int32)")
        return str(fast.nopython_signatures)

    return task, [ints]


def _wrong_call(*args, **kwargs):
    def prepare():
        fast = njit(optional)

        def task():
            return fast(*args, **kwargs)

        return task, [fast, *args]

    return prepare


def _explicit():
    """Only the given signature: conversion of arguments, and its error."""
    fast = njit("float64(float64, float64)")(lambda x, y: x + y)

    def task():
        return fast(3, np.float32(2.0)), fast(True, 1)

    return task, [fast]


def _explicit_refused():
    fast = njit("float64(float64)")(lambda x: x)
    return lambda: fast("text"), [fast]


def _text_of(method):
    def prepare():
        fast = njit(arrays)
        fast(A, 5)

        def task():
            with contextlib.redirect_stdout(io.StringIO()):
                return len(str(getattr(fast, method)())) > 0

        return task, [fast, arrays, A]

    return prepare


def _ir_tool():
    source = "fn low @f(a: int64) -> int64 {\nb0:\n    %1: int64 = arg #0\n    return %1\n}\n"
    return lambda: _core.ir_tool("parse-print", source), [source]


# These meet new types, which stay for good (an inner function is a type of its own).
GROWING = {"compile inner function", "compile cells", "compile new types", "new types",
           "new signatures"}

TASKS = {
    **{f"compile {name}": (lambda name=name: _compile_task(name)) for name in PROGRAMS},
    **{f"call {name}": (lambda name=name: _call_task(name)) for name in PROGRAMS
       if name not in ("wrong types", "unknown name")},
    "new types": _new_types,
    "new signatures": _new_signatures,
    "compile new types": _compile_new_types,
    "explicit signature": _signature,
    "converted arguments": _explicit,
    "refused by a signature": _explicit_refused,
    "unknown class": _wrong_call(object()),
    "int too large": _wrong_call(1 << 70),
    "wrong count": _wrong_call(1, 2, 3),
    "unknown keyword": _wrong_call(1, z=3),
    "inspect_types": _text_of("inspect_types"),
    "explain": _text_of("explain"),
    "inspect_ir": _text_of("inspect_ir"),
    "inspect_llvm": _text_of("inspect_llvm"),
    "inspect_asm": _text_of("inspect_asm"),
    "a decorator": lambda: (lambda: njit(ints).__name__, [ints]),
    "ir tool": _ir_tool,
}
