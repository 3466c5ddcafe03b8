"""A short tour: the same functions in plain Python and compiled, side by side, and a picture.

Run with `make demo`. Writes mandelbrot.png beside this file.
"""

import math
import pathlib
import random
import struct
import sys
import time
import types
import zlib

import numpy as np

from whipsnake import njit

# --- the functions: ordinary Python, decorated ---------------------------------------------------


@njit
def escape_time(c, limit):
    z = 0j
    for n in range(limit):
        z = z * z + c
        if z.real * z.real + z.imag * z.imag > 4.0:
            return n
    return limit


@njit
def mandelbrot(height, width, limit):
    image = np.zeros((height, width), dtype=np.uint8)
    for y in range(height):
        for x in range(width):
            c = complex(-2.2 + 3.2 * x / width, -1.2 + 2.4 * y / height)
            n = escape_time(c, limit)
            image[y, x] = int(255 * math.sqrt(n / limit))
    return image


@njit
def matrix_product(a, b):
    n, m, p = a.shape[0], a.shape[1], b.shape[1]
    out = np.zeros((n, p))
    for i in range(n):
        for k in range(m):
            for j in range(p):
                out[i, j] += a[i, k] * b[k, j]
    return out


@njit
def estimate_pi(samples):
    inside = 0
    for _ in range(samples):
        x = random.random()
        y = random.random()
        if x * x + y * y < 1.0:
            inside += 1
    return 4.0 * inside / samples


@njit
def call_price(spot, strike, years):
    """Black and Scholes: the price of a European call, for arrays of prices."""
    out = np.empty(spot.shape[0])
    rate, volatility = 0.02, 0.3
    for i in range(spot.shape[0]):
        root = volatility * math.sqrt(years[i])
        d1 = (math.log(spot[i] / strike[i]) + (rate + 0.5 * volatility**2) * years[i]) / root
        d2 = d1 - root
        up = 0.5 * (1.0 + math.erf(d1 / math.sqrt(2.0)))
        down = 0.5 * (1.0 + math.erf(d2 / math.sqrt(2.0)))
        out[i] = spot[i] * up - strike[i] * math.exp(-rate * years[i]) * down
    return out


@njit
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


# --- running them --------------------------------------------------------------------------------


def undecorated():
    """The functions above by name as plain Python, which call each other as plain Python too.

    `f.py_func` alone would not do: the names in it still mean the compiled functions.
    """
    names = dict(globals())
    for name, value in globals().items():
        if hasattr(value, "py_func"):
            names[name] = types.FunctionType(value.py_func.__code__, names, name)
    return names


def seconds(f, args, repeat=1):
    best = math.inf
    for _ in range(repeat):
        start = time.perf_counter()
        f(*args)
        best = min(best, time.perf_counter() - start)
    return best


def text(s):
    for unit, scale in (("s", 1.0), ("ms", 1e3)):
        if s * scale >= 1:
            return f"{s * scale:8.2f} {unit:2}"
    return f"{s * 1e6:8.2f} us"


def write_png(path, gray):
    """A grayscale PNG, with what the standard library has."""
    height, width = gray.shape
    rows = b"".join(b"\0" + gray[y].tobytes() for y in range(height))

    def chunk(kind, data):
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    data = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + data)


def main():
    rng = np.random.default_rng(1)
    n = 60
    a, b = rng.random((n, n)), rng.random((n, n))
    spot, strike, years = rng.uniform(50, 150, (3, 20_000))
    years /= 100
    tour = [
        ("Mandelbrot, 160 x 120", mandelbrot, (120, 160, 100)),
        ("matrix product, 60 x 60", matrix_product, (a, b)),
        ("pi by 200 000 random points", estimate_pi, (200_000,)),
        ("20 000 option prices", call_price, (spot, strike, years)),
        ("fib(22), recursive", fib, (22,)),
    ]
    print(f"{'':28} {'Python':>11} {'first call':>11} {'compiled':>11} {'faster':>8}")
    plain = undecorated()
    for name, f, args in tour:
        first = seconds(f, args)
        fast = seconds(f, args, repeat=20)
        slow = seconds(plain[f.__name__], args)
        print(f"{name:28} {text(slow)} {text(first)} {text(fast)} {slow / fast:7.0f}x")
        sys.stdout.flush()
    path = pathlib.Path(__file__).with_name("mandelbrot.png")
    write_png(path, mandelbrot(900, 1200, 255))
    print(f"\nThe Mandelbrot set, 1200 x 900: {path}")


if __name__ == "__main__":
    main()
