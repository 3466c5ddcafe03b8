"""Guards of all forms, and loops of which threads fall out one after the other."""

import math

import numpy as np
import pytest

from whipsnake import cuda

FAR = [-(2**63), -5, -1, 0, 1, 7, 8, 9, 63, 64, 65, 99, 100, 1000, 2**63 - 1]


@cuda.jit
def between(x, a, b):
    i = cuda.grid(1)
    if a < i < b and i < x.size:
        x[i] += 1


@cuda.jit
def not_below(x, a, b):
    i = cuda.grid(1)
    if i < a or i >= x.size or b <= i:
        return
    x[i] += 1


@pytest.mark.parametrize("a", FAR)
@pytest.mark.parametrize("b", FAR)
def test_from_both_sides(a, b):
    i = np.arange(100)
    x = np.zeros(100)
    between[13, 8](x, a, b)
    np.testing.assert_array_equal(x, (i > a) & (i < b))
    x = np.zeros(100)
    not_below[2, 64](x, a, b)
    np.testing.assert_array_equal(x, (i >= a) & (i < b))


@cuda.jit
def inner(x, a, b):
    i, j = cuda.grid(2)
    if i >= a and b <= j and i < x.shape[1] - 1 and j < x.shape[0] - 2:
        x[j, i] += i + 100 * j


@pytest.mark.parametrize("a", [-3, 0, 1, 5, 17, 40])
@pytest.mark.parametrize("b", [-1, 0, 3, 8, 20])
@pytest.mark.parametrize("block", [(8, 8), (32, 2), (5, 3)])
def test_of_two_axes(a, b, block):
    x = np.zeros((20, 30))
    inner[(-(-30 // block[0]), -(-20 // block[1])), block](x, a, b)
    j, i = np.mgrid[:20, :30]
    good = (i >= a) & (j >= b) & (i < 29) & (j < 18)
    np.testing.assert_array_equal(x, np.where(good, i + 100 * j, 0))


# -- loops over the grid --------------------------------------------------------------------------

@cuda.jit
def range_stride(x, out, n):
    for k in range(cuda.grid(1), n, cuda.gridsize(1)):
        out[k] = x[k] + 1


@cuda.jit
def while_stride(x, out, n):
    k = cuda.grid(1)
    while k < n:
        out[k] = x[k] + 1
        k += cuda.gridsize(1)


@pytest.mark.parametrize("n", [-(2**63), -1, 0, 1, 31, 32, 33, 500, 1000])
@pytest.mark.parametrize("grid, block", [(1, 1), (1, 32), (3, 7), (10, 64), (40, 64)])
@pytest.mark.parametrize("kernel", [range_stride, while_stride], ids=lambda k: k.__name__)
def test_grid_stride(kernel, grid, block, n):
    x = np.random.default_rng(0).random(1000)
    out = np.zeros(1000)
    kernel[grid, block](x, out, n)
    np.testing.assert_array_equal(out, np.where(np.arange(1000) < n, x + 1, 0))


@cuda.jit
def what_loops_leave(x, sums, counts, last):
    """Each thread goes round as often as it does, and keeps what it has then."""
    t = cuda.threadIdx.x
    total, count, k_last, doubled = 0.0, 0, -1, t
    for k in range(t, x.size, cuda.blockDim.x):
        total += x[k]
        count += 1
        k_last = k
        doubled *= 2
    sums[t] = total
    counts[t] = count
    last[t] = k_last + 1000 * doubled


@pytest.mark.parametrize("n", [0, 1, 15, 16, 17, 100])
def test_values_that_a_loop_leaves(n):
    x = np.random.default_rng(n).random(n)
    sums, counts, last = np.zeros(16), np.zeros(16, np.int64), np.zeros(16, np.int64)
    what_loops_leave[1, 16](x, sums, counts, last)
    for t in range(16):
        own = range(t, n, 16)
        assert counts[t] == len(own)
        assert np.isclose(sums[t], sum(x[k] for k in own))
        assert last[t] == (own[-1] if own else -1) + 1000 * t * 2**len(own)


@cuda.jit
def loops_in_loops(x, out):
    for i in range(cuda.blockIdx.x, x.shape[0], cuda.gridDim.x):
        best = -1.0
        for j in range(cuda.threadIdx.x, x.shape[1], cuda.blockDim.x):
            if x[i, j] > best:
                best = x[i, j]
        cuda.atomic.max(out, i, best)


def test_loops_in_loops():
    x = np.random.default_rng(3).random((7, 45))
    out = np.full(7, -1.0)
    loops_in_loops[3, 16](x, out)
    np.testing.assert_array_equal(out, x.max(1))


@cuda.jit
def leaves_early(x, out):
    """A loop that threads also leave in the middle."""
    found = -1
    for k in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        if x[k] > 90:
            found = k
            break
    out[cuda.grid(1)] = found


def test_a_loop_that_is_left_in_the_middle():
    x = np.random.default_rng(5).integers(0, 100, 500)
    out = np.zeros(32, np.int64)
    leaves_early[2, 16](x, out)
    expected = [next((k for k in range(t, 500, 32) if x[k] > 90), -1) for t in range(32)]
    np.testing.assert_array_equal(out, expected)


@cuda.jit
def with_barriers(x, out):
    """Rounds of the same number for all, though it is written for each thread."""
    s = cuda.shared.array(16, np.float64)
    t = cuda.threadIdx.x
    for k in range(t, x.size, 16):
        s[t] = x[k]
        cuda.syncthreads()
        out[k] = s[15 - t]
        cuda.syncthreads()


def test_barriers_in_such_a_loop():
    x, out = np.random.default_rng(6).random(48), np.zeros(48)
    with_barriers[1, 16](x, out)
    np.testing.assert_array_equal(out, x.reshape(3, 16)[:, ::-1].ravel())
    with_barriers[1, 16](x[:40], out)  # who returns has arrived


@cuda.jit
def falls_from_the_other_side(x, out):
    """The first threads fall out first."""
    t = cuda.threadIdx.x
    for k in range(15 - t, x.size, 16):
        out[k] = x[k]


def test_other_orders():
    x, out = np.arange(1, 101.0), np.zeros(100)
    falls_from_the_other_side[1, 16](x, out)
    np.testing.assert_array_equal(out, x)


@cuda.jit
def functions(x):
    i = cuda.grid(1)
    if i < x.shape[0]:
        v = x[i, 0]
        x[i, 1] = math.sin(v) + math.exp(-v) + math.log(v) + v ** 0.3
        x[i, 2] = math.sqrt(v) + math.tanh(v) + math.erf(v) + math.lgamma(v)
        x[i, 3] = math.atan2(v, 2.0) + math.hypot(v, 1.0) + math.fmod(v, 0.7) + math.floor(v)
        x[i, 4] = cuda.cbrt(v) + cuda.rsqrt(v) + cuda.fma(v, v, v) + math.ldexp(v, 3)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_math_functions(dtype):
    x = np.zeros((50, 5), dtype)
    x[:, 0] = np.random.default_rng(1).random(50) * 5 + 0.1
    v = x[:, 0].astype(float)
    functions[2, 32](x)
    tolerance = 1e-5 if dtype == np.float32 else 1e-13
    expected = [
        np.sin(v) + np.exp(-v) + np.log(v) + v ** 0.3,
        np.sqrt(v) + np.tanh(v) + [math.erf(a) + math.lgamma(a) for a in v],
        np.arctan2(v, 2) + np.hypot(v, 1) + np.fmod(v, 0.7) + np.floor(v),
        np.cbrt(v) + v ** -0.5 + v * v + v + 8 * v]
    np.testing.assert_allclose(x[:, 1:], np.transpose(expected), rtol=tolerance, atol=tolerance)


@cuda.jit
def bits(x, out):
    i = cuda.grid(1)
    out[i, 0] = cuda.popc(x[i])
    out[i, 1] = cuda.clz(x[i])
    out[i, 2] = cuda.ffs(x[i])
    out[i, 3] = cuda.brev(x[i])
    out[i, 4] = cuda.selp(x[i] > 5, 1, -1)


@pytest.mark.parametrize("dtype", [np.int32, np.uint32, np.int64, np.uint64])
def test_bits(dtype):
    width = np.dtype(dtype).itemsize * 8
    x = np.array([0, 1, 2, 3, 8, 255, 12345, 2**31 - 1], dtype)
    if np.dtype(dtype).kind == "i":
        x[5:7] = -1, -12345
    out = np.zeros((8, 5), dtype)
    bits[1, 8](x, out)
    for v, row in zip(x, out):
        text = format(int(v) & (2**width - 1), f"0{width}b")
        assert row[0] == text.count("1")
        assert row[1] == len(text) - len(text.lstrip("0"))
        assert row[2] == (0 if v == 0 else len(text) - len(text.rstrip("0")) + 1)
        assert int(row[3]) & (2**width - 1) == int(text[::-1], 2)
        assert int(row[4]) & (2**width - 1) == (1 if v > 5 else 2**width - 1)


def test_many_sizes_share_one_code():
    """After eight sizes of blocks the ninth and all others are read at the launch."""
    @cuda.jit
    def kernel(x, out):
        s = cuda.shared.array(256, np.float64)
        t = cuda.threadIdx.x + cuda.blockDim.x * cuda.threadIdx.y
        n = cuda.blockDim.x * cuda.blockDim.y
        i = cuda.blockIdx.x * n + t
        v = x[i]
        s[t] = v
        cuda.syncthreads()
        out[i] = s[n - 1 - t] + 2 * v + cuda.syncthreads_count(v > 0.5)

    for block in [(n, 1) for n in range(1, 20)] + [(8, 8), (256, 1), (3, 50)]:
        n = block[0] * block[1]
        x, out = np.random.default_rng(n).random(4 * n), np.zeros(4 * n)
        kernel[4, block](x, out)
        rows = x.reshape(4, n)
        expected = rows[:, ::-1] + 2 * rows + (rows > 0.5).sum(1)[:, None]
        np.testing.assert_allclose(out, expected.ravel(), rtol=1e-14)
    assert len(kernel._functions) == 9
