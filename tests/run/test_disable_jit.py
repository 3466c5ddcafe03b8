"""WHIPSNAKE_DISABLE_JIT: plain Python, or the IR interpreter with compiled semantics."""

import pytest

from support import needs_compiler, run_python

pytestmark = needs_compiler

PROGRAM = """
    import numpy as np
    from whipsnake import njit
    @njit
    def f(x):
        return x * x
    @njit("int64(int64, int64)")
    def g(a, b):
        return a // b
    @njit(parallel=True)
    def total(a):
        s = 0.0
        for x in a:
            s += f(x)
        return s
    print(f(3), g(-7, 2), total(np.arange(4.0)), f(2**40))
"""


def test_off_is_plain_python():
    out = run_python(PROGRAM, env={"WHIPSNAKE_DISABLE_JIT": "1"}).stdout.split()
    assert out == ["9", "-4", "14.0", str(2**80)]


@pytest.mark.parametrize("value", ["0", "", "ir"])
def test_on_and_interpreted_have_compiled_semantics(value):
    out = run_python(PROGRAM, env={"WHIPSNAKE_DISABLE_JIT": value}).stdout.split()
    assert out == ["9", "-4", "14.0", "0"]


def test_off_keeps_the_function_usable():
    code = """
        from whipsnake import njit
        @njit
        def f(x, y=2):
            "doc"
            return [x, y, {1: 2}]
        assert f(1) == [1, 2, {1: 2}] and f.__doc__ == "doc" and f.__name__ == "f"
        assert (f.py_func if hasattr(f, "py_func") else f)(3)[0] == 3
    """
    run_python(code, env={"WHIPSNAKE_DISABLE_JIT": "1"})


def test_import_is_light():
    code = """
        import sys, numpy
        import whipsnake
        maps = open("/proc/self/maps").read()
        assert "_compiler" not in maps and "LLVM" not in maps
        assert "whipsnake.cuda" not in sys.modules
    """
    run_python(code)


def test_dump_prints_a_stage():
    result = run_python("""
        from whipsnake import njit
        print(njit(lambda x: x + 1)(1))
    """, env={"WHIPSNAKE_DUMP": "ir"})
    assert "2" in result.stdout and len(result.stdout + result.stderr) > 20


def test_the_target_cpu_can_be_overridden():
    result = run_python("""
        from whipsnake import njit
        f = njit(lambda a, b: a + b)
        print(f(1, 2))
    """, env={"WHIPSNAKE_CPU_NAME": "x86-64"})
    assert result.stdout.strip() == "3"
