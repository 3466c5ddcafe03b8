"""Signatures given to the decorator: compiled when they are needed, each on its own."""

import threading

import numpy as np
import pytest
from support import make, needs_compiler, run_python

from whipsnake import njit
from whipsnake.errors import TypingError

pytestmark = needs_compiler

SIGNATURES = ["int64(int64)", "float64(float64)", "complex128(complex128)"]




def counting(signatures, body="x + one()"):
    """f, and a list that grows with each compile of it (an overload runs then)."""
    from whipsnake.extending import overload

    seen = []

    def one():
        raise AssertionError

    @overload(one)
    def ol_one():
        seen.append(1)
        return lambda: 1

    return njit(signatures)(make(f"def f(x):\n    return {body}\n", one=one)), seen


def test_nothing_is_compiled_before_it_is_needed():
    lines = run_python("""
        from whipsnake import njit, _core
        @njit(["int64(int64)", "float64(float64)"])
        def f(x):
            return x + 1
        print(_core.is_compiler_open())
        print(f(2), f(2.5))
    """, env={"WHIPSNAKE_CACHE": "0"}).stdout.split()
    assert lines == ["False", "3", "3.5"]


def test_a_call_compiles_its_own_signature_alone():
    f, seen = counting(SIGNATURES)
    assert not seen
    assert f(1.5) == 2.5 and len(seen) == 1
    assert f(2.5) == 3.5 and len(seen) == 1
    assert f(1) == 2 and type(f(1)) is int and len(seen) == 2
    assert f(np.float32(0.5)) == 1.5 and len(seen) == 2  # fits float64
    assert f(1j) == 1 + 1j and len(seen) == 3


def test_asking_for_the_signatures_compiles_them_in_their_order():
    f, seen = counting(SIGNATURES)
    f(1j)
    assert [str(s) for s in f.nopython_signatures] == [
        "(int64) -> int64", "(float64) -> float64", "(complex128) -> complex128"]
    assert len(seen) == 3
    f.compile("int64(int64)")
    assert len(seen) == 3 and len(f.signatures) == 3


def test_compile_keeps_a_promise():
    f, seen = counting(["float32(float64)"])
    f.compile("(float64,)")
    assert len(seen) == 1 and type(f(1.5)) is float
    assert str(f.nopython_signatures[0]) == "(float64) -> float32"


def test_of_equal_fits_the_first_is_taken():
    """However they were compiled before."""
    for first in (1.5, 1j):
        f = njit(["float64(float64)", "complex128(complex128)"])(
            make("def f(x):\n    return x * 2\n"))
        f(first)
        assert f(3) == 6 and type(f(3)) is float


def test_errors_come_with_the_first_use():
    f = njit(["float64(float64)", "int64(unicode_type)"])(make("def f(x):\n    return x - 1\n"))
    assert f(1.5) == 0.5
    for _ in range(2):
        with pytest.raises(TypingError):
            f("text")
        with pytest.raises(TypingError):
            f.signatures
    assert f(2.5) == 1.5


def test_a_signature_of_the_wrong_length_is_seen_at_once():
    with pytest.raises(TypingError, match="takes 1"):
        njit("int64(int64, int64)")(make("def f(x):\n    return x\n"))


def test_after_compiling_is_allowed_again():
    f, seen = counting(["float64(float64)"])
    f.disable_compile(False)
    assert f(1.5) == 2.5 and len(seen) == 1 and len(f.signatures) == 1
    assert f(1) == 2 and len(f.signatures) == 2


def test_many_parameters():
    names = [f"a{i}" for i in range(40)]
    f = njit(f"float64({', '.join(['float64'] * 40)})")(
        make(f"def f({', '.join(names)}):\n    return {' + '.join(names)}\n"))
    assert f(*range(40)) == sum(range(40))


def test_threads_that_need_the_same_signature():
    f, _ = counting(SIGNATURES)
    results = []
    threads = [threading.Thread(target=lambda: results.append(f(2.0))) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert results == [3.0] * 8
    assert {str(s) for s in f.nopython_signatures} == {
        "(int64) -> int64", "(float64) -> float64", "(complex128) -> complex128"}


def test_a_module_of_signatures_is_imported_quickly(tmp_path):
    """A hundred functions with signatures: nothing is compiled, nothing opened."""
    functions = "".join(f"""
@njit("float64(float64[::1], int64, float{32 + 32 * (i % 2)})")
def f{i}(a, n, x):
    return a[n] * x + {i}
""" for i in range(100))
    (tmp_path / "many.py").write_text("from whipsnake import njit\n" + functions)
    code = """
        import time, whipsnake.types
        start = time.process_time()
        import many
        print(time.process_time() - start, whipsnake._core.is_compiler_open())
        import numpy
        print(many.f7(numpy.arange(3.0), 2, 1.5), len(many.f7.signatures))
    """
    runs = [run_python(code, cwd=tmp_path).stdout.split() for _ in range(3)]
    assert [r[1:] for r in runs] == [["False", "10.0", "1"]] * 3
    assert min(float(r[0]) for r in runs) < 0.1  # 6 ms, on a machine with time
