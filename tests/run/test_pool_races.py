"""The pool under a thread sanitizer."""

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent.parent
SRC = TESTS.parent / "src"
PROGRAM = TESTS / "c" / "threads" / "pool_races.c"


def test_no_races(tmp_path):
    compiler = shutil.which("gcc")
    if not compiler or not SRC.is_dir():
        pytest.skip("the pool is built from its sources, by gcc: one of them is not here")
    program = tmp_path / "pool_races"
    built = subprocess.run(
        [compiler, "-g", "-O1", "-fsanitize=thread", "-std=c17", "-D_GNU_SOURCE",
         "-DPy_LIMITED_API=0x030b0000", f"-I{SRC}", "-isystem",
         sysconfig.get_path("include"), PROGRAM, SRC / "runtime" / "pool.c",
         SRC / "core" / "os_linux.c", SRC / "base" / "mem.c", "-o", program, "-pthread"],
        capture_output=True, text=True, timeout=100)
    if "libtsan" in built.stderr or "-ltsan" in built.stderr:
        pytest.skip("gcc's thread sanitizer (libtsan) is not installed")
    assert built.returncode == 0, built.stderr
    run = subprocess.run([program], env=os.environ | {"WHIPSNAKE_NUM_THREADS": "4"},
                         capture_output=True, text=True, timeout=200)
    assert run.stdout == "done\n" and run.returncode == 0, run.stdout + run.stderr
