"""Barriers where threads go different ways, and what is said of those that cannot be passed."""

import os
import subprocess
import sys

import numpy as np
import pytest

from whipsnake import cuda, float64, int64

ALL = 0xFFFFFFFF


def place(error):
    """The note that says which thread it was."""
    return [n for n in error.value.__notes__ if n.startswith("in kernel")][0]


@cuda.jit
def return_on_data(x, out):
    s = cuda.shared.array(64, float64)
    t = cuda.threadIdx.x
    s[t] = x[t]
    if x[t] < 0:
        return
    cuda.syncthreads()
    out[t] = s[(t + 1) % 64]
    cuda.syncthreads()
    out[t] += s[t]


def test_threads_that_returned_count_as_arrived():
    x = np.random.default_rng(1).normal(size=64)
    out = np.zeros(64)
    return_on_data[1, 64](x, out)
    np.testing.assert_array_equal(out, np.where(x < 0, 0, np.roll(x, -1) + x))


@cuda.jit
def loops_of_different_length(n, out):
    """Each thread leaves the loop at its own time and then returns."""
    t = cuda.threadIdx.x
    k = 0
    while True:
        if k >= n[t]:
            return
        cuda.atomic.add(out, k, 1)
        cuda.syncthreads()
        k += 1


def test_threads_leave_a_loop_with_barriers():
    n = np.random.default_rng(2).integers(0, 10, 40)
    out = np.zeros(10, np.int64)
    loops_of_different_length[1, 40](n, out)
    np.testing.assert_array_equal(out, [(n > k).sum() for k in range(10)])


@cuda.jit
def uniform_loop_on_data(x, out):
    """The same number of rounds for all, which only the data tells."""
    s = cuda.shared.array(1, int64)
    t = cuda.threadIdx.x
    rounds = 0
    while True:
        if t == 0:
            s[0] = x[rounds]
        cuda.syncthreads()
        if s[0] == 0:
            break
        rounds += 1
        cuda.syncthreads()
    out[t] = rounds


def test_rounds_until_shared_memory_says_so():
    out = np.zeros(33, np.int64)
    uniform_loop_on_data[1, 33](np.array([5, 4, 3, 0, 7]), out)
    np.testing.assert_array_equal(out, 3)


@cuda.jit(device=True)
def wait_at_depth(s, t, n):
    if n == 0:
        s[t] = t
        cuda.syncthreads()
        return s[(t + 1) % 8]
    return wait_at_depth(s, t, n - 1) + 1


@cuda.jit
def recursive(out):
    s = cuda.shared.array(8, int64)
    t = cuda.threadIdx.x
    out[t] = wait_at_depth(s, t, 3)


def test_barriers_in_a_recursive_function():
    out = np.zeros(8, np.int64)
    recursive[1, 8](out)
    np.testing.assert_array_equal(out, (np.arange(8) + 1) % 8 + 3)


@cuda.jit
def handled(x, out):
    s = cuda.shared.array(16, float64)
    t = cuda.threadIdx.x
    try:
        if x[t] < 0:
            raise ValueError("negative")
        s[t] = x[t]
    except ValueError:
        s[t] = -1
    cuda.syncthreads()
    out[t] = s[15 - t]


def test_exceptions_are_handled_in_kernels():
    x = np.arange(16.) - 4
    out = np.zeros(16)
    handled[1, 16](x, out)
    np.testing.assert_array_equal(out, np.where(x < 0, -1, x)[::-1])


@cuda.jit
def votes(x, out):
    t = cuda.threadIdx.x
    if x[t] == 9:
        return
    out[0, t] = cuda.syncthreads_count(x[t] > 2)
    out[1, t] = cuda.syncthreads_and(x[t])
    out[2, t] = cuda.syncthreads_or(x[t] > 7)


@pytest.mark.parametrize("x", [[3, 1, 4, 1, 5, 2, 6, 5], [1, 9, 3, 0, 8, 9, 9, 4], [9] * 8])
def test_votes_of_a_block(x):
    x = np.array(x)
    out = np.full((3, 8), -1)
    votes[1, 8](x, out)
    live = x[x != 9]
    expected = [(live > 2).sum(), int(live.all()), int((live > 7).any())]
    for k in range(3):
        np.testing.assert_array_equal(out[k], np.where(x == 9, -1, expected[k]))


@cuda.jit
def uniform_votes(x, out):
    t = cuda.threadIdx.x + cuda.blockDim.x * cuda.threadIdx.y
    n = cuda.syncthreads_count(x[t] % 3 == 0)
    if n > 10:
        cuda.syncthreads()
        out[t] = n
    else:
        out[t] = -cuda.syncthreads_or(t == 5)


def test_a_vote_is_the_same_for_all():
    for n in (20, 60):
        out = np.zeros(n, np.int64)
        uniform_votes[1, (n // 4, 4)](np.arange(n), out)
        np.testing.assert_array_equal(out, n // 3 if n > 40 else -1)


# -- faults ---------------------------------------------------------------------------------------

@cuda.jit
def different_barriers(x):
    t = cuda.threadIdx.x
    if t < 4:
        cuda.syncthreads()
    else:
        x[t] = 1
        cuda.syncthreads()


def test_threads_at_different_barriers():
    line = different_barriers.py_func.__code__.co_firstlineno
    with pytest.raises(RuntimeError) as error:
        different_barriers[2, 8](np.zeros(8))
    assert str(error.value) == (
        f"threads wait for each other at different places: thread (0, 0, 0) in line {line + 4}, "
        f"thread (4, 0, 0) in line {line + 7}; all threads of a block, or all that a mask names, "
        "must come to the same one")
    assert place(error) == "in kernel different_barriers, block (0, 0, 0), thread (0, 0, 0)"


@cuda.jit
def skipping(x):
    t = cuda.threadIdx.x
    if t % 8 != 5:
        cuda.syncthreads()
    x[t] = 1
    cuda.syncthreads()
    x[t] += 1


def test_a_live_thread_skips_a_barrier():
    with pytest.raises(RuntimeError, match=r"wait for each other at different places: thread "
                                           r"\(0, 0, 0\) in line \d+, thread \(5, 0, 0\)"):
        skipping[1, 16](np.zeros(16))


@cuda.jit
def skipping_at_the_end(x):
    t = cuda.threadIdx.x
    if t != 5:
        cuda.syncthreads()
    x[t] = 1


def test_a_live_thread_skips_the_last_barrier():
    with pytest.raises(RuntimeError, match="passes a barrier"):
        skipping_at_the_end[1, 16](np.zeros(16))


@cuda.jit
def skipping_in_a_loop(n, x):
    """Who has left the loop goes on to work while others wait in it."""
    t = cuda.threadIdx.x
    for k in range(n[t]):
        cuda.syncthreads()
    x[t] = 1


def test_a_live_thread_leaves_a_loop_with_barriers():
    x = np.zeros(8)
    skipping_in_a_loop[1, 8](np.full(8, 3), x)
    assert (x == 1).all()
    with pytest.raises(RuntimeError, match=r"thread \(6, 0, 0\) passes a barrier by") as error:
        skipping_in_a_loop[1, 8](np.array([3, 3, 3, 3, 3, 3, 2, 3]), x)
    assert place(error).endswith("thread (6, 0, 0)")


@cuda.jit
def skipping_by_an_exception(x):
    t = cuda.threadIdx.x
    try:
        if t == 5:
            raise ValueError("around")
        cuda.syncthreads()
    except ValueError:
        x[t] = -1
    x[t] = 1


@cuda.jit
def skipping_behind_all_blocks(x):
    grid = cuda.cg.this_grid()
    i = cuda.grid(1)
    grid.sync()
    if i != 5:
        cuda.syncthreads()
    x[i] = 1


@pytest.mark.parametrize("kernel", [skipping_by_an_exception, skipping_behind_all_blocks])
def test_skipped_barriers_of_what_is_never_split(kernel):
    with pytest.raises(RuntimeError, match=r"thread \(5, 0, 0\) passes a barrier by"):
        kernel[2, 16](np.zeros(32))


@cuda.jit
def missing_lanes(x):
    t = cuda.threadIdx.x
    if x[t] < 8:
        x[t] = cuda.shfl_sync(0xFFFF, x[t], 0)
    cuda.syncthreads()


def test_lanes_that_do_not_come():
    with pytest.raises(RuntimeError, match="wait for each other at different places"):
        missing_lanes[1, 32](np.arange(32.))


@cuda.jit
def raises_between_barriers(x):
    s = cuda.shared.array(32, float64)
    t = cuda.threadIdx.x
    s[t] = t
    cuda.syncthreads()
    if x[t] > 0:
        raise ValueError("too much", x[t])
    cuda.syncthreads()
    x[t] = s[t]


@pytest.mark.parametrize("bad", [0, 17, 31])
def test_a_raise_ends_the_launch(bad):
    x = np.zeros(32)
    x[bad] = 2.5
    with pytest.raises(ValueError) as error:
        raises_between_barriers[1, 32](x)
    assert error.value.args == ("too much", 2.5)
    assert place(error).endswith(f"block (0, 0, 0), thread ({bad}, 0, 0)")
    raises_between_barriers[1, 32](np.zeros(32))


@cuda.jit
def out_of_range(x):
    i, j = cuda.grid(2)
    x[i, j] = 1


@pytest.mark.parametrize("shape, block, thread", [
    ((7, 64), (1, 0, 0), (3, 0, 0)), ((64, 9), (0, 2, 0), (0, 1, 0))])
def test_the_place_of_a_subscript(shape, block, thread):
    with pytest.raises(IndexError) as error:
        out_of_range[(4, 4), (4, 4)](np.zeros(shape))
    assert place(error) == f"in kernel out_of_range, block {block}, thread {thread}"


@cuda.jit
def assertion(x):
    i = cuda.grid(1)
    assert x[i] >= 0, "negative"
    x[i] += 1


def test_a_failed_assertion():
    x = np.ones(40)
    x[37] = -1
    with pytest.raises(AssertionError, match="negative") as error:
        assertion[5, 8](x)
    assert place(error).endswith("block (4, 0, 0), thread (5, 0, 0)")


@cuda.jit
def prints(x):
    i = cuda.grid(1)
    if i < x.size:
        print("thread", i, "has", x[i])


@cuda.jit
def prints_and_waits(x):
    t = cuda.threadIdx.x
    if x[t] < 0:
        return
    cuda.syncthreads()
    print(t)


def test_print(capsys):
    prints[2, 2](np.array([1.5, 2.5, 3.5]))
    assert capsys.readouterr().out == "thread 0 has 1.5\nthread 1 has 2.5\nthread 2 has 3.5\n"
    prints_and_waits[1, 4](np.array([1, -1, 1, 1]))
    assert capsys.readouterr().out == "0\n2\n3\n"


def test_local_memory_that_stacks_hold():
    @cuda.jit
    def kernel(x, out):
        a = cuda.local.array(20000, float64)
        t = cuda.threadIdx.x
        for k in range(20000):
            a[k] = t + k
        if x[t] < 0:
            return
        cuda.syncthreads()
        total = 0.0
        for k in range(20000):
            total += a[k]
        out[t] = total

    x = np.arange(64.) - 3
    out = np.zeros(64)
    kernel[2, 64](x, out)
    np.testing.assert_array_equal(out, np.where(x < 0, 0, np.arange(64) * 20000. + 199990000))


def test_thread_by_thread_gives_the_same():
    """All kernels of two other files, on the other way of running them."""
    folder = os.path.dirname(__file__)
    files = [os.path.join(folder, name) for name in ("test_kernels.py", "test_warps.py")]
    env = dict(os.environ, WHIPSNAKE_SIMT="threads", WHIPSNAKE_CACHE="0")
    run = subprocess.run([sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:xdist", *files],
                         env=env, capture_output=True, text=True, timeout=500)
    assert run.returncode == 0, run.stdout[-3000:]
