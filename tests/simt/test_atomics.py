"""Atomic operations: sums over all threads, and the old values, against what Python computes."""

import itertools

import numpy as np
import pytest

from whipsnake import cuda, errors, int32

INTS = [np.int32, np.int64, np.uint32, np.uint64]
FLOATS = [np.float32, np.float64]


def make(name):
    """A kernel in which each thread does it once, on an element of its own and on a common one."""
    function = getattr(cuda.atomic, name)

    @cuda.jit
    def kernel(own, common, values, old):
        i = cuda.grid(1)
        old[i] = function(own, i, values[i])
        function(common, 0, values[i])

    return kernel


def python_of(name, old, v):
    """The new value."""
    nan = old != old or v != v
    return {
        "add": lambda: old + v, "sub": lambda: old - v, "and_": lambda: old & v,
        "or_": lambda: old | v, "xor": lambda: old ^ v, "exch": lambda: v,
        "inc": lambda: 0 * old if old >= v else old + old.dtype.type(1),
        "dec": lambda: v if old == 0 or old > v else old - old.dtype.type(1),
        "max": lambda: np.maximum(old, v), "min": lambda: np.minimum(old, v),
        "nanmax": lambda: np.fmax(old, v) if nan else max(old, v),
        "nanmin": lambda: np.fmin(old, v) if nan else min(old, v),
    }[name]()


ROWS = [(name, dtype) for name in ("add", "sub", "exch", "max", "min", "nanmax", "nanmin")
        for dtype in INTS + FLOATS]
ROWS += [(name, dtype) for name in ("and_", "or_", "xor", "inc", "dec") for dtype in INTS]
KERNELS = {name: make(name) for name, _ in ROWS}


@pytest.mark.parametrize("name, dtype", ROWS, ids=lambda v: getattr(v, "__name__", v))
def test_operation(name, dtype):
    rng = np.random.default_rng(len(name))
    own = rng.integers(0, 100, 128).astype(dtype)
    values = rng.integers(0, 100, 128).astype(dtype)
    if np.dtype(dtype).kind == "f":
        own[[3, 5, 7]] = np.nan, np.inf, -0.0
        values[[4, 5, 9]] = np.nan, -np.inf, np.nan
        own[9] = np.nan
    before, common, old = own.copy(), np.array([50], dtype), np.zeros(128, dtype)
    KERNELS[name][4, 32](own, common, values, old)
    np.testing.assert_array_equal(old, before)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(own, [python_of(name, a, b) for a, b in zip(before, values)])
    finite = np.isfinite(values.astype(float)).all()
    if name in ("add", "and_", "or_", "xor", "max", "min", "nanmax", "nanmin") and finite:
        expected = np.array(50, dtype)[()]
        for v in values:
            with np.errstate(all="ignore"):
                expected = python_of(name, expected, v)
        assert common[0] == expected


@cuda.jit
def histogram(x, bins):
    s = cuda.shared.array(16, int32)
    t = cuda.threadIdx.x
    if t < 16:
        s[t] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        cuda.atomic.add(s, x[i], 1)
    cuda.syncthreads()
    if t < 16:
        cuda.atomic.add(bins, t, s[t])


@pytest.mark.parametrize("grid", [1, 2, 40])
def test_histogram_in_shared_memory(grid):
    x = np.random.default_rng(grid).integers(0, 16, 10000).astype(np.uint8)
    bins = np.zeros(16, np.int32)
    histogram[grid, 64](x, bins)
    np.testing.assert_array_equal(bins, np.bincount(x, minlength=16))


@cuda.jit
def tickets(counter, out):
    """Each thread gets another number."""
    out[cuda.grid(1)] = cuda.atomic.add(counter, 0, 1)


def test_old_values_are_all_different():
    counter, out = np.zeros(1, np.int64), np.zeros(10000, np.int64)
    tickets[100, 100](counter, out)
    assert counter[0] == 10000
    np.testing.assert_array_equal(np.sort(out), np.arange(10000))


@cuda.jit
def in_matrices(a, strided, out):
    x, y = cuda.grid(2)
    out[y, x] = cuda.atomic.add(a, (y, x), 2) + cuda.atomic.max(strided, (x, 1), y)


def test_subscripts_of_several_axes():
    a, out = np.arange(12.).reshape(3, 4), np.zeros((3, 4))
    strided = np.zeros((8, 6), np.int32)[::2, ::3]
    in_matrices[1, (4, 3)](a, strided, out)
    np.testing.assert_array_equal(a, np.arange(12.).reshape(3, 4) + 2)
    np.testing.assert_array_equal(strided, [[0, 2]] * 4)
    assert np.allclose(out, np.arange(12.).reshape(3, 4), atol=2)


@cuda.jit
def swaps(x, old, new, out):
    i = cuda.grid(1)
    out[i] = cuda.atomic.cas(x, i, old, new)


@pytest.mark.parametrize("dtype", INTS + FLOATS)
def test_compare_and_swap(dtype):
    x, out = np.array([1, 2, 1, 3], dtype), np.zeros(4, dtype)
    swaps[1, 4](x, dtype(1), dtype(9), out)
    np.testing.assert_array_equal(x, [9, 2, 9, 3])
    np.testing.assert_array_equal(out, [1, 2, 1, 3])


@cuda.jit
def locked(lock, x):
    """A lock that one thread of each block takes."""
    if cuda.threadIdx.x == 0:
        while cuda.atomic.compare_and_swap(lock, 0, 1) != 0:
            cuda.nanosleep(100)
        x[0] += 1
        cuda.threadfence()
        cuda.atomic.exch(lock, 0, 0)


def test_a_lock_between_blocks():
    lock, x = np.zeros(1, np.int32), np.zeros(1, np.int64)
    locked[200, 32](lock, x)
    assert x[0] == 200 and lock[0] == 0


@cuda.jit
def halves(x, v, old):
    i = cuda.grid(1)
    old[i] = cuda.atomic.add(x, 0, v[i])


def test_float16():
    x, v, old = np.zeros(1, np.float16), np.arange(32).astype(np.float16), np.zeros(32, np.float16)
    halves[1, 32](x, v, old)
    assert x[0] == v.sum()
    assert set(old) <= set(itertools.accumulate(v, initial=np.float16(0)))


@cuda.jit
def small_integers(x, y):
    cuda.atomic.add(x, cuda.threadIdx.x % 3, 1)
    cuda.atomic.max(y, 0, cuda.threadIdx.x)


def test_small_integers():
    x, y = np.zeros(3, np.uint8), np.zeros(1, np.int16)
    small_integers[1, 90](x, y)
    np.testing.assert_array_equal(x, 30)
    assert y[0] == 89


@pytest.mark.parametrize("line, text", [
    ("cuda.atomic.add(x, 0, 1j)", "it takes an array of integers or floats"),
    ("cuda.atomic.and_(x, 0, 1)", "it takes an array of integers"),
    ("cuda.atomic.add(x, (0, 0), 1)", "a subscript for each axis"),
    ("cuda.atomic.add(x, 0.5, 1)", "a subscript for each axis"),
    ("cuda.atomic.add(n, 0, 1)", "it takes an array"),
    ("cuda.atomic.add(i, 0, 1.5)", "a number that fits"),
])
def test_bad_operands(line, text, tmp_path):
    file = tmp_path / "program.py"
    file.write_text("from whipsnake import cuda\n@cuda.jit\ndef kernel(x, i, n):\n"
                    f"    {line}\n")
    names = {}
    exec(compile(file.read_text(), str(file), "exec"), names)
    with pytest.raises(errors.TypingError, match=text):
        names["kernel"][1, 1](np.ones(1), np.ones(1, np.int64), 3)


def test_subscripts_are_checked():
    @cuda.jit
    def kernel(x):
        cuda.atomic.add(x, cuda.threadIdx.x, 1)

    with pytest.raises(IndexError, match="index 5 is out of bounds"):
        kernel[1, 8](np.zeros(5))


def test_not_of_read_only_arrays():
    x = np.zeros(5)
    x.flags.writeable = False
    with pytest.raises(errors.TypingError, match="the array is read-only"):
        KERNELS["add"][1, 1](x, x, x, np.zeros(1))

