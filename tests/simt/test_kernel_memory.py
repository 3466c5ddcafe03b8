"""Shared, local and constant memory."""

import numpy as np
import pytest

from whipsnake import cuda, errors, float32, float64, int32

SIZE = 32
TABLE = np.array([3.0, 1.0, 4.0, 1.0, 5.0])
MATRIX = np.asfortranarray(np.arange(12, dtype=np.int32).reshape(3, 4))


@cuda.jit
def dynamic(x):
    s = cuda.shared.array(0, float32)
    t = cuda.threadIdx.x
    s[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    x[cuda.grid(1)] = s[s.size - 1 - t]


@pytest.mark.parametrize("n", [1, 16, 64, 500])
def test_dynamic_shared_memory(n):
    x = np.arange(3 * n, dtype=np.float32)
    dynamic[3, n, 0, 4 * n](x)
    np.testing.assert_array_equal(x, np.arange(3 * n).reshape(3, n)[:, ::-1].ravel())


def test_dynamic_shared_memory_has_an_end():
    with pytest.raises(IndexError, match="index 4 is out of bounds for axis 0 with size 4"):
        dynamic[1, 8, 0, 16](np.zeros(8, np.float32))
    with pytest.raises(IndexError, match="size 0"):
        dynamic[1, 1](np.zeros(1, np.float32))


@cuda.jit
def carved(x, n):
    """Two arrays in the same memory, and one of another type over all of it."""
    t = cuda.threadIdx.x
    a = cuda.shared.array(0, float32)[:n]
    b = cuda.shared.array(0, float32)[n:]
    raw = cuda.shared.array(0, int32)
    a[t] = x[t]
    b[t] = 2 * x[t]
    cuda.syncthreads()
    x[t] = a[n - 1 - t] + b[t] + (raw.size - 2 * n) + (raw[t] == 0)


def test_arrays_carved_from_dynamic_memory():
    x = np.arange(1, 9, dtype=np.float32)
    carved[1, 8, 0, 64](x, 8)
    np.testing.assert_array_equal(x, np.arange(1, 9)[::-1] + 2 * np.arange(1, 9))


@cuda.jit
def both(x, out):
    fixed = cuda.shared.array((2, SIZE), float64)
    more = cuda.shared.array(0, float64)
    t = cuda.threadIdx.x
    fixed[0, t], fixed[1, t], more[t] = x[t], 10 * x[t], 100 * x[t]
    if x[t] < 0:
        return
    cuda.syncthreads()
    k = SIZE - 1 - t
    out[t] = fixed[0, k] + fixed[1, k] + more[k]


@pytest.mark.parametrize("first", [0, -4])
def test_dynamic_memory_beside_other_arrays(first):
    x = np.arange(first, first + SIZE).astype(float)
    out = np.zeros(SIZE)
    both[1, SIZE, 0, 8 * SIZE](x, out)
    np.testing.assert_array_equal(out, np.where(x < 0, 0, 111 * x[::-1]))


@cuda.jit
def local(x, out):
    a = cuda.local.array((2, 3), float64)
    i = cuda.grid(1)
    for k in range(3):
        a[0, k] = x[i] * k
        a[1, k] = x[i] + k
    total = 0.0
    for k in range(3):
        total += a[0, k] * a[1, 2 - k]
    out[i] = total


def test_local_memory():
    x = np.random.default_rng(0).random(100)
    out = np.zeros(100)
    local[4, 25](x, out)
    np.testing.assert_allclose(out, x * (x + 1) + 2 * x * x, rtol=1e-14)


@cuda.jit
def local_across_barriers(x):
    a = cuda.local.array(3, int32)
    s = cuda.shared.array(SIZE, int32)
    t = cuda.threadIdx.x
    for k in range(3):
        a[k] = t * 10 + k
    for k in range(3):
        s[t] = a[k]
        cuda.syncthreads()
        a[k] += s[(t + 1) % SIZE]
        cuda.syncthreads()
    x[t] = a[0] + a[1] + a[2]


def test_local_memory_lives_across_barriers():
    x = np.zeros(SIZE, np.int64)
    local_across_barriers[1, SIZE](x)
    t = np.arange(SIZE)
    np.testing.assert_array_equal(x, 30 * t + 3 + 30 * ((t + 1) % SIZE) + 3)


@cuda.jit
def constants(out):
    c = cuda.const.array_like(TABLE)
    m = cuda.const.array_like(MATRIX)
    i = cuda.grid(1)
    out[i] = c[i % c.size] + 100 * m[i % 3, i % 4]


def test_constant_arrays():
    out = np.zeros(20)
    constants[2, 10](out)
    i = np.arange(20)
    np.testing.assert_array_equal(out, TABLE[i % 5] + 100 * MATRIX[i % 3, i % 4])


def test_constant_arrays_are_not_written():
    @cuda.jit
    def kernel(x):
        c = cuda.const.array_like(TABLE)
        c[0] = x[0]

    with pytest.raises(errors.TypingError, match="read-only"):
        kernel[1, 1](np.ones(1))


@pytest.mark.parametrize("line, text", [
    ("cuda.local.array(n, float64)", "the shape of a local array must be a constant"),
    ("cuda.local.array(0, float64)", "a local array has at least one element and at most 512 KiB"),
    ("cuda.local.array(1 << 20, float64)", "at most 512 KiB"),
    ("cuda.shared.array(3, float64, 3)", "the alignment of an array is a power of two"),
    ("cuda.shared.array(3, float64, n)", "the alignment of an array must be a constant"),
    ("cuda.const.array_like(3)", "const.array_like"),
])
def test_what_memory_cannot_be(line, text, tmp_path):
    file = tmp_path / "program.py"
    file.write_text("from whipsnake import cuda, float64\n@cuda.jit\ndef kernel(x, n):\n"
                    f"    a = {line}\n    x[0] = 1\n")
    names = {}
    exec(compile(file.read_text(), str(file), "exec"), names)
    with pytest.raises(errors.CompileError, match=text):
        names["kernel"][1, 1](np.ones(1), 3)


def test_alignment_and_captured_sizes():
    rows, dtype = 4, np.float32

    @cuda.jit
    def kernel(x):
        s = cuda.shared.array((rows, SIZE), dtype, alignment=16)
        t = cuda.threadIdx.x
        for k in range(rows):
            s[k, t] = k * x[t]
        cuda.syncthreads()
        x[t] = s[3, (t + 1) % SIZE] - s[1, t]

    x = np.arange(SIZE, dtype=np.float32)
    kernel[1, SIZE](x)
    np.testing.assert_array_equal(x, 3 * np.roll(np.arange(SIZE), -1) - np.arange(SIZE))
