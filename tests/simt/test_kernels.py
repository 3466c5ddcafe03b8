"""Kernels on the CPU device against NumPy."""

import numpy as np
import pytest

from whipsnake import cuda, float32, float64, int64, njit

T = 8
SIZE = 64


@cuda.jit
def saxpy(a, x, y, n):
    i = cuda.grid(1)
    if i < n:
        y[i] = a * x[i] + y[i]


@cuda.jit
def saxpy_returning_early(a, x, y):
    i = cuda.threadIdx.x + cuda.blockIdx.x * cuda.blockDim.x
    if i >= x.size:
        return
    y[i] += a * x[i]


@cuda.jit
def saxpy_inclusive(a, x, y, last):
    i = cuda.grid(1)
    if last >= i:
        y[i] += a * x[i]


@pytest.mark.parametrize("n", [1, 31, 32, 1000])
@pytest.mark.parametrize("block", [1, 7, 32, 256])
@pytest.mark.parametrize("extra", [0, 3])
def test_saxpy(n, block, extra):
    grid = -(-n // block) + extra
    x = np.arange(n, dtype=np.float32)
    for kernel, last in [(saxpy, (n,)), (saxpy_returning_early, ()), (saxpy_inclusive, (n - 1,))]:
        y = np.ones(n, np.float32)
        kernel[grid, block](np.float32(2), x, y, *last)
        np.testing.assert_array_equal(y, 2 * x + 1)


def test_guard_leaves_what_is_behind_it():
    x = np.arange(100.0)
    y = np.zeros(100)
    saxpy[4, 32](1.0, x, y, 70)
    np.testing.assert_array_equal(y, np.where(np.arange(100) < 70, x, 0))
    saxpy[4, 32](1.0, x, y, -5)
    saxpy[4, 32](1.0, x, y, -(2**63))
    np.testing.assert_array_equal(y, np.where(np.arange(100) < 70, x, 0))


@cuda.jit
def add_2d(a, b, c):
    x, y = cuda.grid(2)
    if y < a.shape[0] and x < a.shape[1]:
        c[y, x] = a[y, x] + b[y, x]


@cuda.jit
def add_2d_slow_axis_first(a, b, c):
    x, y = cuda.grid(2)
    if x < a.shape[0] and y < a.shape[1]:
        c[x, y] = a[x, y] + b[x, y]


@pytest.mark.parametrize("kernel", [add_2d, add_2d_slow_axis_first])
@pytest.mark.parametrize("shape", [(1, 1), (16, 16), (33, 5), (7, 70)])
@pytest.mark.parametrize("block", [(16, 16), (32, 2), (1, 5), (3, 4, 2)])
def test_2d(kernel, shape, block):
    rng = np.random.default_rng(0)
    a, b = rng.random(shape), rng.random(shape)
    c = np.zeros(shape)
    extents = shape if kernel is add_2d_slow_axis_first else shape[::-1]
    kernel[(-(-extents[0] // block[0]), -(-extents[1] // block[1])), block](a, b, c)
    np.testing.assert_array_equal(c, a + b)


@cuda.jit
def number_3d(out):
    x, y, z = cuda.grid(3)
    sx, sy, sz = cuda.gridsize(3)
    out[z, y, x] = x + sx * (y + sy * z)


def test_3d():
    out = np.zeros((6, 8, 10), np.int64)
    number_3d[(5, 2, 3), (2, 4, 2)](out)
    np.testing.assert_array_equal(out, np.arange(480).reshape(6, 8, 10))


@cuda.jit
def registers(out):
    i = cuda.grid(1)
    out[i, 0] = cuda.threadIdx.x
    out[i, 1] = cuda.blockIdx.x
    out[i, 2] = cuda.blockDim.x
    out[i, 3] = cuda.gridDim.x
    out[i, 4] = cuda.threadIdx.y + cuda.blockIdx.z + cuda.blockDim.y + cuda.gridDim.z
    out[i, 5] = cuda.gridsize(1)


def test_registers():
    out = np.zeros((12, 6), np.int64)
    registers[3, 4](out)
    i = np.arange(12)
    np.testing.assert_array_equal(out[:, 0], i % 4)
    np.testing.assert_array_equal(out[:, 1], i // 4)
    np.testing.assert_array_equal(out[:, 2:], [[4, 3, 2, 12]] * 12)


# -- barriers -------------------------------------------------------------------------------------

@cuda.jit
def tiled_product(A, B, C):
    sA = cuda.shared.array(shape=(T, T), dtype=float32)
    sB = cuda.shared.array(shape=(T, T), dtype=float32)
    x, y = cuda.grid(2)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    acc = float32(0.0)
    for i in range(A.shape[1] // T):
        sA[ty, tx] = A[y, tx + i * T]
        sB[ty, tx] = B[ty + i * T, x]
        cuda.syncthreads()
        for j in range(T):
            acc += sA[ty, j] * sB[j, tx]
        cuda.syncthreads()
    C[y, x] = acc


@cuda.jit
def padded_product(A, B, C):
    """Any size: threads beyond the edges load zeros."""
    sA = cuda.shared.array((T, T), np.float64)
    sB = cuda.shared.array((T, T), np.float64)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    acc = 0.0
    for i in range((A.shape[1] + T - 1) // T):
        sA[ty, tx] = 0
        sB[ty, tx] = 0
        if y < A.shape[0] and tx + i * T < A.shape[1]:
            sA[ty, tx] = A[y, tx + i * T]
        if x < B.shape[1] and ty + i * T < B.shape[0]:
            sB[ty, tx] = B[ty + i * T, x]
        cuda.syncthreads()
        for j in range(T):
            acc += sA[ty, j] * sB[j, tx]
        cuda.syncthreads()
    if y < C.shape[0] and x < C.shape[1]:
        C[y, x] = acc


@pytest.mark.parametrize("n", [T, 4 * T])
def test_tiled_product(n):
    rng = np.random.default_rng(n)
    A, B = rng.random((2, n, n), dtype=np.float32)
    C = np.zeros_like(A)
    tiled_product[(n // T, n // T), (T, T)](A, B, C)
    np.testing.assert_allclose(C, A @ B, rtol=1e-5)


@pytest.mark.parametrize("m, k, n", [(1, 1, 1), (8, 8, 8), (10, 17, 5), (33, 8, 40)])
def test_padded_product(m, k, n):
    rng = np.random.default_rng(m)
    A, B = rng.random((m, k)), rng.random((k, n))
    C = np.zeros((m, n))
    padded_product[(-(-n // T), -(-m // T)), (T, T)](A, B, C)
    np.testing.assert_allclose(C, A @ B, rtol=1e-12)


@cuda.jit
def block_sums(x, out):
    s = cuda.shared.array(SIZE, float64)
    t = cuda.threadIdx.x
    s[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    half = SIZE // 2
    while half > 0:
        if t < half:
            s[t] += s[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        out[cuda.blockIdx.x] = s[0]


def test_reduction():
    x = np.random.default_rng(1).random(5 * SIZE)
    out = np.zeros(5)
    block_sums[5, SIZE](x, out)
    np.testing.assert_allclose(out, x.reshape(5, SIZE).sum(1), rtol=1e-13)


@cuda.jit
def reverse_blocks(x):
    s = cuda.shared.array(SIZE, int64)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    s[t] = x[i]
    cuda.syncthreads()
    x[i] = s[SIZE - 1 - t]


def test_a_value_computed_from_the_thread_crosses_a_barrier():
    x = np.arange(3 * SIZE)
    reverse_blocks[3, SIZE](x)
    np.testing.assert_array_equal(x, np.arange(3 * SIZE).reshape(3, SIZE)[:, ::-1].ravel())


@cuda.jit
def rotate(x, turns):
    """Values of several types live across barriers in a loop and are swapped in it."""
    s = cuda.shared.array(SIZE, float64)
    t = cuda.threadIdx.x
    a, b = x[t], x[t] * 2
    odd = x[t] > 10
    pair = (t, a)
    c = complex(a, b)
    for k in range(turns):
        s[t] = a
        cuda.syncthreads()
        a, b = b, s[(t + 1) % SIZE]
        cuda.syncthreads()
    x[t] = a + 1000 * b + (pair[0] + pair[1]) + (c.real - c.imag) * (1 if odd else 2)


@pytest.mark.parametrize("turns", [0, 1, 2, 5])
def test_values_across_barriers(turns):
    x = np.arange(float(SIZE))
    a, b, t = x.copy(), 2 * x, np.arange(SIZE)
    for _ in range(turns):
        a, b = b, np.roll(a, -1)
    expected = a + 1000 * b + (t + x) + (x - 2 * x) * np.where(x > 10, 1, 2)
    rotate[1, SIZE](x, turns)
    np.testing.assert_array_equal(x, expected)


@cuda.jit
def uniform_branch(x, mode):
    s = cuda.shared.array(SIZE, float64)
    t = cuda.threadIdx.x
    v = x[t]
    if mode == 1:
        s[t] = v
        cuda.syncthreads()
        v = s[SIZE - 1 - t]
    elif mode == 2:
        for k in range(3):
            s[t] = v
            cuda.syncthreads()
            v += s[0]
            cuda.syncthreads()
            if mode == 3:
                break
    x[t] = v + mode


def test_barriers_under_uniform_branches():
    x = np.random.default_rng(3).random(SIZE)
    for mode in (0, 1, 2):
        y, v = x.copy(), x.copy()
        if mode == 1:
            v = v[::-1]
        for _ in range(3 if mode == 2 else 0):
            v = v + v[0]
        uniform_branch[1, SIZE](y, mode)
        np.testing.assert_allclose(y, v + mode, rtol=1e-14)


@cuda.jit
def guard_before_barrier(x, out, n):
    s = cuda.shared.array(SIZE, float64)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    s[t] = -1.0
    if i >= n:
        return
    s[t] = x[i]
    cuda.syncthreads()
    out[i] = s[0] + s[t]


@pytest.mark.parametrize("n", [1, 63, 64, 65, 130])
def test_threads_that_returned_count_as_arrived(n):
    x = np.random.default_rng(n).random(n)
    out = np.zeros(n)
    guard_before_barrier[3, SIZE](x, out, n)
    i = np.arange(n)
    np.testing.assert_array_equal(out, x[i // SIZE * SIZE] + x)


# -- no barrier, all flow -------------------------------------------------------------------------

@cuda.jit
def mandel(out, width, height, limit):
    x, y = cuda.grid(2)
    if x < width and y < height:
        c = complex(-2 + 3 * x / width, -1 + 2 * y / height)
        z = 0j
        n = 0
        while n < limit and z.real * z.real + z.imag * z.imag < 4:
            z = z * z + c
            n += 1
        out[y, x] = n


def test_divergent_loop():
    out = np.zeros((20, 30), np.int32)
    mandel[(4, 3), (8, 8)](out, 30, 20, 50)
    plain = np.zeros_like(out)
    for y in range(20):
        for x in range(30):
            c, z, n = complex(-2 + 3 * x / 30, -1 + 2 * y / 20), 0j, 0
            while n < 50 and z.real * z.real + z.imag * z.imag < 4:
                z, n = z * z + c, n + 1
            plain[y, x] = n
    assert np.mean(out != plain) < 0.01  # products and sums are fused


@cuda.jit
def naive_product(A, B, C):
    x, y = cuda.grid(2)
    if x < C.shape[1] and y < C.shape[0]:
        total = 0.0
        for k in range(A.shape[1]):
            total += A[y, k] * B[k, x]
        C[y, x] = total


def test_uniform_loop_of_unknown_length():
    rng = np.random.default_rng(5)
    A, B = rng.random((19, 40)), rng.random((40, 23))
    C = np.zeros((19, 23))
    naive_product[(3, 3), (8, 8)](A, B, C)
    np.testing.assert_allclose(C, A @ B, rtol=1e-13)


@cuda.jit
def many_ways(x, out):
    i = cuda.grid(1)
    if i >= x.size:
        return
    v = x[i]
    if v < 0:
        out[i] = -1
        return
    total = 0
    for k in range(v):
        if k == 7:
            continue
        if k > 20:
            break
        total += k
    else:
        total += 1000
    out[i] = total


def test_returns_breaks_and_continues():
    x = np.random.default_rng(6).integers(-3, 40, 100)
    out = np.zeros(100, np.int64)
    many_ways[4, 32](x, out)
    sums = [sum(k for k in range(min(v, 21)) if k != 7) for v in x]
    expected = [-1 if v < 0 else s + (1000 if v <= 21 else 0) for v, s in zip(x, sums)]
    np.testing.assert_array_equal(out, expected)


@cuda.jit
def grid_stride(x, out):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        out[i] = x[i] + 1


def test_grid_stride():
    x = np.random.default_rng(7).random(1000)
    out = np.zeros(1000)
    grid_stride[3, 32](x, out)
    np.testing.assert_array_equal(out, x + 1)


# -- functions ------------------------------------------------------------------------------------

@cuda.jit(device=True)
def my_index():
    return cuda.grid(1)


@cuda.jit(device=True, inline=True)
def swap_with(s, t, v):
    s[t] = v
    cuda.syncthreads()
    v = s[s.size - 1 - t]
    cuda.syncthreads()
    return v


@njit
def square(x):
    return x * x


def plain(x):
    return x + 1


@cuda.jit
def calls(x):
    s = cuda.shared.array(SIZE, float64)
    i = my_index()
    x[i] = swap_with(s, cuda.threadIdx.x, square(x[i]))
    x[i] = plain(swap_with(s, cuda.threadIdx.x, x[i] * 2))


def test_device_functions():
    x = np.random.default_rng(8).random(2 * SIZE)
    expected = 2 * x * x + 1
    calls[2, SIZE](x)
    np.testing.assert_allclose(x, expected, rtol=1e-14)


@cuda.jit
def divide(a, b, out):
    i = cuda.grid(1)
    out[i, 0] = a[i] / b[i]
    out[i, 1] = a[i] // b[i]


@njit
def quotient(a, b):
    return a / b


@cuda.jit
def divide_in_a_function(a, b, out):
    i = cuda.grid(1)
    out[i] = quotient(a[i], b[i])


def test_errors_of_arithmetic_are_numpys():
    out = np.zeros((3, 2))
    divide[1, 3](np.array([1, -1, 0]), np.array([0, 0, 0]), out)
    np.testing.assert_array_equal(out, [[np.inf, 0], [-np.inf, 0], [np.nan, 0]])
    out = np.zeros(2)
    divide_in_a_function[1, 2](np.ones(2), np.zeros(2), out)
    assert np.isinf(out).all()


# -- launching ------------------------------------------------------------------------------------

def test_subscripts_are_checked():
    x = np.arange(10.0)
    y = np.zeros(10)
    with pytest.raises(IndexError, match="index 10 is out of bounds for axis 0 with size 10"):
        saxpy[1, 32](1.0, x, y, 32)
    np.testing.assert_array_equal(y, x)  # the threads before did their work


@cuda.jit
def complain(x):
    i = cuda.grid(1)
    if x[i] < 0:
        raise ValueError("negative", i)


def test_a_raise_ends_the_launch():
    with pytest.raises(ValueError) as caught:
        complain[2, 4](np.array([1, 2, 3, 4, 5, -6, 7, 8]))
    assert caught.value.args == ("negative", 5)
    complain[2, 4](np.ones(8))


def test_signatures_convert():
    @cuda.jit("void(float64, float64[:], float64[:], int64)")
    def kernel(a, x, y, n):
        i = cuda.grid(1)
        if i < n:
            y[i] = a * x[i]

    y = np.zeros(4)
    kernel[1, 4](3, np.arange(4.0), y, np.int8(4))
    np.testing.assert_array_equal(y, [0, 3, 6, 9])


def test_captured_constants_are_watched():
    scale = 2.0

    @cuda.jit
    def kernel(x):
        i = cuda.grid(1)
        x[i] *= scale

    x = np.ones(4)
    kernel[1, 4](x)
    scale = 5.0
    kernel[1, 4](x)
    np.testing.assert_array_equal(x, 10.0)


def test_configurations():
    y = np.zeros(4)
    launch = saxpy[np.int64(1), [4]]
    launch(1.0, np.ones(4), y, 4)
    saxpy.forall(4)(1.0, np.ones(4), y, 4)
    saxpy[1, 4, 0, 0](1.0, np.ones(4), y, 4)
    np.testing.assert_array_equal(y, 3)
    for config, error in [((0, 4), ValueError), ((1, 0), ValueError), ((1, 1025), ValueError),
                          ((1, (1, 1, 65)), ValueError), ((1, (2, 2, 2, 2)), ValueError),
                          ((1, 2.5), TypeError), ((1, "x"), TypeError), (1, ValueError)]:
        with pytest.raises(error):
            saxpy[config]
    with pytest.raises(ValueError, match=r"saxpy is a kernel: launch it with saxpy\[grid, block\]"):
        saxpy(1.0, y, y, 4)
    for config, error in [((1, 1, 7), TypeError), ((1, 1, 0, -1), ValueError),
                          ((1, 1, 0, "x"), TypeError), ((1, 1, 0, 1 << 20), ValueError)]:
        with pytest.raises(error):
            saxpy[config]


def test_all_block_sizes():
    for block in (1, 2, 3, 31, 33, 64, 513, 1024):
        y = np.zeros(2 * block)
        saxpy[2, block](1.0, np.arange(2.0 * block), y, 2 * block)
        np.testing.assert_array_equal(y, np.arange(2.0 * block))


@cuda.jit
def carry_through_nests(x, n, m):
    """Values that go round two loops, change places, and are needed after they were replaced."""
    s = cuda.shared.array(SIZE, float64)
    t = cuda.threadIdx.x
    a, b = x[t], x[t] + 1
    for i in range(n):
        c = a
        for j in range(m):
            s[t] = a + b
            cuda.syncthreads()
            old = a
            a = s[(t + 1) % SIZE]
            b = c + j
            cuda.syncthreads()
            if j == 1:
                c, a = a, c
            elif t % 3 == 0:
                c = old - b
        a, b = b, a + c
    x[t] = a + 3 * b


def carried(x, n, m):
    """The same over all threads at once."""
    t = np.arange(SIZE)
    a, b = x, x + 1
    for _ in range(n):
        c = a
        for j in range(m):
            old, a, b = a, np.roll(a + b, -1), c + j
            if j == 1:
                c, a = a, c
            else:
                c = np.where(t % 3 == 0, old - b, c)
        a, b = b, a + c
    return a + 3 * b


@pytest.mark.parametrize("n", [0, 1, 3])
@pytest.mark.parametrize("m", [0, 1, 2, 4])
def test_values_through_nests(n, m):
    x = np.random.default_rng(n).random(SIZE)
    y = x.copy()
    carry_through_nests[1, SIZE](y, n, m)
    np.testing.assert_allclose(y, carried(x, n, m), rtol=1e-13)


@cuda.jit
def polynomial(x, coefficients, out):
    """Loops of unknown length without a barrier, several values carried by each thread."""
    i = cuda.grid(1)
    if i < x.size:
        v, power, largest = 0.0, 1.0, 0.0
        for k in range(coefficients.size):
            v += coefficients[k] * power
            power *= x[i]
            if abs(power) > largest:
                largest = abs(power)
        out[i, 0], out[i, 1] = v, largest


def test_several_values_carried_by_a_loop():
    rng = np.random.default_rng(11)
    x, coefficients = rng.random(77) * 2, rng.random(9)
    out = np.zeros((77, 2))
    polynomial[3, 32](x, coefficients, out)
    np.testing.assert_allclose(out[:, 0], np.polyval(coefficients[::-1], x), rtol=1e-12)
    np.testing.assert_allclose(out[:, 1], np.maximum(x, x**9), rtol=1e-12)


def test_debug_builds_run():
    @cuda.jit(debug=True)
    def kernel(x):
        s = cuda.shared.array(SIZE, float64)
        t = cuda.threadIdx.x
        s[t] = x[t]
        cuda.syncthreads()
        x[t] = s[SIZE - 1 - t]

    x = np.arange(float(SIZE))
    kernel[1, SIZE](x)
    np.testing.assert_array_equal(x, np.arange(float(SIZE))[::-1])
