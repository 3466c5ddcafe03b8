"""Reference-count and memory checks: a call must leave nothing behind, raised or not."""

import ctypes
import gc
import os
import resource
import sys
import tracemalloc

import pytest

LIBC = ctypes.CDLL(None)
SANITIZED = "libasan" in os.environ.get("LD_PRELOAD", "")


def _swallow(call):
    try:
        call()
    except Exception:
        pass


def assert_no_leak(call, watched=(), repeats=50, slack_bytes=4096):
    """Call `call` (no arguments; exceptions are swallowed) `repeats` times and demand that the
    reference counts of the `watched` objects, the number of objects that the collector knows and
    the traced memory stay where they were. Scalars are not watched: everybody shares them."""
    watched = [w for w in watched if not isinstance(w, (int, float, complex, str, type(None)))]
    for _ in range(3):
        _swallow(call)
    gc.collect()
    tracemalloc.start()
    try:
        _swallow(call)
        gc.collect()
        counts = [sys.getrefcount(w) for w in watched]
        objects = len(gc.get_objects())
        memory = tracemalloc.get_traced_memory()[0]
        for _ in range(repeats):
            _swallow(call)
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - memory
        more = len(gc.get_objects()) - objects
        after = [sys.getrefcount(w) for w in watched]
    finally:
        tracemalloc.stop()
    assert after == counts, f"reference counts went from {counts} to {after}"
    assert more < repeats // 2, f"{more} objects more after {repeats} calls"
    assert grown < slack_bytes + repeats * 8, f"{grown} bytes more after {repeats} calls"


def _rss_bytes():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize()


def assert_memory_bounded(call, bytes_per_call, repeats=200):
    """Call something that allocates `bytes_per_call` natively and demand that the process does not
    keep a quarter of it. Sees what neither the collector nor tracemalloc knows."""
    if SANITIZED:
        pytest.skip("the sanitizer keeps freed memory for a while")
    for _ in range(5):
        _swallow(call)
    if hasattr(LIBC, "malloc_trim"):
        LIBC.malloc_trim(0)  # else what earlier tests have freed would hide a leak
    before = _rss_bytes()
    for _ in range(repeats):
        _swallow(call)
    grown = _rss_bytes() - before
    assert grown < bytes_per_call * repeats // 4, f"{grown} bytes kept after {repeats} calls"
