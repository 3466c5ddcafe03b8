"""`debug=True` under gdb, and the names that profilers see. gdb runs in batch mode."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from support import PLAIN, run_python

if PLAIN:
    pytest.skip("looks at the compiler itself", allow_module_level=True)

needs_gdb = pytest.mark.skipif(not shutil.which("gdb"), reason="gdb is not installed")

PROGRAM = """\
import numpy as np
from whipsnake import njit


@njit(debug=True)
def weigh(pair, k):
    w = pair[0] * k
    half = w / 2
    return half + pair[1]


@njit(debug=True)
def total(a, pair, flag):
    s = 0.0
    for i in range(len(a)):
        s += a[i]
        if flag:
            s += weigh(pair, i)
    n = 7
    n = 0.5
    label = "end"
    return s + n


print(total(np.array([1.5, 2.5, 3.5]), (2, 0.25), True))
print(total(np.array([[1.5, 2.5], [3.5, 4.5]])[:, 1], (2, 0.25), False))
"""

SETTINGS = ["set pagination off", "set confirm off", "set breakpoint pending on",
            "set debuginfod enabled off"]


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    path = tmp_path_factory.mktemp("gdb") / "prog.py"
    path.write_text(PROGRAM)
    return path


def line_of(text):
    return PROGRAM.splitlines().index(text) + 1


def gdb(program, *commands):
    """What gdb prints from the first stop on."""
    environment = dict(os.environ)
    preload = environment.pop("LD_PRELOAD", "")  # the sanitizer is for the program, not for gdb
    settings = [*SETTINGS, f"set environment LD_PRELOAD {preload}"] if preload else SETTINGS
    lines = [word for command in [*settings, *commands] for word in ("-ex", command)]
    run = subprocess.run(["gdb", "-nx", "-batch", *lines, "--args", sys.executable, str(program)],
                         capture_output=True, text=True, timeout=120, env=environment)
    out = run.stdout
    assert "hit Breakpoint" in out, out + run.stderr
    return out[out.index("hit Breakpoint"):]


def printed(out):
    """What the prints said, in order."""
    return re.findall(r"^\$\d+ = (.*)$", out, re.M)


@needs_gdb
def test_scalars_and_tuples(program):
    out = gdb(program, f"break prog.py:{line_of('    return half + pair[1]')} if k == 1", "run",
              "print w", "print half", "print pair", "print k", "ptype w")
    assert printed(out) == ["2", "1", "{item0 = 2, item1 = 0.25}", "1"]
    assert "type = int64" in out
    assert "weigh (pair=..., k=1) at " in out


@needs_gdb
def test_arrays(program):
    out = gdb(program, f"break prog.py:{line_of('        if flag:')}", "run", "print a.data[1]",
              "print *a.data@3", "print a.shape", "print i", "print s", "print flag", "ptype s")
    assert printed(out) == ["2.5", "{1.5, 2.5, 3.5}", "{3}", "0", "1.5", "true"]
    assert "type = float64" in out
    out = gdb(program, f"break prog.py:{line_of('    n = 7')} if !flag", "run", "print a.shape",
              "print a.strides", "print a.data[2]", "print s")
    assert printed(out) == ["{2}", "{16}", "4.5", "7"]


@needs_gdb
def test_lines_are_stepped_over(program):
    out = gdb(program, f"break prog.py:{line_of('    s = 0.0')}", "run", *["next"] * 4)
    lines = [int(n) for n in re.findall(r"^(\d+)\t", out, re.M)]
    first = line_of("    s = 0.0")
    assert lines == [first, first + 1, first + 2, first + 3, first + 4]


@needs_gdb
def test_a_call_is_stepped_into_and_left(program):
    out = gdb(program, f"break prog.py:{line_of('            s += weigh(pair, i)')}", "run",
              "step", "finish")
    lines = [int(n) for n in re.findall(r"^(\d+)\t", out, re.M)]
    assert lines[1] == line_of("    w = pair[0] * k")
    assert lines[2] == line_of("            s += weigh(pair, i)")


@needs_gdb
def test_backtrace_through_compiled_calls(program):
    out = gdb(program, "break weigh", "run", "backtrace 3", "up", "print s")
    frames = re.findall(r"^#\d.* (\w+) \(.*\) at .*prog\.py:(\d+)", out, re.M)
    assert [name for name, line in frames[:2]] == ["weigh", "total"]
    assert int(frames[1][1]) == line_of("            s += weigh(pair, i)")
    assert printed(out) == ["1.5"]


@needs_gdb
def test_a_variable_of_several_types_and_a_string(program):
    out = gdb(program, f"break prog.py:{line_of('    return s + n')}", "run", "print n",
              "print n_float64", "print label.data", "info locals")
    assert printed(out)[:2] == ["7", "0.5"]
    assert '"end"' in printed(out)[2]
    assert "i = 2" in out


KINDS = """\
import collections
import numpy as np
from whipsnake import njit

Point = collections.namedtuple("Point", "x y")


@njit(debug=True)
def kinds(z, small, flags, p, maybe, matrix, units):
    w = z * 2
    f = small[1]
    flag = flags[0]
    both = (p, units[2])
    if maybe > 5:
        maybe = -maybe
    last = matrix[1, 2]
    return w, f, flag, both, maybe, last


kinds(1 + 2j, np.array([0.5, 1.5], np.float32), np.array([True, False]), Point(3, 4.5), 7,
      np.arange(6.0).reshape(2, 3), np.arange(3, dtype=np.uint8))
"""


@needs_gdb
def test_other_kinds_of_values(tmp_path):
    path = tmp_path / "prog.py"
    path.write_text(KINDS)
    line = KINDS.splitlines().index("    return w, f, flag, both, maybe, last") + 1
    out = gdb(path, f"break prog.py:{line}", "run", "print w", "print f", "print small.data[0]",
              "print flag", "print flags.data[1]", "print p.y", "print both.item0", "print maybe",
              "print last", "print matrix.shape", "print/d units.data[2]", "print both.item1 == 2")
    assert printed(out) == ["{real = 2, imag = 4}", "1.5", "0.5", "true", "false", "4.5",
                            "{x = 3, y = 4.5}", "-7", "5", "{2, 3}", "2", "1"]


def test_perf_map_names_functions():
    code = """
import os
import numpy as np
from whipsnake import njit

@njit
def area_of_something(a):
    return a.sum() * 2

area_of_something(np.ones(3))
path = f"/tmp/perf-{os.getpid()}.map"
rows = [line.split() for line in open(path)]
os.unlink(path)
for address, size, name in rows:
    assert int(address, 16) > 0 and int(size, 16) > 0
print([name for *_, name in rows])
"""
    out = run_python(code, env={"WHIPSNAKE_PERF": "1"}).stdout
    assert "py::area_of_something:" in out


@pytest.mark.parametrize("mode", ["", "ir"])
def test_debug_has_the_semantics_of_compiled_code(mode):
    code = PROGRAM.split("print(", 1)[0] + """
print(total(np.array([1.5, 2.5, 3.5]), (2, 0.25), True))

@njit(debug=True)
def wraps(x, a):
    y = x
    try:
        y = x * 2
        z = a[y]
    except IndexError:
        del y
        y = 0.5
        return x + 1
    return z

print(wraps(2**63 - 1, np.arange(3)), wraps(2**62, np.arange(3)), wraps(1, np.arange(3)))
"""
    out = run_python(code, env={"WHIPSNAKE_DISABLE_JIT": mode}).stdout.split()
    assert out == ["11.75", "1", str(2**62 + 1), "2"]
