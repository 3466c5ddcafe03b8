"""What the walk of tests/oom does while memory runs out: a task is a function without arguments.

`TASKS` maps a name to a function that prepares (with memory) and gives (task, watched objects)."""

import collections
import contextlib
import ctypes
import enum
import io
import itertools
import pickle
import sys

import numpy as np

from whipsnake import (_core, cfunc, cuda, guvectorize, njit, prange, set_num_threads, typeof,
                       vectorize)
from whipsnake.extending import overload

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
        text = str(e) + "!"
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


@njit
def again():
    raise


def classes(a, n):
    name, kept, count = "", None, 0
    for i in range(n):
        try:
            if i == 0:
                raise BadInput("text", a.copy())
            if i == 1:
                raise KeyError(i)
            a[n + 100]
        except (BadInput, LookupError) as e:
            name += type(e).__name__ + repr(e.args)
            kept = type(e)
            count += len(e.args)
            try:
                again()
            except (BadInput, LookupError) as e2:
                count += e2 is e
    return name, kept, count


def one_argument(n):
    try:
        if n == 0:
            raise BadInput("text", n)
        raise SystemExit("done")
    except BadInput as e:
        return e.args[0]
    except SystemExit as e:
        return e.code


def passed_in(e, a):
    try:
        if a.size == 0:
            raise BadInput("text", 1.5, a)
        raise e
    except BadInput as error:
        text, x, b = error.args
        return text + "!", x, b


def parallel(a, n):
    s = 0.0
    b = np.empty(n)
    for i in prange(n):
        c = a.copy()
        s += c[i % a.size]
        b[i] = c[0]
    return s, b.sum()


def sorting(a):
    b = np.sort(a[::-1])
    return b, np.argsort(a[::-1]), np.unique(a), np.median(a)


def products(a):
    m = a.reshape(1, a.size)
    big = np.ones((40, 40))
    return m @ m.T, (big @ big)[0, 0], np.dot(a[::2], a[::2])


def numbers(a):
    np.random.seed(1)
    return np.random.random() < 1, a.var(), np.cumsum(a), np.where(a > 1, a, 0.0)


class Settings:
    RATE = 3


def class_attribute(n):
    return n * Settings.RATE


def helper_of_overload(x):
    raise NotImplementedError


@overload(helper_of_overload)
def _(x):
    return lambda x: x + 1


def overloaded(n):
    return helper_of_overload(n)


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
    "classes of exceptions": (classes, (A, 3)),
    "one argument": (one_argument, (0,)),
    "sorting": (sorting, (A,)),
    "products": (products, (A,)),
    "numbers": (numbers, (A,)),
    "class attribute": (class_attribute, (4,)),
    "overload": (overloaded, (4,)),
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
    with contextlib.suppress(BadInput, ValueError, LookupError), \
            contextlib.redirect_stdout(io.StringIO()):
        fast(*args)
    assert fast.signatures, f"{name} does not compile"

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


def _passed_in():
    fast = njit(passed_in)
    fast(BadInput(WIDE, 2.5, A), A)
    return lambda: fast(BadInput(WIDE, 2.5, A), A), [fast, A, WIDE, BadInput]


# -- ufuncs: their loops stay for good, since any np.ufunc may hold them --

def plus(x, y):
    return x + y


def row_sums(x, out):
    s = 0.0
    for i in range(x.size):
        s += x[i]
    if s > 1e6:
        raise BadInput("large", s)
    out[0] = s


STRIDED = np.arange(6000.0)[::2]


def _ufunc():
    def task():
        return vectorize(plus).__name__, guvectorize("(n)->()")(row_sums).nout

    return task, [plus, row_sums]


def _ufunc_signature():
    def task():
        f = vectorize(["float64(float64, float64)"])(plus)
        g = guvectorize(["void(float64[:], float64[:])"], "(n)->()")(row_sums)
        return str(f.types + g.types)

    return task, [plus, row_sums]


def _ufunc_new_loop():
    def task():
        f = vectorize(plus)
        return f(A, A), f(1, 2), f(STRIDED, 1.0), f.types

    return task, [plus]


def _ufunc_calls():
    f, g = vectorize(plus), guvectorize("(n)->()")(row_sums)

    def task():
        return (f(A, A), f(1, 2), f(STRIDED, STRIDED), f.reduce(A), f.accumulate(A),
                g(STRIDED.reshape(30, 100), np.zeros(30)), f(A, A, out=np.zeros(7)))

    task()
    return task, [plus, f, g, A, STRIDED]


def _ufunc_quick_calls():
    """Those that no Python code looks at."""
    f = vectorize(plus)
    f(A, A), f(1, 2)
    return lambda: (f(A, A), f(1, 2).item(), f(STRIDED, STRIDED)), [plus, f, A, STRIDED]


def _ufunc_raises():
    g = guvectorize(["void(float64[:], float64[:])"], "(n)->()")(row_sums)

    def task():
        return g(np.full((3, 4), 1e6))

    return task, [g, BadInput]


def _ufunc_inside():
    f = vectorize(plus)
    outer = njit(lambda a: f(a, a * 2))

    def task():
        outer._forget()
        return outer(A)

    return task, [f, A]


# -- callbacks --

# Of so many dimensions that their slots do not fit on the stack.
T1, T2, T3, T4, T5 = (np.full((1,) * 14, float(k)) for k in range(5))


def many_tables(i):
    return T1.size * i + T2.size + T3.size + T4.size + T5.size


def _callback():
    return lambda: cfunc("float64(int64)")(many_tables).__name__, [many_tables]


def _callback_call():
    f = cfunc("float64(int64)")(many_tables).ctypes

    def task():
        seen, before = [], sys.unraisablehook
        sys.unraisablehook = lambda unraisable: seen.append(unraisable.exc_type)
        try:
            result = f(2)
        finally:
            sys.unraisablehook = before
        if seen:
            raise seen[0]
        return result

    return task, [f, many_tables]


def _pointers():
    f = cfunc("float64(CPointer(float64), int64)")(lambda p, n: p[n]).ctypes
    p = A.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
    return lambda: f(p, 3), [f, p]


# -- parallel loops, kernels, what changes --

def _parallel(compiles):
    set_num_threads(2)
    fast = njit(parallel=True)(parallel)

    def task():
        if compiles:
            fast._forget()
        return fast(A, 3000)

    return task, [fast, A]


def _kernel():
    def reverse(a, b):
        shared = cuda.shared.array(8, np.float64)
        i = cuda.threadIdx.x
        shared[i] = a[i]
        cuda.syncthreads()
        b[i] = shared[7 - i]

    a, b = np.arange(8.0), np.zeros(8)

    def task():
        b[:] = 0
        cuda.jit(reverse)[1, 8](a, b)
        return b.copy()

    return task, [a, b]


def _changing():
    fast = njit(class_attribute)

    def task():
        fast._forget()
        results = []
        for rate in (3, 4, 5, 6):
            Settings.RATE = rate
            results.append(fast(2))
        Settings.RATE = 3
        return tuple(results)

    return task, [fast, Settings]


LIMIT = 0


def limited(x):
    return x + LIMIT


def _changing_number():
    fast = njit(limited)

    def task():
        global LIMIT
        fast._forget()
        results = []
        for LIMIT in range(5):
            results.append(fast(1))
        LIMIT = 0
        return tuple(results)

    return task, [fast]


def _pickled():
    f = vectorize(lambda x: x + 1)
    return lambda: pickle.loads(pickle.dumps(f)).nin, [f]


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


# So many allocations of a task may fail without a MemoryError: it gets along without. Of a compile
# it is what goes to the cache.
SPARED = {"calls of ufuncs": 1, "quick calls of ufuncs": 1, "a kernel": 1, "explicit signature": 1,
          "numbers that change": 5, "attributes that change": 4,
          "a ufunc's new loops": 2}

# These meet new types, which stay for good (an inner function is a type of its own).
GROWING = {"compile inner function", "compile cells", "compile new types", "new types",
           "new signatures", "compile overload", "call overload", "compile classes of exceptions",
           "a ufunc's signature", "a ufunc's new loops", "compile a ufunc inside", "a callback",
           "compile a parallel loop", "numbers that change", "attributes that change"}

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
    "an exception passed in": _passed_in,
    "a ufunc": _ufunc,
    "a ufunc's signature": _ufunc_signature,
    "a ufunc's new loops": _ufunc_new_loop,
    "calls of ufuncs": _ufunc_calls,
    "quick calls of ufuncs": _ufunc_quick_calls,
    "a ufunc raises": _ufunc_raises,
    "compile a ufunc inside": _ufunc_inside,
    "a callback": _callback,
    "call a callback": _callback_call,
    "pointers": _pointers,
    "compile a parallel loop": lambda: _parallel(True),
    "call a parallel loop": lambda: _parallel(False),
    "a kernel": _kernel,
    "attributes that change": _changing,
    "numbers that change": _changing_number,
    "pickled": _pickled,
    "inspect_types": _text_of("inspect_types"),
    "explain": _text_of("explain"),
    "inspect_ir": _text_of("inspect_ir"),
    "inspect_llvm": _text_of("inspect_llvm"),
    "inspect_asm": _text_of("inspect_asm"),
    "a decorator": lambda: (lambda: njit(ints).__name__, [ints]),
    "ir tool": _ir_tool,
}
