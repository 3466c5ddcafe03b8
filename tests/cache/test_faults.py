"""Whatever happens to the files: the right result, and never more than a miss."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time

import pytest
from support import needs_compiler
from ways import fresh, run_cached

pytestmark = needs_compiler

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ENV = {"PYTHONPATH": os.pathsep.join([os.path.dirname(TESTS), TESTS])}
# An entry with all parts: sites, an exception class, a captured array, a named tuple.
SOURCE = '''
import collections
import numpy as np
from whipsnake import njit

P = collections.namedtuple("P", "x y")
TABLE = np.arange(4.0)


class Wrong(ValueError):
    pass


@njit
def f(i):
    if i == 3:
        raise Wrong("no", i)
    return P(TABLE[i], NUMBER)


def origin():
    return "hit" if f.stats.cache_hits else f.stats.uncached.get(f.signatures[0], "miss")
'''


@pytest.fixture
def module(tmp_path):
    """(folder of the cache, folder with a module `user`)"""
    (tmp_path / "user.py").write_text(SOURCE.replace("NUMBER", str(fresh())))
    return tmp_path / "cache", tmp_path


USE = """
import user
assert user.f(1)[0] == 1.0 and type(user.f(1)) is user.P
try:
    user.f(3)
except user.Wrong as e:
    assert e.args == ("no", 3)
print(user.origin())
"""


def use(module, code=USE, **env):
    return run_cached(module[0], code, cwd=module[1], env=ENV | env)


def entry_of(folder):
    entry, = (f for f in folder.iterdir() if f.suffix == ".wsc")
    return entry


BROKEN = """
import os
import pathlib
import user
user.f(1)
entry, = pathlib.Path(os.environ["WHIPSNAKE_CACHE_DIR"]).glob("*.wsc")
good = entry.read_bytes()
assert user.f.stats.cache_misses
wrong = 0


def check(data, what):
    global wrong
    entry.write_bytes(data)
    g = user.njit(user.f.py_func)
    assert g(1) == user.P(1.0, user.f.py_func(1).y), what
    wrong += bool(g.stats.cache_hits)
    assert entry.read_bytes()[:8] == good[:8]


def miss(data, what):
    "Damaged: only to be refused, the compile is not worth its time."
    from whipsnake import _core

    assert _core.cache_check(data) is None, what
"""


def test_every_flipped_bit_is_seen(module):
    lines = use(module, BROKEN + """
for at in range(len(good)):
    miss(good[:at] + bytes([good[at] ^ 1 << at % 8]) + good[at + 1:], at)
for at in range(0, 73 * 8):
    data = bytearray(good)
    data[at // 8] ^= 1 << at % 8
    miss(bytes(data), at)
print(len(good))
""")
    assert int(lines[0]) > 1000


def test_damaged_files_are_compiled_again(module):
    places = [0, 8, 40, 72, 80, 100, 0.5, 0.9, -1]
    lines = use(module, BROKEN + f"""
n = len(good)
for place in {places}:
    at = int(place * n) if isinstance(place, float) else place % n
    check(good[:at] + bytes([good[at] ^ 16]) + good[at + 1:], at)
for size in (0, 1, 79, 80, 81, n // 2, n - 1):
    check(good[:size], size)
check(good + b"x", "longer")
check(b"", "empty")
check(bytes(n), "zeros")
check(b"x" * 100, "text")
print(wrong)
""")
    assert lines == ["0"]
    assert use(module) == ["hit"]


def test_an_entry_under_another_name(module):
    """Two entries change places: a key that does not fit is a miss."""
    use(module)
    first = entry_of(module[0])
    first.rename(module[1] / "kept")
    (module[1] / "user.py").write_text(SOURCE.replace("NUMBER", str(fresh())))
    assert use(module) == ["miss"]
    shutil.copy(module[1] / "kept", entry_of(module[0]))
    assert use(module) == ["miss"] and use(module) == ["hit"]


@pytest.mark.slow
def test_well_formed_nonsense(module):
    """Bodies that somebody else could write with a right checksum: no crash."""
    use(module)
    data = bytearray(entry_of(module[0]).read_bytes())
    from hashlib import blake2b

    rng = random.Random(4)
    head, start = 80, data.find(b"\x7fELF")
    assert start > head
    for _ in range(30):
        bad = bytearray(data)
        for _ in range(rng.randrange(1, 4)):
            bad[rng.randrange(head, start)] = rng.choice([0, 1, 2, 35, 40, 41, 127, 255])
        bad[40:72] = bytes(32)
        bad[40:72] = blake2b(bad, digest_size=32).digest()
        entry_of(module[0]).write_bytes(bad)
        lines = run_cached(module[0], "import user\ntry:\n    user.f(1)\nexcept Exception: pass\n",
                           cwd=module[1], env=ENV)
        assert lines == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_is_read_only(module):
    use(module)
    module[0].chmod(0o500)
    assert use(module) == ["hit"]
    (module[1] / "user.py").write_text(SOURCE.replace("NUMBER", str(fresh())))
    assert use(module) == ["the folder may not be written to"]
    module[0].chmod(0o700)


def mounted(folder, options):
    folder.mkdir(mode=0o700)
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"mode=0700,{options}", "tmpfs", folder],
                          capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"no tmpfs: {done.stderr.strip()}")


def test_a_disk_that_is_full(module):
    mounted(module[0], "size=8k")
    try:
        (module[0] / "ballast").write_bytes(b"x" * 8192)
        assert use(module) == ["the disk is full"]
        assert [f.name for f in module[0].iterdir()] == ["ballast"]
        (module[0] / "ballast").unlink()
        assert use(module) == ["miss"] and use(module) == ["hit"]
        subprocess.run(["mount", "-o", "remount,ro", module[0]], check=True)
        assert use(module) == ["hit"]
        (module[1] / "user.py").write_text(SOURCE.replace("NUMBER", str(fresh())))
        assert use(module) == ["the folder may not be written to"]
    finally:
        subprocess.run(["umount", module[0]], check=True)


def test_writers_that_are_killed(module):
    """At any moment: later processes find whole entries or none, and the right result."""
    use(module)
    shutil.rmtree(module[0])
    rng = random.Random(1)
    env = os.environ | ENV | {"WHIPSNAKE_CACHE_DIR": str(module[0])}
    for _ in range(12):
        child = subprocess.Popen([sys.executable, "-c", "import user\nuser.f(1)\nprint()\ninput()"],
                                 cwd=module[1], env=env, stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE)
        time.sleep(rng.uniform(0.05, 0.6))
        child.send_signal(signal.SIGKILL)
        child.communicate()
    assert use(module)[0] in ("hit", "miss")
    assert use(module) == ["hit"]


def test_many_processes_on_a_cold_cache(module):
    code = "import user\nassert user.f(2) == user.f.py_func(2)\nprint(user.origin())"
    env = os.environ | ENV | {"WHIPSNAKE_CACHE_DIR": str(module[0])}
    children = [subprocess.Popen([sys.executable, "-c", code], cwd=module[1], env=env, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(32)]
    ends = [child.communicate(timeout=300) for child in children]
    assert all(child.returncode == 0 for child in children), [e for _, e in ends if e][:1]
    assert {out.strip() for out, _ in ends} <= {"hit", "miss"}
    assert [f.suffix for f in module[0].iterdir()] == [".wsc"]
    assert use(module) == ["hit"]


def test_a_source_that_is_edited_while_it_runs(module):
    """The file that a process imported says something else by now: neither gets the other's."""
    number = fresh()
    (module[1] / "user.py").write_text(SOURCE.replace("NUMBER", str(number)))
    lines = use(module, f"""
import user
text = open("user.py").read()
open("user.py", "w").write(text.replace("{number}", "{number + 1}"))
try:
    print(user.f(1).y)
except Exception as e:
    print(type(e).__name__)
""")
    assert lines in ([str(number)], ["SourceError"])
    assert run_cached(module[0], "import user\nprint(user.f(1).y)", cwd=module[1], env=ENV) == [
        str(number + 1)]
    (module[1] / "user.py").write_text(SOURCE.replace("NUMBER", str(number)))
    assert run_cached(module[0], "import user\nprint(user.f(1).y)", cwd=module[1], env=ENV) == [
        str(number)]


def test_edited_but_compiled_before(module):
    """With its code in the cache the text is not needed any more."""
    assert use(module) == ["miss"]
    lines = use(module, """
import user
open("user.py", "w").write("something else\\n")
print(user.f(1).x, user.origin())
""")
    assert lines == ["1.0", "hit"] or lines == ["1.0 hit"]


def test_a_module_that_moved(module, tmp_path):
    assert use(module) == ["miss"]
    text = (module[1] / "user.py").read_text()
    other = tmp_path / "other"
    other.mkdir()
    (other / "user.py").write_text(text)
    assert use((module[0], other)) == ["hit"]
    (other / "renamed.py").write_text("# a line\n\n" + text)
    lines = run_cached(module[0], """
import traceback
import renamed
try:
    renamed.f(3)
except renamed.Wrong:
    traceback.print_exc(file=__import__("sys").stdout)
print(renamed.origin())
""", cwd=other, env=ENV)
    assert lines[-1] == "hit" and lines[-2] == "renamed.Wrong: ('no', 3)"
    line = 1 + ("# a line\n\n" + text).split("\n").index('        raise Wrong("no", i)')
    assert f'renamed.py", line {line}, in f' in "\n".join(lines)
