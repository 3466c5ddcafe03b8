"""Nothing is left behind: by calls, by results, by exceptions, by failed compilations."""

import collections
import contextlib
import gc
import sys

import numpy as np
import pytest

from leaks import assert_memory_bounded, assert_no_leak
from support import PLAIN, compiled, needs_compiler, njit

Point = collections.namedtuple("Point", "x y")


def call_of(func, *args):
    fast = compiled(func)
    return lambda: fast(*args)


ARRAY = np.arange(10.0)
TUPLE = (ARRAY, (1, 2.5))


@pytest.mark.parametrize("name, func, args", [
    ("scalars", lambda a, b: a + b, (10**6 + 1, 2.5)),
    ("big ints", lambda a: a * 3, (10**15,)),
    ("array element", lambda a: a[3], (ARRAY,)),
    ("same array back", lambda a: a, (ARRAY,)),
    ("view back", lambda a: a[1:5][::-1], (ARRAY,)),
    ("two views back", lambda a: (a[1:], a[:2]), (ARRAY,)),
    ("new array", lambda n: np.zeros(n), (20,)),
    ("view of a new array", lambda n: np.arange(n)[2:], (20,)),
    ("temporary arrays", lambda a: a.copy().reshape(2, 5).T.copy().sum(), (ARRAY,)),
    ("tuple of arrays", lambda t: t[0][t[1][0]], (TUPLE,)),
    ("tuple back", lambda t: (t, t), (TUPLE,)),
    ("named tuple", lambda p: Point(p.y, p.x), (Point(1, 2.5),)),
    ("optional", lambda x, y: x if y is None else None, (5, None)),
    ("index error", lambda a: a[10], (ARRAY,)),
    ("index error after an allocation", lambda a: a.copy()[a.size], (ARRAY,)),
    ("zero division", lambda a: a // 0, (3,)),
    ("mask", lambda a, m: a[m], (ARRAY, ARRAY > 1)),
    ("array variable that changes", lambda a: (a if a[0] else a.copy())[1:].copy(), (ARRAY,)),
    ("string", lambda x: "text" if x else "other", (1,)),
    ("wrong number of arguments", lambda x: x, (1, 2)),
])
def test_calls_leave_nothing(name, func, args):
    watched = [ARRAY, TUPLE, Point, *args]
    assert_no_leak(call_of(func, *args), watched)


def test_loops_over_temporaries():
    def f(a, n):
        s = 0.0
        b = a
        for i in range(n):
            b = b.copy()
            c = b[i % 5:]
            if i == 7:
                continue
            s += c[0]
            if i > 30:
                break
        return s

    assert_no_leak(call_of(f, ARRAY, 50), [ARRAY])


def test_exceptions_through_several_frames():
    @njit
    def inner(a, i):
        b = a.copy()
        if i == 0:
            raise ValueError("text", i, a.size)
        return inner(b, i - 1)

    assert_no_leak(lambda: inner(ARRAY, 5), [ARRAY])


@pytest.mark.skipif(PLAIN, reason="measures compiled code")
def test_large_results_are_freed():
    def make(n):
        a = np.zeros(n)
        b = np.ones(n)
        a[0] = b[1]
        return a[:10]

    assert_memory_bounded(call_of(make, 131072), 2 * 8 * 131072)


@pytest.mark.skipif(PLAIN, reason="measures compiled code")
def test_large_temporaries_are_freed_on_exceptions():
    def fail(n):
        a = np.zeros(n)
        a[:] = 1.0
        return a[n]

    assert_memory_bounded(call_of(fail, 131072), 8 * 131072)


@needs_compiler
def test_unused_functions_are_collected():
    import weakref

    def build():
        data = np.zeros(1000)

        @njit
        def f(i):
            return data[i]

        f(1)
        return weakref.ref(f), weakref.ref(data)

    references = build()
    gc.collect()
    assert references[0]() is None or references[1]() is not None


@needs_compiler
def test_failed_compilations_leave_their_arguments_alone():
    fast = njit(lambda a: a.no_such_attribute)
    assert_no_leak(lambda: fast(ARRAY), [ARRAY], repeats=10, slack_bytes=65536)


def test_the_helper_sees_a_leak():
    kept = []
    with pytest.raises(AssertionError):
        assert_no_leak(lambda: kept.append([ARRAY]), [ARRAY])
    with pytest.raises(AssertionError):
        assert_memory_bounded(lambda: kept.append(b"x" * 200_000), 200_000)


BROKEN = {
    "unknown attribute": lambda a: a.mean().nope,
    "after the prelude": lambda a: np.linspace(0, 1, a.size) + (1, 2),
    "inside the prelude": lambda a: np.linspace("x", 1),
    "not callable": lambda a: a.argmax()(3),
    "wrong count": lambda a: np.dot(a, 3.5, 4),
    "no such function": lambda a: np.no_such_function(a),
    "refused": lambda a: {x: 1 for x in a},
}


@needs_compiler
@pytest.mark.parametrize("name", BROKEN)
def test_failing_compiles_come_to_an_end_of_growing(name):
    """Python's table of interned strings fills up in the first of them; then nothing more stays."""
    fast = njit(BROKEN[name])

    def fail(times):
        before = sys.getallocatedblocks()
        for _ in range(times):
            with contextlib.suppress(Exception):
                fast(ARRAY)
        gc.collect()
        return sys.getallocatedblocks() - before

    assert min(fail(40) for _ in range(6)) < 20
