"""Pickled functions, and the processes that load them."""

import copy
import pickle
import subprocess
import sys
import textwrap
import zlib

import pytest
import support
from whipsnake import cuda, njit

SCALE = 3


def helper(x):
    return x * SCALE


@njit
def by_name(x):
    return helper(x) + 1


@cuda.jit
def kernel_by_name(a):
    a[cuda.grid(1)] = SCALE


PROGRAM = """
    import enum, pickle, sys
    import numpy as np
    from whipsnake import njit, cuda, vectorize
    from whipsnake.errors import TypingError

    SCALE = 3
    table = np.arange(4.0)

    class Mode(enum.IntEnum):
        LOW = 1
        HIGH = 5

    def helper(x):
        return x * SCALE

    @njit
    def top(x):
        return helper(x) + 1

    def outer(n):
        @njit(error_model="numpy", boundscheck=False)
        def inner(x):
            return x / n
        return inner

    def pair():
        step = 10
        @njit
        def f(x):
            return x + step
        @njit
        def g(x):
            return f(x) * step
        return f, g

    def recursive():
        @njit
        def r(n):
            return 0 if n == 0 else r(n - 1) + 2
        return r

    @njit
    def lookup(i):
        return table[i]

    @njit
    def mode(m):
        return m == Mode.HIGH

    @njit
    def with_default(x, y=2.5, *, z=1):
        return x + y + z

    @vectorize(["float64(float64, float64)"])
    def squares(x, y):
        return x * x + y * y

    halve = njit("float64(int32)")(lambda x: x * 0.5)

    @cuda.jit
    def kernel(a):
        a[cuda.grid(1)] = SCALE

    @njit
    def fails(a, i):
        a[i] = 1
        return a[i]
"""


@pytest.fixture
def program(tmp_path):
    """write(code): runs PROGRAM and the code in a file that is gone afterwards."""
    def write(code, name="program.py"):
        path = tmp_path / name
        path.write_text(textwrap.dedent(PROGRAM) + textwrap.dedent(code))
        result = subprocess.run([sys.executable, str(path)], text=True, capture_output=True,
                                timeout=120, cwd=tmp_path)
        path.unlink()
        assert result.returncode == 0, result.stderr
        return result.stdout

    write.path = tmp_path
    return write


def dumped(program, expression, dumps="pickle.dumps"):
    program(f"""
        import cloudpickle
        with open("data", "wb") as file:
            file.write({dumps}({expression}))
    """ if "cloud" in dumps else f"""
        with open("data", "wb") as file:
            file.write({dumps}({expression}))
    """)


LOAD = """
import pickle
import numpy as np
with open("data", "rb") as file:
    data = file.read()
f = pickle.loads(data)
"""


def worker(program, code, **env):
    """What a process that has the pickle alone prints."""
    return support.run_python(LOAD + textwrap.dedent(code), cwd=program.path, env=env).stdout


# -- by name --------------------------------------------------------------------------------------

def test_functions_of_modules_go_by_name():
    for f in (by_name, kernel_by_name):
        assert pickle.loads(pickle.dumps(f)) is f
        assert len(pickle.dumps(f)) < 100


def test_copies_are_the_function_itself():
    for f in (by_name, kernel_by_name, njit(lambda x: x)):
        assert copy.copy(f) is f and copy.deepcopy([f])[0] is f


def test_the_source_is_compressed_once(monkeypatch):
    texts = []
    monkeypatch.setattr(zlib, "compress", lambda data, level, compress=zlib.compress: (
        texts.append(data), compress(data, level))[1])
    functions = [njit(lambda x, k=k: x + k) for k in range(3)]
    data = [pickle.dumps(f) for f in functions * 3]
    assert data[:3] == data[3:6] == data[6:] and len(texts) <= 1


def test_same_process_gives_the_same_object():
    def outer(n):
        return njit(lambda x: x + n)

    one, two = outer(1), outer(2)
    assert pickle.loads(pickle.dumps(one)) is one
    assert pickle.loads(pickle.dumps([two, two])) == [two, two]


# -- by value, in a process that has no file ------------------------------------------------------

CASES = [  # what is pickled, what is done with it, the result
    ("top", "f(2)", "7"),
    ("outer(0.0)", "f(2.0)", "inf"),
    ("pair()[1]", "f(2)", "120"),
    ("recursive()", "f(4)", "8"),
    ("lookup", "f(3)", "3.0"),
    ("with_default", "f(1), f(1, 2), f(1, z=3)", "(4.5, 4, 6.5)"),
    ("njit(lambda a, b: a - b)", "f(5, 3)", "2"),
    ("halve", "f(3), f.signatures", "(1.5, [(int32,)])"),
    ("(top.py_func(1), top)", "f[1](2)", "7"),
    ("squares", "float(f(3.0, 4)), f.types", "(25.0, ['dd->d'])"),
    ("{'f': top, 'g': outer(4)}", "f['f'](1), f['g'](2)", "(4, 0.5)"),
]


def test_loaded_without_the_file(program):
    dumped(program, f"[pickle.dumps(x) for x in ({', '.join(case[0] for case in CASES)})]")
    calls = "\n".join(f"print((lambda f: ({call}))(pickle.loads(f[{i}])))"
                      for i, (_, call, _) in enumerate(CASES))
    assert worker(program, calls).splitlines() == [result for *_, result in CASES]


def test_functions_that_share_a_variable_still_do(program):
    dumped(program, "pair()[1]")
    out = worker(program, """
        inner = f.py_func.__closure__[0].cell_contents
        print(inner.py_func.__closure__[0] is f.py_func.__closure__[1])
    """)
    assert out == "True\n"


def test_options_and_attributes_travel(program):
    program("""
        f = outer(2.0)
        f.note = "kept"
        with open("data", "wb") as file:
            file.write(pickle.dumps(f))
    """)
    out = worker(program, """
        o = f.targetoptions
        print(o["numpy_errors"], o["boundscheck"], f.note, f.__name__, f.__qualname__, f.__module__)
    """)
    assert out == "True False kept inner outer.<locals>.inner __main__\n"


def test_signatures_stay_the_only_ones(program):
    dumped(program, "halve")
    out = worker(program, """
        try:
            f("text")
        except TypeError as error:
            print(error)
    """)
    assert "No matching definition for argument type(s) str" in out


def test_kernels(program):
    dumped(program, "kernel")
    assert worker(program, "a = np.zeros(4); f[2, 2](a); print(a)") == "[3. 3. 3. 3.]\n"


def test_errors_show_the_source(program):
    dumped(program, "[top, fails]")
    out = worker(program, """
        import traceback
        for call in (lambda: f[0]("a", 1), lambda: f[0]("a"), lambda: f[1](np.zeros(3), 5)):
            try:
                call()
            except Exception as error:
                print("".join(traceback.format_exception(error)))
    """)
    assert "return x * SCALE" in out and "'x' is str" in out
    assert 'program.py", line ' in out and "    a[i] = 1\n" in out
    assert "IndexError" in out


def test_another_file_of_that_name(program):
    dumped(program, "top")
    (program.path / "program.py").write_text("# another\n" * 50)
    out = worker(program, """
        print(f(2))
        try:
            f("a")
        except TypeError as error:
            print(error)
    """)
    assert out.startswith("7\n") and "as it was pickled" in out and "return x * SCALE" in out


def test_a_second_worker_takes_it_from_the_cache(program, tmp_path):
    dumped(program, "top")
    code = "import whipsnake; print(f(2), whipsnake._core.is_compiler_open())"
    env = {"WHIPSNAKE_CACHE_DIR": str(tmp_path / "cache")}
    assert worker(program, code, **env) == "7 True\n"
    assert worker(program, code, **env) == "7 False\n"


def test_loading_twice_gives_the_same_function(program):
    dumped(program, "top")
    assert worker(program, "print(pickle.loads(data) is f)") == "True\n"


def test_a_captured_array_is_each_loads_own(program):
    dumped(program, "lookup")
    out = worker(program, """
        g = pickle.loads(data)
        g.py_func.__globals__["table"][1] = 100
        print(g(1), f(1))
    """)
    assert out == "100.0 1.0\n"


def test_disabled_jit_loads_plain_functions(program):
    dumped(program, "outer(4)")
    assert worker(program, "print(type(f).__name__, f(2))", WHIPSNAKE_DISABLE_JIT="1") == \
        "function 0.5\n"


def test_what_cannot_be_pickled_says_so():
    import threading

    lock = threading.Lock()
    f = njit(lambda: lock)
    with pytest.raises(TypeError, match="lock"):
        pickle.dumps(f)


def test_another_python_is_refused():
    from whipsnake import _pickle

    with pytest.raises(pickle.UnpicklingError, match="another version of Python"):
        _pickle.load(b"1234", b"", True, b"")


def test_many_threads_load_one(program):
    dumped(program, "top")
    out = worker(program, """
        import concurrent.futures as futures
        with futures.ThreadPoolExecutor(8) as pool:
            print({g(2) for g in pool.map(pickle.loads, [data] * 64)}, end=" ")
            print({id(g) == id(f) for g in pool.map(pickle.loads, [data] * 64)})
    """)
    assert out == "{7} {True}\n"


# -- cloudpickle, multiprocessing, joblib ---------------------------------------------------------

def test_cloudpickle_of_all(program):
    pytest.importorskip("cloudpickle")
    dumped(program, "[top, outer(4), mode, Mode, kernel, lambda x: top(x) + 1]",
           "cloudpickle.dumps")
    out = worker(program, """
        top, inner, mode, Mode, kernel, plain = f
        print(top(2), inner(2), mode(Mode.HIGH), mode(Mode.LOW), plain(2))
    """)
    assert out == "7 0.5 True False 8\n"


def test_a_module_that_cloudpickle_pickles_by_value(tmp_path):
    pytest.importorskip("cloudpickle")
    (tmp_path / "library.py").write_text("from whipsnake import njit\n@njit\ndef f(x):\n"
                                         "    return x + 40\n")
    support.run_python("""
        import cloudpickle, library
        cloudpickle.register_pickle_by_value(library)
        open("data", "wb").write(cloudpickle.dumps(library.f))
    """, cwd=tmp_path)
    (tmp_path / "library.py").unlink()
    out = support.run_python("import pickle; print(pickle.load(open('data', 'rb'))(2))",
                             cwd=tmp_path).stdout
    assert out == "42\n"


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_multiprocessing(program, method):
    out = program(f"""
        if __name__ == "__main__":
            import multiprocessing
            inner = outer(4)
            with multiprocessing.get_context("{method}").Pool(2) as pool:
                print(pool.map(top, range(5)), pool.map(inner, range(3)),
                      pool.starmap(with_default, [(1, 2), (3,)]))
    """)
    assert out == "[1, 4, 7, 10, 13] [0.0, 0.25, 0.5] [4, 6.5]\n"


def test_executor_of_processes(program):
    out = program("""
        if __name__ == "__main__":
            import multiprocessing
            from concurrent.futures import ProcessPoolExecutor
            context = multiprocessing.get_context("spawn")
            with ProcessPoolExecutor(2, mp_context=context) as pool:
                print(list(pool.map(recursive(), range(4))))
    """)
    assert out == "[0, 2, 4, 6]\n"


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_joblib(program, backend):
    pytest.importorskip("joblib")
    out = program(f"""
        if __name__ == "__main__":
            from joblib import Parallel, delayed
            run = Parallel(n_jobs=2, backend="{backend}")
            print(run(delayed(top)(k) for k in range(5)))
            print(run(delayed(outer(4))(k) for k in range(3)))
    """)
    assert out == "[1, 4, 7, 10, 13]\n[0.0, 0.25, 0.5]\n"


def test_a_session_without_a_file():
    """As in a notebook: nothing of it can be imported."""
    out = support.run_python("""
        import linecache, multiprocessing
        source = "from whipsnake import njit\\n@njit\\ndef cell(x):\\n    return x * 2\\n"
        linecache.cache["<cell 1>"] = len(source), None, source.splitlines(True), "<cell 1>"
        exec(compile(source, "<cell 1>", "exec"))
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            print(pool.map(cell, [1, 2]))
    """).stdout
    assert out == "[2, 4]\n"
