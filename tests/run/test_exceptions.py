"""try, except, else, finally, raise again, causes, contexts, exceptions as values: as in Python.

Every program runs plainly and compiled; results, printed text and exceptions are compared, these
with their arguments, causes, contexts, and the traceback's lines, carets and names.

PYTEST_DONT_REWRITE: the assert statements below belong to the programs.
"""

import contextlib
import io
import os
import subprocess
import sys
import traceback

import numpy as np
import pytest

from exception_programs import PROGRAMS, SCOPE, Coded, Derived, MyError
from exception_value_programs import VALUES
from leaks import assert_no_leak
from support import compiled, make, needs_compiler, njit
from whipsnake import prange

pytestmark = needs_compiler

ALL_PROGRAMS = PROGRAMS | VALUES


def entries(error, filename):
    """Where the exception has been, in the program: line, columns and function."""
    return [(f.lineno, f.end_lineno, f.colno, f.end_colno, f.name)
            for f in traceback.extract_tb(error.__traceback__) if f.filename == filename]


def describe(error, filename):
    if error is None:
        return None
    return (type(error).__name__, repr(error.args), str(error), entries(error, filename),
            describe(error.__cause__, filename), describe(error.__context__, filename),
            error.__suppress_context__)


def outcome(func, args):
    out = io.StringIO()
    filename = getattr(func, "py_func", func).__code__.co_filename
    with contextlib.redirect_stdout(out):
        try:
            result = repr(func(*args))
        except BaseException as error:
            result = describe(error, filename)
    return result, out.getvalue()


def same(source, *cases):
    """The function f of the source does the same in both. A case: its arguments, a tuple."""
    plain = make(source, njit=lambda f: f, **SCOPE)
    fast = make(source, **SCOPE)
    fast = fast if hasattr(fast, "py_func") else njit(fast)
    for case in cases:
        args = case if isinstance(case, tuple) else (case,)
        want, got = outcome(plain, args), outcome(fast, args)
        assert got == want, args


@pytest.mark.parametrize("name", ALL_PROGRAMS)
def test_programs(name):
    source, *cases = ALL_PROGRAMS[name]
    same(source, *cases)


def test_the_traceback_is_pythons_to_the_caret():
    source = """
        def h(a, i):
            return a[i] + a[i + 1]

        def g(a):
            s = 0.0
            try:
                for i in range(10):
                    s += h(a, i)
            except KeyError:
                s = -1
            return s

        def f():
            a = np.ones(4)
            try:
                return g(a) * 2
            except LookupError:
                raise
    """
    f = make(source, njit=njit)
    scope = f.__globals__
    plain_g = scope["g"]
    scope["h"], scope["g"] = njit(scope["h"]), njit(plain_g)
    with pytest.raises(IndexError) as caught:
        njit(f)()
    assert [(e[0], e[4]) for e in entries(caught.value, f.__code__.co_filename)] == [
        (17, "f"), (9, "g"), (3, "h")]
    text = "".join(traceback.format_exception(caught.value))
    assert "                  ~^^^^^^^" in text


def test_exceptions_from_python():
    """As arguments, alone and in tuples: tested, printed, raised, stored as causes, given back."""
    def look(e):
        return (str(e), repr(e), isinstance(e, ValueError), isinstance(e, (MyError, KeyError)),
                e.args[0])

    def throw(e, again):
        try:
            raise e
        except ValueError as caught:
            if again:
                raise
            return caught
        except Exception as caught:
            raise RuntimeError("other") from caught

    def pick(pair, first):
        return pair[0] if first else pair[1]

    one, mine = ValueError("one"), Derived("mine")
    for e in (one, mine, KeyError("k"), Coded(3)):
        assert compiled(look)(e) == look(e)
    assert compiled(throw)(one, False) is one
    assert compiled(pick)((one, mine), True) is one and compiled(pick)((one, mine), False) is mine
    for e, again in ((one, True), (mine, True), (KeyError("k"), False)):
        with pytest.raises(Exception) as want:
            throw(e, again)
        e.__traceback__ = None
        with pytest.raises(Exception) as got:
            compiled(throw)(e, again)
        assert type(got.value) is type(want.value) and got.value.args == want.value.args
        assert got.value is e or got.value.__cause__ is e


@pytest.mark.parametrize("nogil", [False, True])
def test_raise_alone_takes_what_python_handles(nogil):
    @njit(nogil=nogil)
    def again():
        raise

    with pytest.raises(RuntimeError, match="No active exception to reraise"):
        again()
    error = KeyError("mine")
    for _ in range(3):
        with pytest.raises(KeyError) as caught:
            try:
                raise error
            except KeyError:
                again()
        assert caught.value is error and error.__context__ is None


def test_raise_alone_in_parallel_loops():
    @njit
    def again(i):
        if i == 700:
            raise

    @njit(parallel=True)
    def f(n):
        try:
            raise MyError("outer", n)
        except MyError:
            for i in prange(n):
                again(i)
        return n

    assert f(100) == 100
    with pytest.raises(MyError) as caught:
        f(100_000)
    assert caught.value.args == ("outer", 100_000)


def test_exceptions_from_python_are_released():
    @njit
    def same(e, n):
        last = e
        for _ in range(n):
            last = ValueError(last)
        return e

    e = MyError("x")
    same(e, 2)
    count = sys.getrefcount(e)
    for _ in range(100):
        assert same(e, 3) is e
    assert sys.getrefcount(e) == count


def test_an_item_of_e_args_needs_one_type():
    from whipsnake.errors import TypingError

    def mixed(x):
        try:
            if x:
                raise ValueError("a", x)
            raise KeyError(1.5)
        except Exception as e:
            return e.args[0]

    with pytest.raises(TypingError, match="of e.args has no one type"):
        compiled(mixed)(1)

    def unknown(x):
        try:
            if x:
                raise ValueError("a", x)
            raise KeyError("b")
        except Exception as e:
            return e.args[x]

    with pytest.raises(TypingError, match="which one is asked for must be known"):
        compiled(unknown)(1)

    def absent(x):
        try:
            if x:
                raise ValueError("a", x)
            raise KeyError("b")
        except Exception as e:
            return e.args[4]

    with pytest.raises(TypingError, match="no exception that comes here has an argument 4"):
        compiled(absent)(1)

    def own(x):
        try:
            raise Coded(x)
        except Coded as e:
            return e.args[0]

    with pytest.raises(TypingError, match="an __init__ of its own"):
        compiled(own)(1)

    def status(x):
        try:
            raise ValueError(x)
        except ValueError as e:
            return e.code

    with pytest.raises(TypingError, match="none has it"):
        compiled(status)(1)


def test_arguments_that_nobody_knows_of():
    """Exceptions that Python has made, and those of checks, where the program's own have others."""
    @njit
    def look(e, x):
        try:
            if x == 1:
                raise ValueError(x, "a")
            if x == 2:
                raise MyError(x)
            if x == 3:
                return 1 // (x - 3), "", 0
            raise e
        except Exception as error:
            return error.args[0], type(error).__name__, len(error.args)
        return 0, "", 0

    assert look(KeyError(5, 6), 1) == (1, "ValueError", 2)
    assert look(KeyError(5, 6), 2) == (2, "MyError", 1)
    assert look(KeyError(5), 0) == (5, "KeyError", 1)
    assert look(IndexError(7, "text"), 0) == (7, "IndexError", 2)
    for e, x in ((KeyError(), 3), (KeyError(5, 6), 0), (KeyError(5, "a", "b"), 0),
                 (KeyError(2.5), 0), (KeyError("text", 7), 0), (MyError(), 0)):
        with pytest.raises(TypeError, match="have other types than"):
            look(e, x)

    @njit
    def unpack(e, own=False):
        try:
            if own:
                raise MyError("text", np.ones(3), (1, 2.5), None)
            raise e
        except MyError as error:
            text, a, t, inner = error.args
            return text, a, t, inner is None

    a = np.arange(3.0)
    error = MyError("te" + "xt" * 9, a, (3, 4.5), None)
    for _ in range(3):
        text, b, t, no = unpack(error)
        assert text == error.args[0] and b is a and t == (3, 4.5) and no
    counts = sys.getrefcount(a), sys.getrefcount(text)
    for _ in range(50):
        unpack(error)
        with pytest.raises(TypeError):
            unpack(MyError(text, a, 5, None))
    assert (sys.getrefcount(a), sys.getrefcount(text)) == counts

    @njit
    def count(e):
        try:
            raise e
        except Exception as error:
            kind = type(error)
            return kind, kind is MyError, kind.__name__, kind.__module__, issubclass(kind, KeyError)

    for e in (KeyError(5, 6), MyError(), Derived(1), Coded(3)):
        kind = type(e)
        assert count(e) == (kind, kind is MyError, kind.__name__, kind.__module__,
                            issubclass(kind, KeyError))


def test_classes_of_exceptions_from_the_cache(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("from whipsnake import njit\n"
                       "@njit\ndef f(x):\n"
                       "    try:\n"
                       "        if x > 5:\n            raise ValueError(x)\n"
                       "        if x:\n            raise KeyError(x, 2.5)\n"
                       "        1 // x\n"
                       "    except Exception as e:\n        return type(e), e.args\n"
                       "print(f(0), f(3), any(f.stats.cache_hits.values()))\n")
    env = {**os.environ, "WHIPSNAKE_CACHE_DIR": str(tmp_path / "cache"), "WHIPSNAKE_CACHE": "1",
           "WHIPSNAKE_DISABLE_JIT": ""}
    for known in (False, True):
        out = subprocess.run([sys.executable, str(program)], capture_output=True, text=True,
                             env=env)
        assert out.stdout == (
            "(<class 'ZeroDivisionError'>, ('integer division or modulo by zero',)) "
            f"(<class 'KeyError'>, (3, 2.5)) {known}\n"), out.stderr


def test_causes_must_be_exceptions():
    from whipsnake.errors import TypingError

    def f(x):
        raise ValueError from x

    with pytest.raises(TypingError, match="exception causes must derive from BaseException"):
        compiled(f)(1)


def test_arguments_of_other_types_at_run_time():
    """What comes, but was not seen when compiling, is told apart at run time."""
    @njit
    def g(e):
        return e.args[1]

    def f(a, x):
        try:
            if x < 0:
                raise IndexError("mine", x)
            return a[x]
        except IndexError as e:
            return g(e)

    fast = compiled(f)
    assert fast(np.zeros(2, np.int64), -3) == -3
    with pytest.raises(TypeError, match="arguments of this IndexError have other types"):
        fast(np.zeros(2, np.int64), 3)


def test_a_long_chain_does_not_eat_the_stack():
    def f(n):
        last = ValueError("first")
        for i in range(n):
            try:
                raise KeyError("next", i) from last
            except KeyError as e:
                last = e
        return isinstance(last, KeyError)

    def g(n):
        last = ValueError("first")
        for i in range(n):
            last = ValueError(last)
        return n

    assert compiled(f)(300_000)
    assert compiled(g)(300_000) == 300_000


def test_a_million_exceptions():
    def f(n):
        total = 0
        for i in range(n):
            try:
                if i % 2 == 0:
                    raise ValueError("even", i)
                total += 1 // (i % 4 - 1)
            except ValueError as e:
                total += e.args[1] % 3
            except ZeroDivisionError:
                total += 1
        return total

    assert compiled(f)(1_000_000) == f(1_000_000)


@needs_compiler
@pytest.mark.parametrize("name", [
    "callees that catch and wrap", "in tuples and in others", "results", "a class with an __init__",
    "context of a nested handler", "an array survives in the exception", "a cell for the exception",
])
def test_nothing_is_left_behind(name):
    source, *cases = ALL_PROGRAMS[name]
    f = make(source, **SCOPE)
    fast = f if hasattr(f, "py_func") else njit(f)

    def call():
        for case in cases:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(BaseException):
                fast(case)

    # Python's own caches grow a little at first; one object for each call would be 24,000 bytes.
    assert_no_leak(call, [], repeats=500, slack_bytes=16_384)
