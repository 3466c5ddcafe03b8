"""CUDA kernels on the CPU device against the same work in C: saxpy and the tiled matrix product.

Processor time of this process, the best of many short runs taken in turn, so that what else runs on
the machine counts little. C: clang -O3 -march=native, which fuses products and sums as kernels do.

    .venv/bin/python benchmarks/kernels.py
"""

import ctypes
import subprocess
import time

import c_peer
import numpy as np

from whipsnake import cuda, float32

T = 16
N = 512
RUNS = 40


@cuda.jit
def saxpy(a, x, y, n):
    i = cuda.grid(1)
    if i < n:
        y[i] = a * x[i] + y[i]


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


def load_c():
    """The C functions as a ctypes library."""
    source, library = c_peer.HERE / "c" / "kernels.c", c_peer.BUILD / "kernels.so"
    c_peer.BUILD.mkdir(exist_ok=True)
    subprocess.run([c_peer.compiler(), "-std=c17", "-O3", "-march=native", "-fPIC", "-shared",
                    str(source), "-o", str(library)], check=True)
    lib = ctypes.CDLL(str(library))
    p, n = ctypes.c_void_p, ctypes.c_int64
    lib.saxpy.argtypes = [ctypes.c_float, p, p, n]
    lib.tiled_matmul.argtypes = [p, p, p, n]
    return lib


def in_turn(*functions, repeat=1):
    """Best processor seconds of one call of each; run alternately."""
    best = [float("inf")] * len(functions)
    for f in functions:
        f()
    for _ in range(RUNS):
        for k, f in enumerate(functions):
            start = time.process_time()
            for _ in range(repeat):
                f()
            best[k] = min(best[k], (time.process_time() - start) / repeat)
    return best


def measure_saxpy(lib, n):
    x, y = np.random.default_rng(1).random((2, n), dtype=np.float32)
    launch, a = saxpy[-(-n // 256), 256], np.float32(1e-6)
    px, py = x.ctypes.data, y.ctypes.data
    return in_turn(lambda: launch(a, x, y, n), lambda: lib.saxpy(a, px, py, n),
                   repeat=max(1, 1_000_000 // n))


def measure_matmul(lib, n):
    a, b = np.random.default_rng(2).random((2, n, n), dtype=np.float32)
    c, d = np.empty_like(a), np.empty_like(a)
    launch = tiled_matmul[(n // T, n // T), (T, T)]
    ours, c_time = in_turn(lambda: launch(a, b, c),
                           lambda: lib.tiled_matmul(a.ctypes.data, b.ctypes.data, d.ctypes.data, n))
    np.testing.assert_allclose(c, d, rtol=1e-5)
    np.testing.assert_allclose(c, a @ b, rtol=1e-4)
    return ours, c_time


def compile_times():
    """Processor milliseconds of a compile with everything open: a new size of block each time."""
    out = []
    for k in range(1, 8):
        times = []
        for kernel, block, types in [
            (saxpy, (32 + k, 1, 1), ["float32", "float32[::1]", "float32[::1]", "int64"]),
            (tiled_matmul, (16, k, 1), ["float32[:, ::1]"] * 3),
        ]:
            start = time.process_time()
            kernel._for_block(block)._compile(types)
            times.append(1e3 * (time.process_time() - start))
        out.append(times)
    return [min(column) for column in zip(*out)]


def main():
    lib = load_c()
    rows = [(f"saxpy, {n} floats", measure_saxpy(lib, n)) for n in (10_000, 10_000_000)]
    rows.append((f"tiled matrix product, {N} x {N}", measure_matmul(lib, N)))
    print(f"{'':32} {'kernel us':>10} {'C us':>10} {'ratio':>6}")
    for name, (ours, c) in rows:
        print(f"{name:32} {ours * 1e6:10.1f} {c * 1e6:10.1f} {ours / c:6.2f}")
    small, tiled = compile_times()
    print(f"compile, all open: saxpy {small:.1f} ms, tiled product {tiled:.1f} ms")


if __name__ == "__main__":
    main()
