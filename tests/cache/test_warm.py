"""What a warm process is: no compiler, no source; threads and forks."""

import os
import sys

import pytest
from support import needs_compiler
from ways import fresh, run_cached

pytestmark = needs_compiler

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ENV = {"PYTHONPATH": os.pathsep.join([os.path.dirname(TESTS), TESTS])}
SOURCE = """
import numpy as np
from whipsnake import njit


@njit
def helper(x):
    return np.sqrt(x) + NUMBER


@njit
def f(a):
    s = 0.0
    for x in a:
        s += helper(x)
    return s
"""


@pytest.fixture
def module(tmp_path):
    (tmp_path / "user.py").write_text(SOURCE.replace("NUMBER", str(fresh())))
    return tmp_path


def use(module, code):
    return run_cached(module / "cache", code, cwd=module, env=ENV)


LOOK = """
import numpy as np
import user
from whipsnake import _core
print(user.f(np.ones(3)) == user.f.py_func(np.ones(3)), _core.is_compiler_open(),
      "_compiler.so" in open("/proc/self/maps").read(), "ast" in __import__("sys").modules)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="/proc/self/maps")
def test_a_warm_process_loads_no_compiler(module):
    assert use(module, LOOK)[0].startswith("True True True")
    assert use(module, LOOK)[0].startswith("True False False")


INLINED = """
import numpy as np
from whipsnake import njit


@njit
def skip(a, low, x):
    while a[low] < x:
        low += 1
    return low


@njit
def count(a, x, depth):
    if depth == 0:
        return 0
    return skip(a, 0, x) + count(a, x + 1.0, depth - 1)


count(np.arange(20.0) + NUMBER, NUMBER + 3.5, 4)
print(count.stats.uncached)
"""


def test_loops_that_were_inlined_are_kept(module):
    """A poll in such a loop is a place in the function that it was written in."""
    text = INLINED.replace("NUMBER", str(float(fresh())))
    (module / "inlined.py").write_text(text)
    assert use(module, "import inlined")[0] == "{}"


def test_a_warm_process_needs_no_source(module):
    use(module, LOOK)
    lines = use(module, """
import builtins, io, os
import numpy as np
import user
os.unlink("user.py")
print(user.f(np.ones(3)) == user.f.py_func(np.ones(3)), dict(user.f.stats.cache_misses))
""")
    assert lines == ["True {}"]


def test_code_without_source_that_was_compiled_with_it(module):
    """exec: the first process registers the text, the second does not need to."""
    code = """
import linecache
from whipsnake import njit
text = "def f(x):\\n    return x * NUMBER\\n"
if KNOWN:
    linecache.cache["<exec>"] = (len(text), None, text.splitlines(True), "<exec>")
space = {}
exec(compile(text, "<exec>", "exec"), space)
print(njit(space["f"])(2))
""".replace("NUMBER", str(fresh()))
    first = use(module, code.replace("KNOWN", "True"))
    assert use(module, code.replace("KNOWN", "False")) == first


def test_a_forked_child_uses_and_fills_the_cache(module):
    lines = use(module, """
import os
import numpy as np
from support import make, njit
import user
user.f(np.ones(2))
for round in range(2):
    child = os.fork()
    if not child:
        g = njit(make("def g(x):\\n    return x * 3 + NUMBER\\n", "g"))
        good = g(1) == 3 + NUMBER and user.f(np.ones(2)) and len(g.stats.cache_hits) == round
        os._exit(0 if good else 1)
    print(os.waitpid(child, 0)[1])
g = njit(make("def g(x):\\n    return x * 3 + NUMBER\\n", "g"))
print(g(1) - NUMBER, len(g.stats.cache_hits))
""".replace("NUMBER", str(fresh())))
    assert lines == ["0", "0", "3 1"]


def test_threads_on_one_cache(module):
    lines = use(module, """
import threading
from support import make, njit
source = "def f(x):\\n    return x * 5 + NUMBER\\n"
results = []
def work():
    for _ in range(20):
        f = njit(make(source))
        results.append(f(1) - NUMBER)
threads = [threading.Thread(target=work) for _ in range(8)]
for t in threads: t.start()
for t in threads: t.join()
print(set(results), len(results))
""".replace("NUMBER", str(fresh())))
    assert lines == ["{5} 160"]


def test_the_main_module_and_a_module_share(module):
    code = "import numpy as np\n" + SOURCE.replace("NUMBER", str(fresh())) + """
if __name__ == "__main__":
    print(f(np.ones(1)) > 0, len(f.stats.cache_hits))
"""
    (module / "program.py").write_text(code)
    main = "import runpy\nrunpy.run_path('program.py', run_name='__main__')"
    assert use(module, main) == ["True 0"]
    assert use(module, "import numpy as np, program\nprogram.f(np.ones(1))\n"
                       "print(len(program.f.stats.cache_hits))") == ["1"]


PROGRAMS = """
import importlib, os, pathlib, sys
sys.path.insert(0, FOLDER)
os.environ["BENCH_ENGINE"] = "whipsnake"
import engine
missed = []
for file in sorted(pathlib.Path(FOLDER, "programs").glob("*.py")):
    module = importlib.import_module(f"programs.{file.stem}")
    module.run(*module.setup(module.SMALL))
    missed += [file.stem for f in vars(module).values()
               if hasattr(f, "stats") and f.stats.cache_misses]
from whipsnake import _core
print(len(missed), _core.is_compiler_open())
"""


@pytest.mark.slow
def test_whole_programs(module):
    """None of what they use stands in the way: all of them are kept."""
    folder = os.path.join(os.path.dirname(TESTS), "benchmarks")
    code = PROGRAMS.replace("FOLDER", repr(folder))
    assert int(use(module, code)[0].split()[0]) > 20
    assert use(module, code) == ["0 False"]
