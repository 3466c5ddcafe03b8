"""Memory runs out at every place where it can: MemoryError each time, nothing left behind, and the
next call works. See walk.py, which does it in a process of its own for each task."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from support import PLAIN

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

if PLAIN:
    pytest.skip("needs the compiler", allow_module_level=True)

from programs import GROWING, SPARED, TASKS  # noqa: E402

from whipsnake import _core  # noqa: E402

if not hasattr(_core, "_fail_after"):
    pytest.skip("needs assertions: make build CHECKS=1, or make test-all", allow_module_level=True)

QUICK = 25  # points per task; all of them with --all

# Tasks that call no compile() and no long Python code: those are CPython's own to get right.
PYTHON_TASKS = ["call arrays", "call tuples", "call raises", "call text", "call text index",
                "call captured array", "call optional", "call varargs", "call print", "new types",
                "converted arguments", "unknown keyword", "ir tool"]


def run(kind, name, run_all):
    """The walk in a child: a crash is its end, not ours."""
    points = 0 if run_all else QUICK
    command = [sys.executable, str(HERE / "walk.py"), kind, name, str(points)]
    path = os.pathsep.join(filter(None, [str(HERE.parent.parent), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(command, capture_output=True, text=True, timeout=900,
                          env=os.environ | {"PYTHONPATH": path, "WHIPSNAKE_CACHE": "0"})
    assert done.returncode == 0, f"exit {done.returncode}\n{done.stdout}{done.stderr}"
    return int(done.stdout.split()[0]), int(done.stdout.split()[3])


@pytest.mark.parametrize("name", TASKS)
def test_our_allocations(name, run_all):
    tried, failed = run("native", name, run_all)
    spared = SPARED.get(name, int("compile" in name))
    # All but the one that was not needed; what grows needs less and less.
    assert failed >= tried - 1 - spared - (tried // 50 if name in GROWING else 0)


@pytest.mark.skipif(not importlib.util.find_spec("_testcapi"),
                    reason="this Python comes without its _testcapi")
@pytest.mark.parametrize("name", PYTHON_TASKS)
def test_allocations_of_python(name, run_all):
    tried, failed = run("python", name, run_all)
    assert 0 < failed <= tried
