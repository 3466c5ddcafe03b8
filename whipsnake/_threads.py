"""How many threads parallel loops use, and how their iterations are handed out.

All settings are those of the calling thread."""

from contextlib import contextmanager
from operator import index

from whipsnake import _core


def get_num_threads():
    """How many threads the parallel loops of this thread use."""
    return _core.thread_settings()[1]


def set_num_threads(n):
    """Parallel loops of this thread use n threads, from 1 up to config.NUMBA_NUM_THREADS."""
    n = index(n)
    most = _core.thread_settings()[0]
    if not 1 <= n <= most:
        raise ValueError(f"the number of threads is 1 to {most}, not {n}; the environment variable "
                         "WHIPSNAKE_NUM_THREADS (or NUMBA_NUM_THREADS) sets the most")
    _core.set_threads(n)


def get_thread_id():
    """In a loop on several threads: the number of the thread that runs the iteration, from 0 up to
    config.NUMBA_NUM_THREADS. 0 elsewhere."""
    return 0


def threading_layer():
    """What runs parallel loops: whipsnake's own threads, always."""
    return "whipsnake"


def get_parallel_chunksize():
    """Iterations a chunk, as set; 0: chosen by what the loop costs."""
    return _core.thread_settings()[2]


def set_parallel_chunksize(n):
    """Sets the iterations a chunk for loops of this thread; 0: chosen. Gives the size before."""
    n = index(n)
    if n < 0:
        raise ValueError(f"a chunk has 0 (chosen) or more iterations, not {n}")
    before = get_parallel_chunksize()
    _core.set_chunk_size(n)
    return before


@contextmanager
def parallel_chunksize(n):
    """with parallel_chunksize(n): ...  sets the size inside."""
    before = set_parallel_chunksize(n)
    try:
        yield
    finally:
        set_parallel_chunksize(before)
