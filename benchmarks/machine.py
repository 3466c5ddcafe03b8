"""The line that says what the figures were measured on: processor, system, versions, load."""

import datetime
import os
import platform
import subprocess

from lanes import HERE, probe

PYTHON = "import platform, numpy; print(platform.python_version(), numpy.__version__)"
ENGINE = "import {0}, numpy; print({0}.__version__, numpy.__version__)"
C = "import sys; sys.path.insert(0, {0!r}); import c_peer; print(c_peer.compiler(), {1})"


def processor():
    with open("/proc/cpuinfo") as info:
        for line in info:
            if line.startswith("model name"):
                return line.split(":")[1].strip()
    return platform.machine()


def python_version(lane):
    python, numpy = (probe(lane.python, PYTHON)[0] or "? ?").split()
    return f"CPython {python} with NumPy {numpy}"


def engine_version(lane):
    engine, numpy = (probe(lane.python, ENGINE.format(lane.engine))[0] or "? ?").split()
    return f"{lane.engine} {engine} with NumPy {numpy}"


def c_version(lane):
    code = C.format(str(HERE), "c_peer.math_library()")
    compiler, library = (probe(lane.python, code)[0] or "None ?").split()
    if compiler == "None":
        return "no clang"
    text = subprocess.run(
        [compiler, "--version"], capture_output=True, text=True, check=True
    ).stdout
    return f"{text.splitlines()[0]} with {library}"


VERSIONS = {
    "python": python_version,
    "whipsnake": engine_version,
    "numba": engine_version,
    "c": c_version,
}


def machine_line(lanes):
    """One line of text, for `lanes` by name. The load says how far to trust single figures."""
    parts = [
        datetime.date.today().isoformat(),
        f"{os.cpu_count()} x {processor()}",
        f"{platform.system()} {platform.release()}",
        *(VERSIONS[name](lanes[name]) for name in VERSIONS if name in lanes),
        f"load {os.getloadavg()[0]:.1f} at the start",
    ]
    return "; ".join(parts)
