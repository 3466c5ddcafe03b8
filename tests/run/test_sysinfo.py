"""`python -m whipsnake --sysinfo`: what a report of a fault needs."""

import os
import subprocess
import sys

import numpy as np
import pytest

import whipsnake
from support import PLAIN

if PLAIN:
    pytest.skip("about compiled code", allow_module_level=True)


def sysinfo(*args, **env):
    """name -> value of each line."""
    out = subprocess.run([sys.executable, "-m", "whipsnake", *(args or ["--sysinfo"])], text=True,
                         check=True, capture_output=True, env=dict(os.environ, **env)).stdout
    return {line[:12].strip(): line[12:] for line in out.splitlines()}


def test_it_names_what_there_is():
    said = sysinfo()
    assert whipsnake.__version__ in said["whipsnake"] and whipsnake._core.build_id()[:12] in \
        said["whipsnake"]
    assert sys.executable in said["Python"] and np.__version__ in said["NumPy"]
    assert said["compiler"].startswith("works") and "x86_64" in said["compiler"]
    assert "entries" in said["cache"] and "for this process" in said["processor"]
    assert said["math"] == "SLEEF"
    assert list(said)[0] == "whipsnake" and {"system", "memory", "GPU", "libraries"} <= set(said)


def test_it_shows_the_environment():
    said = sysinfo("-s", NUMBA_CPU_NAME="x86-64-v3", WHIPSNAKE_CACHE="0")
    assert "x86-64-v3" in said["compiler"] and "off: WHIPSNAKE_CACHE=0" in said["cache"]
    assert "NUMBA_CPU_NAME=x86-64-v3" in said["variables"]
    assert "WHIPSNAKE_CACHE=0" in said["variables"]
