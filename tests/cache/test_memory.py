"""Memory runs out while the cache works: the right result or MemoryError; the next call works."""

import os

import pytest
from support import needs_compiler
from ways import fresh, run_cached

pytestmark = needs_compiler
TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ENV = {"PYTHONPATH": os.pathsep.join([os.path.dirname(TESTS), TESTS])}

WALK = """
import collections, glob, os
import numpy as np
from support import make, njit
from whipsnake import _core

P = collections.namedtuple("P", "x y")
class E(ValueError): pass
SOURCE = '''
def f(i):
    if i > 3:
        raise E("no", i)
    return P(TABLE[i], NUMBER)
'''
plain = make(SOURCE, P=P, E=E, TABLE=np.arange(4.0))
ends = {"right": 0, "memory": 0}

def attempt(n):
    if COLD:
        for file in glob.glob(os.environ["WHIPSNAKE_CACHE_DIR"] + "/*"):
            os.unlink(file)
    f = njit(plain)
    try:
        _core._fail_after(n)
        result = f(2)
        made = _core._fail_after(0)
        assert result == P(2.0, NUMBER), (n, result)
        ends["right"] += 1
    except MemoryError:
        made = _core._fail_after(0)
        ends["memory"] += 1
    assert f(1) == P(1.0, NUMBER), n
    try:
        f(5)
    except E as e:
        assert e.args == ("no", 5)
    return made

attempt(0)
attempt(1 << 60)
last = attempt(1 << 60)
for n in range(1, last + 1, max(1, last // POINTS)):
    attempt(n)
print(last, ends["right"], ends["memory"])
"""


@pytest.mark.parametrize("cold", [True, False], ids=["storing", "loading"])
def test_allocations_fail(tmp_path, cold, run_all):
    from whipsnake import _core

    if not hasattr(_core, "_fail_after"):
        pytest.skip("needs assertions: make build CHECKS=1")
    points = "last" if run_all else "60"
    code = WALK.replace("COLD", str(cold)).replace("NUMBER", str(fresh())).replace("POINTS", points)
    last, right, memory = map(int, run_cached(tmp_path / "cache", code, env=ENV)[-1].split())
    assert last > 10 and right > 5
    assert (memory > 0) == cold or memory <= 20
