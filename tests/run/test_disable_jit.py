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

def test_atomic_operations_without_compiling():
    out = run_python("""
        import numpy as np
        from whipsnake import atomic
        a = np.arange(4.0)
        print(atomic.add(a, 1, 2), atomic.min(a, 2, 1), atomic.max(a, 0, 5), atomic.load(a, 3),
              atomic.exchange(a, 3, 8), atomic.compare_exchange(a, 3, 8, 9), a.tolist())
        b = np.array([12])
        print(atomic.and_(b, 0, 5), atomic.or_(b, 0, 3), atomic.xor(b, 0, 1), atomic.sub(b, 0, 1),
              b.tolist())
    """, env={"WHIPSNAKE_DISABLE_JIT": "1"}).stdout
    assert out == "1.0 2.0 0.0 3.0 3.0 8.0 [5.0, 3.0, 1.0, 9.0]\n12 4 7 6 [5]\n"


MACHINE_CODE = """
    compiled = [o for d in (f, g, total) for o in d.overloads.values()]
    print([o.code_size > 0 and o.stage_seconds["llvm"] > 0 for o in compiled])
"""


def test_off_is_plain_python():
    out = run_python(PROGRAM, env={"WHIPSNAKE_DISABLE_JIT": "1"}).stdout.split()
    assert out == ["9", "-4", "14.0", str(2**80)]


@pytest.mark.parametrize("value, compiled", [("0", True), ("", True), ("ir", False)])
def test_on_and_interpreted_have_compiled_semantics(value, compiled):
    out = run_python(PROGRAM + MACHINE_CODE,
                     env={"WHIPSNAKE_DISABLE_JIT": value, "WHIPSNAKE_CACHE": "0"}).stdout
    assert out.splitlines() == ["9 -4 14.0 0", str([compiled] * 3)]


def test_interpreted_functions_raise_and_call_each_other():
    code = """
        import numpy as np
        from whipsnake import njit
        scale = np.array([2.0, 3.0])
        @njit
        def inner(a, i):
            return a[i] * scale[i % 2]
        @njit
        def outer(a, n):
            s = 0.0
            for i in range(n):
                s += inner(a, i)
            return s, f"{n} of {len(a)}"
        print(outer(np.arange(4.0), 4))
        try:
            outer(np.arange(4.0), 5)
        except IndexError as e:
            print(e)
    """
    plain = run_python(code, env={"WHIPSNAKE_DISABLE_JIT": "0"}).stdout
    assert run_python(code, env={"WHIPSNAKE_DISABLE_JIT": "ir"}).stdout == plain
    assert plain.startswith("(16.0, '4 of 4')\nindex 4 is out of bounds")


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
    code = """
        from whipsnake import njit
        @njit("void(float64[::1], float64)")
        def scale(a, x):
            for i in range(len(a)):
                a[i] *= x
        asm = list(scale.inspect_asm().values())[0]
        print("xmm" in asm, "ymm" in asm, "zmm" in asm)
    """
    old = run_python(code, env={"WHIPSNAKE_CPU_NAME": "x86-64"}).stdout
    new = run_python(code, env={"WHIPSNAKE_CPU_NAME": "x86-64-v3"}).stdout
    assert old.split() == ["True", "False", "False"]
    assert new.split()[1:] == ["True", "False"]
