"""The folder: where it is, whose it is, how large it gets, and its command line."""

import os
import re
import stat
import subprocess
import sys
import time

import pytest
from support import needs_compiler
from ways import fresh, run_cached

pytestmark = needs_compiler

PROGRAM = """
from support import make, njit
f = njit(make("def f(x):\\n    return x + NUMBER\\n"))
print(f(1) - NUMBER, len(f.stats.cache_hits), len(f.stats.cache_misses), sep=",")
""".replace("NUMBER", str(fresh()))
TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ENV = {"PYTHONPATH": os.pathsep.join([os.path.dirname(TESTS), TESTS])}
MISS, HIT = ["1,0,1"], ["1,1,0"]


def run(folder, code=PROGRAM, **env):
    return run_cached(folder, code, env=ENV | env)


def whipsnake(*args, folder):
    return subprocess.run([sys.executable, "-m", "whipsnake", *args], capture_output=True,
                          text=True, timeout=60, cwd=os.path.dirname(TESTS),
                          env=os.environ | {"WHIPSNAKE_CACHE_DIR": str(folder)})


def test_the_folder_is_made_for_the_user_alone(tmp_path):
    folder = tmp_path / "a" / "b"
    assert run(folder) == MISS
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert [stat.S_IMODE(f.stat().st_mode) for f in folder.iterdir()] == [0o600]
    assert run(folder) == HIT


def test_where_the_folder_is(tmp_path):
    home = tmp_path / "home"
    assert run("", HOME=str(home), XDG_CACHE_HOME="") == MISS
    assert len(list((home / ".cache" / "whipsnake").iterdir())) == 1
    assert run("", HOME=str(home), XDG_CACHE_HOME=str(tmp_path / "xdg")) == MISS
    assert len(list((tmp_path / "xdg" / "whipsnake").iterdir())) == 1


@pytest.mark.parametrize("mode", [0o755, 0o770, 0o701])
def test_a_folder_that_others_can_enter(tmp_path, mode):
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(mode)
    assert run(folder) == run(folder) == MISS
    assert list(folder.iterdir()) == []
    assert "off: others may look into it" in whipsnake("--sysinfo", folder=folder).stdout


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_folder_or_file_of_another_user(tmp_path):
    folder = tmp_path / "foreign"
    folder.mkdir(0o700)
    assert run(folder) == MISS
    for file in folder.iterdir():
        os.chown(file, 12345, 12345)
    assert run(folder) == MISS
    assert run(folder) == HIT  # it was replaced by ours
    os.chown(folder, 12345, 12345)
    assert run(folder) == MISS
    assert "off: it belongs to another user" in whipsnake("--sysinfo", folder=folder).stdout


def test_a_file_where_the_folder_should_be(tmp_path):
    (tmp_path / "file").write_text("")
    assert run(tmp_path / "file") == MISS
    assert run(tmp_path / "file" / "below") == MISS


def test_a_symbolic_link_in_place_of_an_entry(tmp_path):
    folder = tmp_path / "cache"
    assert run(folder) == MISS
    entry, = folder.iterdir()
    entry.rename(tmp_path / "elsewhere")
    entry.symlink_to(tmp_path / "elsewhere")
    assert run(folder) == MISS
    assert not entry.is_symlink() and run(folder) == HIT


def test_the_cache_can_be_switched_off(tmp_path):
    assert run(tmp_path / "cache", WHIPSNAKE_CACHE="0") == MISS
    assert not (tmp_path / "cache").exists()


MANY = """
from support import make, njit
from ways import fresh
for _ in range(150):
    njit(make(f"def f(x):\\n    return x + {fresh()}\\n"))(1)
"""


@pytest.mark.slow
def test_it_stays_small(tmp_path):
    folder = tmp_path / "cache"
    env = {"PYTHONPATH": ENV["PYTHONPATH"] + os.pathsep + os.path.join(TESTS, "cache")}
    run(folder, MANY, WHIPSNAKE_CACHE_SIZE="1", **env)
    for _ in range(3):
        run(folder, MANY, WHIPSNAKE_CACHE_SIZE="1", **env)
    sizes = [f.stat().st_blocks * 512 for f in folder.iterdir()]
    assert 0.5e6 < sum(sizes) < 1.3e6


def test_what_was_not_used_for_longest_goes_first(tmp_path):
    folder = tmp_path / "cache"
    assert run(folder) == MISS
    entry, = folder.iterdir()
    old = time.time() - 90 * 86400
    os.utime(entry, (old, old))
    kept = []
    for i in range(8):
        file = folder / f"{i:064x}.wsc"
        file.write_bytes(os.urandom(200_000))
        os.utime(file, (old + 1 + i, old + 1 + i))
        kept.append(file)
    assert run(folder) == HIT  # used now: the first to go would have been this one
    stale, young = folder / ".new-1-1-1", folder / ".new-2-2-2"
    stale.write_bytes(b"x")
    young.write_bytes(b"x")
    os.utime(stale, (old, old))
    (folder / "notes.txt").write_bytes(os.urandom(2_000_000))
    run(folder, "from whipsnake import _core\n_core.cache_trim()", WHIPSNAKE_CACHE_SIZE="1")
    left = {f.name for f in folder.iterdir()}
    assert left == {entry.name, "notes.txt", ".new-2-2-2", *(f.name for f in kept[5:])}


def test_the_command_line(tmp_path):
    folder = tmp_path / "cache"
    assert run(folder) == MISS
    entry, = folder.iterdir()
    shown = whipsnake("cache", folder=folder).stdout
    assert re.search(r"\d{4}-\d\d-\d\d \d\d:00 .* bytes  f\n", shown)
    assert f"{folder}, 1 entries" in shown and f"{folder}, 1 entries" in whipsnake(
        "--sysinfo", folder=folder).stdout
    broken = folder / ("0" * 64 + ".wsc")
    broken.write_bytes(entry.read_bytes()[:-1])
    assert "(damaged)" in whipsnake("cache", folder=folder).stdout
    assert "1 damaged entries removed" in whipsnake("cache", "verify", folder=folder).stdout
    assert list(folder.iterdir()) == [entry]
    assert "1 entries removed" in whipsnake("cache", "clear", folder=folder).stdout
    assert list(folder.iterdir()) == []
    assert whipsnake("cache", "clean", folder=folder).returncode == 2
    folder.chmod(0o755)
    assert whipsnake("cache", folder=folder).returncode == 1
