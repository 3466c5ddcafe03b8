"""A compiled function on an array that is larger than the memory of one worker.

    python examples/dask_blocks.py [size of the array in MB] [workers] [memory of a worker in MB]

Needs `pip install distributed "dask[array]"`. The array is measurements of many sensors, one row
each. A compiled function finds, for each sensor, the longest time that it was above a threshold: a
loop that NumPy has no function for. Dask makes the array block by block and sends the function to
its workers. On a cluster of several machines main has Client("address:8786") instead.
"""

import sys
import time

import dask
import dask.array as da
import numpy as np
from dask.distributed import Client, LocalCluster

from whipsnake import njit

SAMPLES = 5000  # per sensor
ROWS = 250  # sensors in a block: 10 MB


@njit(nogil=True)
def longest_runs(values, threshold):
    """For each row, the length of the longest run of values above the threshold."""
    out = np.zeros(values.shape[0], np.int64)
    for i in range(values.shape[0]):
        run = best = 0
        for j in range(values.shape[1]):
            run = run + 1 if values[i, j] > threshold else 0
            best = max(best, run)
        out[i] = best
    return out


def measure(block_id):
    """One block of the array, as an instrument would give it."""
    noise = np.random.default_rng(block_id[0]).normal(size=(ROWS, SAMPLES))
    return noise + np.sin(np.arange(SAMPLES) / 100)


def main(megabytes=1000, workers=3, memory=600):
    with LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None,
                      memory_limit=memory * 1_000_000) as cluster, Client(cluster):
        analyse(megabytes)


def analyse(megabytes):
    blocks = max(1, megabytes * 1_000_000 // (ROWS * SAMPLES * 8))
    values = da.map_blocks(measure, chunks=((ROWS,) * blocks, (SAMPLES,)), dtype=np.float64,
                           meta=np.empty((0, 0)))
    runs = da.map_blocks(longest_runs, values, 0.5, dtype=np.int64, drop_axis=1,
                         meta=np.empty(0, np.int64))
    start = time.perf_counter()
    longest, mean = dask.compute(runs.max(), runs.mean())
    print(f"{values.nbytes / 1e6:.0f} MB in {blocks} blocks: {time.perf_counter() - start:.1f} s")
    print(f"longest run {longest}, mean of the sensors {mean:.2f}")

    first = longest_runs.py_func(measure((0, 0)), 0.5)
    same = np.array_equal(runs[:ROWS].compute(), first)
    print("the first block in plain Python:", "the same" if same else "something else")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
