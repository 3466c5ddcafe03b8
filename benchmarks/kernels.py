"""CUDA kernels on the CPU device against the same work in C and as `@njit(parallel=True)`.

Processor time of this process, all threads together, the best of many short runs taken in turn, so
that what else runs on the machine counts little. C: -O3 -march=native, and OpenMP if the compiler
has it; it fuses products and sums as kernels do.

    .venv/bin/python benchmarks/kernels.py [name ...]
"""

import ctypes
import os
import subprocess
import sys
import time

os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # threads that wait cost no processor time

import c_peer
import numpy as np

from whipsnake import cuda, float32, njit, prange

sys.path.insert(0, str(c_peer.HERE.parent / "examples"))
from cuda_kernels import add, histogram, product, total  # what is shown is measured

T = 16
RUNS = 15


# -- the kernels --------------------------------------------------------------

@cuda.jit
def mandelbrot(out, limit):
    x, y = cuda.grid(2)
    if x < out.shape[1] and y < out.shape[0]:
        c = complex(-2 + 3 * x / out.shape[1], -1 + 2 * y / out.shape[0])
        z = 0j
        k = 0
        while k < limit and z.real * z.real + z.imag * z.imag < 4:
            z = z * z + c
            k += 1
        out[y, x] = k


@cuda.jit
def tiled_matmul(A, B, C):
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
def scan(x, out):
    """Sums up to each element of a block: by Hillis and Steele, between two arrays."""
    s = cuda.shared.array((2, 256), float32)
    t = cuda.threadIdx.x
    s[0, t] = x[cuda.grid(1)]
    cuda.syncthreads()
    turn = 0
    step = 1
    while step < 256:
        v = s[turn, t]
        if t >= step:
            v += s[turn, t - step]
        s[1 - turn, t] = v
        cuda.syncthreads()
        turn = 1 - turn
        step *= 2
    out[cuda.grid(1)] = s[turn, t]


@cuda.jit
def stencil(a, b):
    x, y = cuda.grid(2)
    if 0 < x < a.shape[1] - 1 and 0 < y < a.shape[0] - 1:
        b[y, x] = float32(0.25) * (a[y - 1, x] + a[y + 1, x] + a[y, x - 1] + a[y, x + 1])


@njit(fastmath={"contract"})
def pull(p, i):
    """How all bodies pull at the i-th: for the kernel and for the loop."""
    ax, ay, az = float32(0), float32(0), float32(0)
    for j in range(p.shape[0]):
        dx, dy, dz = p[j, 0] - p[i, 0], p[j, 1] - p[i, 1], p[j, 2] - p[i, 2]
        d = dx * dx + dy * dy + dz * dz + float32(1e-3)
        w = float32(1) / (d * np.sqrt(d))
        ax += w * dx
        ay += w * dy
        az += w * dz
    return ax, ay, az


@cuda.jit
def nbody(p, acc):
    i = cuda.grid(1)
    if i < p.shape[0]:
        acc[i, 0], acc[i, 1], acc[i, 2] = pull(p, i)


@cuda.jit
def transpose(a, b):
    s = cuda.shared.array((32, 33), float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    x, y = cuda.blockIdx.x * 32 + tx, cuda.blockIdx.y * 32 + ty
    for j in range(0, 32, 8):
        s[ty + j, tx] = a[y + j, x]
    cuda.syncthreads()
    x, y = cuda.blockIdx.y * 32 + tx, cuda.blockIdx.x * 32 + ty
    for j in range(0, 32, 8):
        b[y + j, x] = s[tx, ty + j]


# -- as loops --------------------------------------------------------------

@njit(parallel=True)
def add_loop(a, b, c):
    for i in prange(c.size):
        c[i] = a[i] + b[i]


@njit(parallel=True, fastmath={"contract"})
def mandelbrot_loop(out, limit):
    for y in prange(out.shape[0]):
        for x in range(out.shape[1]):
            c = complex(-2 + 3 * x / out.shape[1], -1 + 2 * y / out.shape[0])
            z = 0j
            k = 0
            while k < limit and z.real * z.real + z.imag * z.imag < 4:
                z = z * z + c
                k += 1
            out[y, x] = k


@njit(parallel=True, fastmath={"contract"})
def matmul_loop(a, b, c):
    for y in prange(c.shape[0]):
        for x in range(c.shape[1]):
            c[y, x] = 0
        for k in range(a.shape[1]):
            for x in range(c.shape[1]):
                c[y, x] += a[y, k] * b[k, x]


@njit(parallel=True)
def scan_loop(x, out):
    for row in prange(x.size // 256):
        total = float32(0)
        for i in range(row * 256, row * 256 + 256):
            total += x[i]
            out[i] = total


@njit(parallel=True, fastmath={"contract"})
def stencil_loop(a, b):
    for y in prange(1, a.shape[0] - 1):
        for x in range(1, a.shape[1] - 1):
            b[y, x] = float32(0.25) * (a[y - 1, x] + a[y + 1, x] + a[y, x - 1] + a[y, x + 1])


@njit(parallel=True, fastmath={"contract"})
def nbody_loop(p, acc):
    for i in prange(p.shape[0]):
        acc[i, 0], acc[i, 1], acc[i, 2] = pull(p, i)


@njit(parallel=True)
def transpose_loop(a, b):
    for y in prange(b.shape[0]):
        for x in range(b.shape[1]):
            b[y, x] = a[x, y]


# -- measuring --------------------------------------------------------------

def load_c():
    """The C functions as a ctypes library."""
    source, library = c_peer.HERE / "c" / "kernels.c", c_peer.BUILD / "kernels.so"
    c_peer.BUILD.mkdir(exist_ok=True)
    flags = ["-std=c17", "-O3", "-march=native", "-ffp-contract=fast", "-fno-math-errno", "-fPIC",
             "-shared", str(source), "-o", str(library)]
    for command in ([c_peer.compiler(), "-fopenmp"], [c_peer.compiler()], ["cc", "-fopenmp"]):
        if command[0] and subprocess.run([*command, *flags], capture_output=True).returncode == 0:
            return ctypes.CDLL(str(library)), " ".join(command)
    raise SystemExit("kernels.c does not compile")


def in_turn(functions):
    """Best processor seconds of one call of each (None: of what is not there); run alternately."""
    best = [float("inf")] * len(functions)
    for f in functions:
        if f:
            f()
    for _ in range(RUNS):
        for k, f in enumerate(functions):
            if f:
                start = time.process_time()
                f()
                best[k] = min(best[k], time.process_time() - start)
    return best


def c_call(function, *args):
    """A call of a C function on arrays and integers."""
    given = [ctypes.c_void_p(a.ctypes.data) if isinstance(a, np.ndarray) else ctypes.c_int64(a)
             for a in args]
    return lambda: function(*given)


def programs(lib):
    """name -> (kernel, C, loop or None, array that all fill, whether it is compared exactly)."""
    rng = np.random.default_rng(1)
    n, m, side = 1 << 22, 512, 2048
    a, b = rng.random((2, n), dtype=np.float32)
    c = np.zeros(n, np.float32)
    yield "vector add", (lambda: add[n // 256, 256](a, b, c), c_call(lib.add, a, b, c, n),
                         lambda: add_loop(a, b, c), c)
    picture = np.zeros((512, 768), np.uint8)
    yield "Mandelbrot", (lambda: mandelbrot[(48, 32), (16, 16)](picture, 100),
                         c_call(lib.mandelbrot, picture, 768, 512, 100),
                         lambda: mandelbrot_loop(picture, 100), picture)
    x, y = rng.random((2, m, m), dtype=np.float32)
    z = np.zeros((m, m), np.float32)
    tiles = (m // T, m // T)
    yield "matrix product, naive", (lambda: product[tiles, (T, T)](x, y, z),
                                    c_call(lib.naive_matmul, x, y, z, m),
                                    lambda: matmul_loop(x, y, z), z)
    yield "matrix product, tiled", (lambda: tiled_matmul[tiles, (T, T)](x, y, z),
                                    c_call(lib.tiled_matmul, x, y, z, m),
                                    lambda: matmul_loop(x, y, z), z)
    bytes_, bins = rng.integers(0, 256, n).astype(np.uint8), np.zeros(256, np.int32)
    yield "histogram", (lambda: histogram[64, 256](bytes_, bins),
                        c_call(lib.histogram, bytes_, bins, n), None, None)
    out = np.zeros(1, np.float32)
    yield "sum by shuffles", (lambda: total[64, 256](a, out), c_call(lib.sum, a, out, n),
                              None, None)
    yield "scan of blocks", (lambda: scan[n // 256, 256](a, c), c_call(lib.scan, a, c, n, 256),
                             lambda: scan_loop(a, c), c)
    p, q = rng.random((2, side, side), dtype=np.float32)
    yield "stencil", (lambda: stencil[(side // 32, side // 8), (32, 8)](p, q),
                      c_call(lib.stencil, p, q, side), lambda: stencil_loop(p, q), q)
    bodies, forces = rng.random((2048, 3), dtype=np.float32), np.zeros((2048, 3), np.float32)
    yield "n-body", (lambda: nbody[16, 128](bodies, forces),
                     c_call(lib.nbody, bodies, forces, 2048), lambda: nbody_loop(bodies, forces),
                     forces)
    yield "transpose", (lambda: transpose[(side // 32, side // 32), (32, 8)](p, q),
                        c_call(lib.transpose, p, q, side), lambda: transpose_loop(p, q), q)


def check(functions, result):
    """All of them fill the array with the same."""
    found = []
    for f in functions:
        if f and result is not None:
            f()
            found.append(result.astype(float))
    for other in found[1:]:
        close = np.isclose(found[0], other, rtol=1e-3, atol=1e-3)
        assert close.mean() > 0.99, "the results differ"


def launch_times():
    """Microseconds of an empty kernel to its completion: queued, and on an array of NumPy."""
    @cuda.jit
    def empty(x):
        pass

    device, host, launch = cuda.to_device(np.zeros(4)), np.zeros(4), empty[1, 32]
    stream = cuda.default_stream()

    def queued():
        launch(device)
        stream.synchronize()

    out = []
    for f in (queued, lambda: launch(host)):
        times = []
        for _ in range(20):
            start = time.perf_counter()
            for _ in range(500):
                f()
            times.append((time.perf_counter() - start) / 500)
        out.append(min(times) * 1e6)
    return out


def compile_times():
    """Milliseconds of a compile with everything open: a new size of block each time."""
    out = []
    for k in range(1, 8):
        times = []
        for kernel, block, types in [
            (add, (32 + k, 1, 1), ["float32[::1]"] * 3),
            (tiled_matmul, (16, k, 1), ["float32[:, ::1]"] * 3),
        ]:
            kernel = cuda.jit(cache=False)(kernel.py_func)
            start = time.process_time()
            kernel._for_block(block)._compile(types)
            times.append(1e3 * (time.process_time() - start))
        out.append(times)
    return [min(column) for column in zip(*out)]


def main():
    lib, compiler = load_c()
    wanted = sys.argv[1:]
    print(f"processor milliseconds; C: {compiler}")
    print(f"{'':24} {'kernel':>9} {'C':>9} {'ratio':>6} {'@njit':>9} {'ratio':>6}")
    for name, (kernel, c, loop, result) in programs(lib):
        if wanted and not any(w in name for w in wanted):
            continue
        check((kernel, c, loop), result)
        ours, theirs, loops = in_turn((kernel, c, loop))
        both = f"{loops * 1e3:9.2f} {ours / loops:6.2f}" if loop else ""
        print(f"{name:24} {ours * 1e3:9.2f} {theirs * 1e3:9.2f} {ours / theirs:6.2f} {both}")
    print("empty kernel: queued and waited for {:.1f} us, on an array of NumPy {:.1f} us"
          .format(*launch_times()))
    print("compile, all open: add {:.1f} ms, tiled product {:.1f} ms".format(*compile_times()))


if __name__ == "__main__":
    main()
