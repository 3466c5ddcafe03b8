"""Variables that inner functions assign to (nonlocal): real cells, whatever they hold."""

import numpy as np
import pytest

from leaks import assert_no_leak
from support import check, compiled, needs_compiler, on


@on(0, 3)
def test_numbers(x):
    n = 0

    def add():
        nonlocal n
        n += x

    add()
    add()
    return n


@on(0, 3)
def test_strings(x):
    s = "a"

    def add(t):
        nonlocal s
        s = s + t

    for i in range(x):
        add(str(i))
    return s


@on(0, 3)
def test_arrays(x):
    a = np.zeros(2)

    def grow():
        nonlocal a
        b = np.zeros(len(a) + 1)
        b[0] = a[0] + 1
        a = b

    for i in range(x):
        grow()
    return a


@on((np.arange(3.0),))
def test_an_argument_comes_back_itself(a):
    best = np.zeros(1)

    def pick(b):
        nonlocal best
        if b.sum() >= best.sum():
            best = b

    pick(a)
    pick(a[:0])
    return best


@on((np.arange(3.0),))
def test_layouts_meet(a):
    best = a

    def pick(b):
        nonlocal best
        best = b

    pick(a[::-1])
    return best[0], len(best)


@on(0, 3)
def test_tuples(x):
    t = (1, "a", np.ones(2))

    def step():
        nonlocal t
        t = (t[0] + 1, t[1] + "x", t[2] * 1.0 if False else np.zeros(t[0]))

    for i in range(x):
        step()
    return t


def apply(g, n):
    for i in range(n):
        g()


@on(0, 3)
def test_inner_functions_passed_on(x):
    s, n = "", 0

    def g():
        nonlocal s, n
        s += "q"
        n += len(s)

    apply(g, x)
    return s, n


@on(0, 3)
def test_counters_that_live_on(x):
    def counter():
        k = 0
        text = "-"

        def bump():
            nonlocal k, text
            k += 1
            text += str(k)
            return text

        return bump

    c, d = counter(), counter()
    c()
    d()
    return c() + d() + c()


@on(0, 7)
def test_two_levels(x):
    a = np.zeros(3)

    def outer(i):
        nonlocal a

        def inner():
            nonlocal a
            a = np.ones(i)

        inner()

    outer(x)
    return len(a)


@on(0, 7)
def test_none_at_first(x):
    s = None
    best = None

    def g(v):
        nonlocal s, best
        if v > 3:
            s = "big"
        best = v * 0.5

    for i in range(x):
        g(i)
    return s, best


@on(0, 3)
def test_an_int_that_becomes_a_float(x):
    total = 0.0
    count = 0

    def add(v):
        nonlocal total, count
        total += v * 0.5
        count += 1

    for i in range(x):
        add(i)
    return total, count


@on(0, 1)
def test_unset_variables_raise(x):
    def g():
        nonlocal s
        s = "set"

    if x:
        g()
    if x > 5:
        s = "never"
    return s


@on(0, 1)
def test_deleted_variables_raise(x):
    s = "abc"

    def g():
        return s  # noqa: F821

    s = s + "d"
    print(g())
    del s
    return g()


@on(0, 7)
def test_values_stay_when_an_exception_comes(x):
    last = "none"

    def note(v):
        nonlocal last
        last = f"{v}"
        if v == 5:
            raise ValueError(last)

    try:
        for i in range(x):
            note(i)
    except ValueError as e:
        return last + e.args[0]
    return last


@needs_compiler
def test_what_does_not_fit_is_told():
    from whipsnake.errors import TypingError

    def f(a):
        n = 1

        def g():
            nonlocal n
            n = a

        g()
        return n

    with pytest.raises(TypingError, match="'n' is int64 on one path and array"):
        compiled(f)(np.ones(2))


@needs_compiler
def test_cells_leave_nothing():
    def f(a, n):
        kept = a
        text = ""

        def g(i):
            nonlocal kept, text
            kept = kept.copy()
            text = text + str(i)
            if i == 3:
                raise ValueError(kept, text)

        for i in range(n):
            g(i)
        return kept, text

    array = np.arange(10.0)
    fast = compiled(f)
    check(f, array, 3)
    assert_no_leak(lambda: fast(array, 3), [array])
    assert_no_leak(lambda: fast(array, 5), [array])
