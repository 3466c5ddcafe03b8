"""Kernels that a newcomer to CUDA writes first, each checked and timed. They need no GPU.

    python examples/cuda_kernels.py [small]

Vector add, a ufunc, matrix products, Mandelbrot's set, a reduction with shuffles, copies beside
kernels on two streams, a histogram with atomics."""

import math
import sys
import time

import numpy as np

from whipsnake import cuda, float32, njit, vectorize

SMALL = "small" in sys.argv[1:]
TILE = 16


def best(function, rounds=3):
    """The shortest of a few runs, in milliseconds."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times) * 1e3


def report(name, *columns):
    print(f"{name:24}", "   ".join(f"{what} {ms:.2f} ms" for what, ms in columns))


# -- vector add -----------------------------------------------------------------------------------

@cuda.jit
def add(a, b, c):
    i = cuda.grid(1)
    if i < c.size:
        c[i] = a[i] + b[i]


def vector_add(n):
    a, b, c = np.arange(n, dtype=np.float32), np.ones(n, np.float32), np.zeros(n, np.float32)
    add.forall(n)(a, b, c)  # arrays of NumPy go straight in
    assert (c == a + b).all()
    report("vector add", ("kernel", best(lambda: add.forall(n)(a, b, c))),
           ("NumPy", best(lambda: np.add(a, b, out=c))))


# -- a ufunc --------------------------------------------------------------------------------------

@vectorize(["float32(float32, float32)"], target="cuda")
def distance(x, y):
    return math.sqrt(x * x + y * y)


def ufunc(n):
    x = np.linspace(0, 1, n, dtype=np.float32)
    device = cuda.to_device(x)
    result = distance(device, np.float32(2)).copy_to_host()
    assert np.allclose(result, np.hypot(x, 2))
    report("ufunc", ("on the device", best(lambda: distance(device, np.float32(2)))),
           ("np.hypot", best(lambda: np.hypot(x, np.float32(2)))))


# -- matrix products ------------------------------------------------------------------------------

@cuda.jit
def product(a, b, c):
    x, y = cuda.grid(2)
    if x < c.shape[1] and y < c.shape[0]:
        total = float32(0)
        for k in range(a.shape[1]):
            total += a[y, k] * b[k, x]
        c[y, x] = total


@cuda.jit
def tiled_product(a, b, c):
    """Each block copies tiles into memory that its threads share; sizes are multiples of TILE."""
    tile_a = cuda.shared.array((TILE, TILE), float32)
    tile_b = cuda.shared.array((TILE, TILE), float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    for k in range(a.shape[1] // TILE):
        tile_a[ty, tx] = a[y, k * TILE + tx]
        tile_b[ty, tx] = b[k * TILE + ty, x]
        cuda.syncthreads()
        for j in range(TILE):
            total += tile_a[ty, j] * tile_b[j, tx]
        cuda.syncthreads()
    c[y, x] = total


def plain_product(a, b, c):
    for y in range(c.shape[0]):
        for x in range(c.shape[1]):
            total = np.float32(0)
            for k in range(a.shape[1]):
                total += a[y, k] * b[k, x]
            c[y, x] = total


jit_product = njit(plain_product)


def products(n):
    a, b = np.random.default_rng(0).random((2, n, n), dtype=np.float32)
    c = np.zeros((n, n), np.float32)
    grid, block = (n // TILE, n // TILE), (TILE, TILE)
    for kernel in (product, tiled_product):
        c[:] = 0
        kernel[grid, block](a, b, c)
        assert np.allclose(c, a @ b, rtol=1e-4)
    jit_product(a, b, c)
    few = np.zeros((4, n), np.float32)
    plain = best(lambda: plain_product(a[:4], b, few), 1) * n / 4
    report(f"product {n} x {n}", ("naive", best(lambda: product[grid, block](a, b, c))),
           ("shared memory", best(lambda: tiled_product[grid, block](a, b, c))),
           ("@njit", best(lambda: jit_product(a, b, c))), ("NumPy", best(lambda: a @ b)),
           ("plain Python, from 4 rows,", plain))


# -- Mandelbrot's set -----------------------------------------------------------------------------

@cuda.jit(device=True)
def escape(c, limit):
    z = 0j
    for k in range(limit):
        z = z * z + c
        if z.real * z.real + z.imag * z.imag >= 4:
            return k
    return 255


@cuda.jit
def mandelbrot(picture, limit):
    x, y = cuda.grid(2)
    if x < picture.shape[1] and y < picture.shape[0]:
        c = complex(-2 + 3 * x / picture.shape[1], -1 + 2 * y / picture.shape[0])
        picture[y, x] = escape(c, limit)


def mandelbrot_set(width, height):
    picture = np.zeros((height, width), np.uint8)
    grid = (-(-width // 32), -(-height // 8))
    mandelbrot[grid, (32, 8)](picture, 80)
    assert picture[height // 2, width // 2] == 255 and picture[0, 0] < 3

    def plain_row():
        for x in range(width):
            escape.py_func(complex(-2 + 3 * x / width, 0.2), 80)

    report(f"Mandelbrot {width} x {height}",
           ("kernel", best(lambda: mandelbrot[grid, (32, 8)](picture, 80))),
           ("plain Python, from a row,", best(plain_row, 1) * height))


# -- a reduction with shuffles --------------------------------------------------------------------

@cuda.jit
def total(x, out):
    s = cuda.shared.array(32, float32)
    t = cuda.threadIdx.x
    v = float32(0)
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        v += x[i]
    for k in range(5):
        v += cuda.shfl_down_sync(0xFFFFFFFF, v, 16 >> k)
    if cuda.laneid == 0:
        s[t // 32] = v
    cuda.syncthreads()
    if t < 32:
        v = s[t] if t < cuda.blockDim.x // 32 else float32(0)
        for k in range(5):
            v += cuda.shfl_down_sync(0xFFFFFFFF, v, 16 >> k)
        if t == 0:
            cuda.atomic.add(out, 0, v)


def reduction(n):
    x, out = np.random.default_rng(1).random(n, dtype=np.float32), np.zeros(1, np.float32)
    total[32, 256](x, out)
    assert np.isclose(out[0], x.sum(), rtol=1e-4)
    report("sum by shuffles", ("kernel", best(lambda: total[32, 256](x, out))),
           ("NumPy", best(x.sum)))


# -- copies beside kernels ------------------------------------------------------------------------

@cuda.jit
def work(x):
    i = cuda.grid(1)
    if i < x.size:
        v = x[i]
        for _ in range(50):
            v = math.sqrt(v + 1)
        x[i] = v


def overlap(n):
    parts = [cuda.pinned_array(n) for _ in range(4)]
    for part in parts:
        part[:] = np.arange(n)
    streams = [cuda.stream(), cuda.stream()]

    def run():
        devices = []
        for k, part in enumerate(parts):
            stream = streams[k % 2]
            device = cuda.to_device(part, stream=stream)
            work[-(-n // 256), 256, stream](device)
            devices.append((device, stream))
        results = [device.copy_to_host(stream=stream) for device, stream in devices]
        cuda.synchronize()
        return results

    results = run()
    assert all((r == results[0]).all() for r in results) and abs(results[0][0] - 1.618) < 1e-3
    report("two streams", ("4 copies, kernels, copies", best(run)))


# -- a histogram ----------------------------------------------------------------------------------

@cuda.jit
def histogram(x, bins):
    s = cuda.shared.array(256, np.int32)
    t = cuda.threadIdx.x
    s[t] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        cuda.atomic.add(s, x[i], 1)
    cuda.syncthreads()
    cuda.atomic.add(bins, t, s[t])


def histograms(n):
    x = np.random.default_rng(2).integers(0, 256, n).astype(np.uint8)
    bins = np.zeros(256, np.int32)
    histogram[16, 256](x, bins)
    assert (bins == np.bincount(x, minlength=256)).all()
    report("histogram", ("kernel", best(lambda: histogram[16, 256](x, bins))),
           ("np.bincount", best(lambda: np.bincount(x, minlength=256))))


if __name__ == "__main__":
    n = 10_000 if SMALL else 4_000_000
    vector_add(n)
    ufunc(n)
    products(64 if SMALL else 512)
    mandelbrot_set(*((96, 64) if SMALL else (1536, 1024)))
    reduction(n)
    overlap(n // 10)
    histograms(n)
