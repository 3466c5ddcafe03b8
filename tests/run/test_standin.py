"""`python -m whipsnake program.py`, install_as_numba, and Numba's environment variables."""

import os
import subprocess
import sys
import textwrap

import pytest

from support import PLAIN, run_python

if PLAIN:
    pytest.skip("about compiled code", allow_module_level=True)


@pytest.fixture
def start(tmp_path):
    """start(program, *args): what it prints under `python -m whipsnake`."""
    def run(program, *args, module=False, status=0, name="program.py", **env):
        (tmp_path / name).write_text(textwrap.dedent(program))
        what = ["-m", "program"] if module else [str(tmp_path / name)]
        result = subprocess.run([sys.executable, "-m", "whipsnake", *what, *args], text=True,
                                capture_output=True, timeout=120, cwd=tmp_path,
                                env=dict(os.environ, **env))
        assert result.returncode == status, result.stderr
        return result.stdout if status == 0 else result.stderr

    return run


PROGRAM = """
    import sys
    import numba
    import numpy as np

    @numba.njit(cache=True, parallel=True)
    def total(a):
        s = numba.float64(0)
        for i in numba.prange(a.size):
            s += a[i]
        return s

    @numba.jit(numba.int64(numba.int64), nopython=True)
    def more(x):
        return x + 1

    print(__name__, sys.argv[1:], total(np.arange(4.0)), more(3), __file__.endswith("program.py"))
    print(len(total.stats.cache_hits))
"""


@pytest.mark.parametrize("module", [False, True])
def test_a_program_runs_as_with_python(start, module, tmp_path):
    folder = {"WHIPSNAKE_CACHE_DIR": str(tmp_path / "cache")}
    want = "__main__ ['a', '--b'] 6.0 4 True\n"
    assert start(PROGRAM, "a", "--b", module=module, **folder) == want + "0\n"
    assert start(PROGRAM, "a", "--b", module=module, **folder) == want + "1\n"


def test_the_exit_status_is_the_programs(start):
    assert start("import sys; sys.exit('stop')", status=1) == "stop\n"
    assert start("raise SystemExit(7)", status=7) == ""
    assert "ZeroDivisionError" in start("1 / 0", status=1)


def test_modules_of_numba_are_ours(start):
    assert start("""
        import numba, numba.cuda, numba.types, numba.extending, numba.core.types, numba.core.errors
        import numba.core.typing, numba.core.dispatcher, numba.core.registry, numba.np.numpy_support
        from numba import config, cuda, errors, njit, prange, types
        from numba.core import types as core_types, errors as core_errors
        from numba.core.config import DISABLE_JIT
        from numba.core.errors import NumbaPerformanceWarning, TypingError
        from numba.core.registry import CPUDispatcher
        from numba.core.typing import signature
        from numba.cuda import shared
        from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32
        from numba.cuda.cudadrv.devicearray import DeviceNDArray
        from numba.extending import overload, register_jitable
        from numba.misc.special import prange as special_prange
        from numba_cuda.numba import cuda as newer
        from numba_cuda_mlir import cuda as newest
        import whipsnake

        assert cuda is numba.cuda is newer is newest is whipsnake.cuda
        assert types is core_types is numba.types is numba.core.types is whipsnake.types
        assert errors is core_errors is whipsnake.errors and config is whipsnake.config
        assert njit is whipsnake.njit and prange is special_prange is whipsnake.prange
        assert isinstance(njit(lambda x: x), CPUDispatcher)
        assert signature(types.int64, types.float64) == types.int64(types.float64)
        assert shared is whipsnake.cuda.shared and numba.__name__ == "numba"
        assert tuple(map(int, numba.__version__.split(".")[:2])) >= (0, 60)
        assert numba.version_info.short == (0, 68)
        assert numba.np.numpy_support.from_dtype("float32") is types.float32
    """) == ""


def test_what_is_not_built_says_so_when_it_is_used(start):
    out = start("""
        import numba
        from numba import literal_unroll
        from numba.core.datamodel import models
        from numba.experimental import jitclass
        from numba.typed import Dict, List

        def said(do):
            try:
                do()
            except (AttributeError, ImportError, numba.errors.UnsupportedError) as error:
                print(error)

        def imports():
            import numba.foo

        class_of = lambda: type("C", (), {})
        said(List)
        said(lambda: Dict.empty(numba.int64, numba.int64))
        said(lambda: jitclass([("x", numba.int64)])(class_of()))
        said(lambda: literal_unroll((1, 2)))
        said(imports)
        said(lambda: numba.nonsense)
        class Derived(List):
            pass
        said(Derived)
        print(isinstance([], List))
    """)
    assert out.splitlines() == [
        "not built yet: whipsnake.typed.List",
        "not built yet: whipsnake.typed.Dict.empty",
        "not built yet: whipsnake.experimental.jitclass",
        "not built yet: whipsnake.literal_unroll",
        "No module named 'numba.foo': whipsnake, which stands in for Numba here, has nothing of "
        "that name",
        "module 'numba' has no attribute 'nonsense' (this is whipsnake's stand-in for Numba)",
        "not built yet: whipsnake.typed.List",
        "False"]


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_that_the_program_starts(start, method):
    assert start(f"""
        import multiprocessing, numba

        @numba.njit
        def double(x):
            return 2 * x

        def work(x):
            from numba import types
            return double(x), numba.__name__, types.__name__

        if __name__ == "__main__":
            with multiprocessing.get_context("{method}").Pool(1) as pool:
                print(pool.map(work, [4]))
    """) == "[(8, 'numba', 'whipsnake.types')]\n"


def test_install_as_numba():
    assert run_python("""
        import whipsnake
        whipsnake.install_as_numba()
        whipsnake.install_as_numba()
        import numba
        print(numba.njit(lambda x: x + 1)(1), numba.njit is whipsnake.njit)
    """).stdout == "2 True\n"


def test_too_late_to_install(tmp_path):
    (tmp_path / "numba.py").write_text("")
    assert run_python("""
        import numba, whipsnake
        try:
            whipsnake.install_as_numba()
        except RuntimeError as error:
            print(error)
    """, cwd=tmp_path).stdout == \
        "Numba is imported already: call whipsnake.install_as_numba() first\n"


def test_the_stand_in_comes_before_an_installed_numba(start, tmp_path):
    (tmp_path / "numba.py").write_text("raise AssertionError")
    assert start("import numba; print(numba.njit(lambda: 5)())") == "5\n"


# -- variables ------------------------------------------------------------------------------------

@pytest.mark.parametrize("variables, shows", [
    ({"NUMBA_DISABLE_JIT": "1"}, "function 1 IndexError"),
    ({"NUMBA_DISABLE_JIT": "0"}, "Dispatcher 0 IndexError"),
    ({"NUMBA_DISABLE_JIT": "1", "WHIPSNAKE_DISABLE_JIT": "0"}, "Dispatcher 0 IndexError"),
    ({"NUMBA_BOUNDSCHECK": "0"}, "Dispatcher 0 7.0"),
    ({"NUMBA_BOUNDSCHECK": "1"}, "Dispatcher 0 IndexError"),
])
def test_variables_for_decorators(variables, shows):
    out = run_python("""
        import numpy as np, whipsnake
        f = whipsnake.njit(lambda a: a[5])
        a = np.full(9, 7.0)[:3]
        try:
            result = f(a)
        except IndexError:
            result = "IndexError"
        print(type(f).__name__, whipsnake.config.DISABLE_JIT, result)
    """, env=variables).stdout
    assert out == shows + "\n"


def test_other_variables(tmp_path):
    out = run_python("""
        import whipsnake
        from whipsnake import config, njit
        f = njit(lambda x: x * 2)
        print(config.NUMBA_NUM_THREADS, config.ENABLE_CUDASIM, config.CPU_NAME, f(2),
              f.targetoptions["debug"], njit(debug=False)(lambda: 0).targetoptions["debug"])
        print(f.stats.cache_path)
    """, env={"NUMBA_NUM_THREADS": "3", "NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DEBUGINFO": "1",
              "NUMBA_CPU_NAME": "x86-64-v2", "NUMBA_CPU_FEATURES": "+avx",
              "WHIPSNAKE_CACHE_DIR": "", "NUMBA_CACHE_DIR": str(tmp_path / "kept")}).stdout
    assert out == f"3 1 x86-64-v2,+avx 4 True False\n{tmp_path}/kept/whipsnake\n"


@pytest.mark.parametrize("level", ["0", "1", "2", "3", "max"])
def test_levels_of_optimisation(level):
    assert run_python("""
        import numpy as np
        from whipsnake import njit
        print(njit(cache=False)(lambda a: (a * 2).sum() + np.sqrt(a[1]))(np.arange(5.0)))
    """, env={"NUMBA_OPT": level}).stdout == "21.0\n"


def test_config_may_be_assigned_to():
    from whipsnake import config, njit

    try:
        config.DISABLE_JIT = 1
        assert type(njit(lambda: 0)).__name__ == "function"
    finally:
        config.DISABLE_JIT = 0
    assert type(njit(lambda: 0)).__name__ == "Dispatcher"
