"""`python -m whipsnake --sysinfo`: what a report of a fault needs."""

import ctypes
import json
import os
import platform
import re
import sys
import time

import numpy as np

import whipsnake
from whipsnake import _cache, _core

_LIBRARIES = ("scipy", "numba", "cloudpickle", "dask", "joblib")


def _python():
    yield "Python", f"{platform.python_version()} ({platform.python_implementation()}), " \
                    f"{sys.executable}"
    yield "NumPy", f"{np.__version__}, {np.__file__}"
    found = [f"{name} {version}" for name in _LIBRARIES if (version := _version(name))]
    yield "libraries", ", ".join(found) or "none of those that are asked for"


def _version(name):
    from importlib import metadata

    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _machine():
    libc = " ".join(platform.libc_ver())
    yield "system", f"{platform.platform()}, {libc}"
    yield "processor", f"{_processor()}, {os.cpu_count()} of them, " \
                       f"{len(os.sched_getaffinity(0))} for this process"
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    yield "memory", f"{pages / 2 ** 30:.1f} GB"
    yield "GPU", _gpu()


def _processor():
    try:
        with open("/proc/cpuinfo") as file:
            return re.search(r"model name\s*: (.*)", file.read())[1]
    except (OSError, TypeError):
        return platform.machine()


def _gpu():
    """What the driver says, without which there is nothing to find."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return "none that CUDA could use: there is no libcuda.so.1, which NVIDIA's driver brings"
    version, count = ctypes.c_int(), ctypes.c_int()
    status = driver.cuInit(0) or driver.cuDriverGetVersion(ctypes.byref(version)) \
        or driver.cuDeviceGetCount(ctypes.byref(count))
    if status:
        return f"the driver refuses: error {status} of cuInit"
    name = ctypes.create_string_buffer(100)
    names = []
    for k in range(count.value):
        driver.cuDeviceGetName(name, 100, k)
        names.append(name.value.decode())
    return f"{', '.join(names)}; driver for CUDA {version.value // 1000}." \
           f"{version.value % 1000 // 10}"


def _compiler():
    """Compiles something, past the cache."""
    f = whipsnake.njit(cache=False)(lambda a: (a * 2.0).sum())
    try:
        start = time.perf_counter()
        good = f(np.arange(4.0)) == 12
        ms = (time.perf_counter() - start) * 1e3
        target = json.loads(f._text("explain", f.signatures[0]))["target"]
    except Exception as error:
        yield "compiler", f"does not work: {type(error).__name__}: {error}"
        return
    yield "compiler", f"{'works' if good else 'gives WRONG results'}, a small function in " \
                      f"{ms:.0f} ms, for {target}"
    if hasattr(_core, "_fail_after"):
        yield "", "built with assertions (CHECKS=1): slower"
    yield "math", "SLEEF" if _core.has_math() else "libsleef.so.3 is missing: slow, and not cached"


def _environment():
    named = sorted(k for k in os.environ if k.startswith(("WHIPSNAKE_", "NUMBA_")))
    yield "variables", ", ".join(f"{k}={os.environ[k]}" for k in named) or "none"


def text():
    """All of it, a line each."""
    rows = [("whipsnake", f"{whipsnake.__version__}, build {_core.build_id()[:12]}, "
                          f"{os.path.dirname(whipsnake.__file__)}"),
            *_python(), *_machine(), *_compiler(), ("cache", _cache.describe()), *_environment()]
    return "\n".join(f"{name:12}{value}" for name, value in rows)
