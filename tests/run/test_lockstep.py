"""Loops whose iterations go in lockstep through a loop inside them: bit for bit what plain Python
gives, with sizes around those of vectors and strips, whatever else lies in the same memory; and
which loops they are, by the remark."""

import numpy as np
import pytest

from support import check, needs_compiler, njit

pytestmark = needs_compiler


def product(a, b, c):
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[k, j]


def product_of_sums(a, b, c):
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            total = c[i, j]
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            c[i, j] = total


def filtered(x, w, y):
    for i in range(len(y)):
        total = 0.0
        for k in range(len(w)):
            total += w[k] * x[i + k]
        y[i] = total


def of_columns(a, out):
    for j in range(a.shape[1]):
        total = a[0, j]
        for i in range(1, a.shape[0]):
            total = total * 0.5 + a[i, j]
        out[j] = total


def backwards(a, out):
    for j in range(a.shape[1]):
        total, last = 0.0, 1.0
        for i in range(a.shape[0] - 1, -1, -1):
            total += a[i, j] * last
            last = a[i, j]
        out[j] = total - last


def under_conditions(a, low, out):
    for j in range(a.shape[1]):
        most, n = 0.0, 0
        for i in range(a.shape[0]):
            if a[i, j] > low[j]:
                most += a[i, j]
                n += 1
            elif a[i, j] < -1.0:
                most -= 1.0
        out[j] = most * n


def from_pre(a, scale, out):
    for j in range(2, a.shape[1]):
        by = scale[j]
        out[j] = by
        total = by * by
        for i in range(a.shape[0]):
            total += by / (a[i, j] + j)
        out[j] += total


def with_while(a, out):
    j = 0
    while j < len(out):
        total = 0.0
        i = 0
        while i < a.shape[0]:
            total = max(total, a[i, j])
            i += 2
        out[j] = total
        j += 1


def blurred(image, weights, out):
    for y in range(out.shape[0]):
        for x in range(out.shape[1]):
            total = 0.0
            for dy in range(weights.shape[0]):
                row = 0.0
                for dx in range(weights.shape[1]):
                    row += weights[dy, dx] * image[y + dy, x + dx]
                total += row * image[y + dy, x]
            out[y, x] = total


def changing_places(a, scale, out):
    for j in range(len(out)):
        p, q, n = 1.0, scale[j], 0
        for i in range(a.shape[0]):
            first = a[i, j]
            p, q = q, p
            for k in range(2, a.shape[0]):
                p = p * 0.5 + a[k, j] * first
                n += k
            q += first
            out[j] = p
        out[j] += p - 2.0 * q + n


NESTS = [of_columns, backwards, with_while]
SIZES = [(1, 1), (2, 3), (3, 4), (1, 7), (5, 8), (0, 9), (2, 63), (3, 64), (2, 65), (3, 131),
         (4, 200)]


def remarks(func, *args):
    fast = njit(func)
    fast(*args)
    return str(fast.explain())


LOCKSTEP = "iterations at a time go through the loop inside together"


@pytest.mark.parametrize("rows, columns", SIZES)
@pytest.mark.parametrize("order", "CF")
def test_columns(rows, columns, order):
    a = np.random.default_rng(1).normal(size=(max(rows, 1), columns)).copy(order)
    for nest in NESTS:
        check(nest, a, np.zeros(columns))
    check(under_conditions, a, np.full(columns, 0.1), np.zeros(columns))
    check(from_pre, a, np.linspace(-1.0, 1.0, columns), np.zeros(columns))


@pytest.mark.parametrize("height, width", [(1, 1), (2, 3), (3, 4), (2, 68), (1, 130)])
@pytest.mark.parametrize("size", [(0, 2), (1, 1), (3, 3), (2, 0), (4, 19), (18, 1)])
def test_several_loops_inside(height, width, size):
    rng = np.random.default_rng(7)
    image = rng.normal(size=(height + size[0], width + size[1]))
    check(blurred, image, rng.normal(size=size), np.ones((height, width)))
    a = rng.normal(size=(size[0] + 1, width))
    check(changing_places, a, rng.normal(size=width), np.zeros(width))


@pytest.mark.parametrize("n, k, m", [(3, 4, 5), (2, 0, 70), (1, 17, 66), (4, 33, 64), (2, 3, 7)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int32, np.uint8,
                                   np.complex128])
def test_products(n, k, m, dtype):
    rng = np.random.default_rng(2)
    a, b = rng.integers(0, 3, (n, k)).astype(dtype), rng.integers(0, 3, (k, m)).astype(dtype)
    for func in (product, product_of_sums):
        check(func, a, b, np.ones((n, m), dtype))
        check(func, a, b.copy("F"), np.ones((n, m), dtype, "F"))


@pytest.mark.parametrize("n", [1, 3, 4, 5, 64, 67, 130])
@pytest.mark.parametrize("taps", [0, 1, 2, 17, 18, 40])
def test_filters(n, taps):
    rng = np.random.default_rng(3)
    check(filtered, rng.normal(size=n + taps), rng.normal(size=taps), np.empty(n))


def test_order_of_the_sum_is_kept():
    """1e16 + 1 - 1e16 is 0 in this order, and infinities meet as they are written."""
    a = np.ones((3, 70))
    a[0], a[2] = 1e16, -1e16
    a[:, 5] = np.inf, -np.inf, 1.0
    a[:, 6] = -0.0
    check(of_columns, a, np.zeros(70))
    check(product_of_sums, np.ones((2, 3)), a, np.zeros((2, 70)))


@pytest.mark.parametrize("shift", [-65, -3, -1, 0, 1, 2, 3, 8, 64, 70])
def test_arrays_that_share_memory(shift):
    """The result is read again by later iterations, which must see it."""
    base = np.random.default_rng(4).normal(size=600)

    def run(function):
        memory = base.copy()
        function(memory[200:360], memory[100:120], memory[200 + shift:340 + shift])
        square = base.copy()
        a, c = square[:144].reshape(12, 12), square[72 + shift:216 + shift].reshape(12, 12)
        product_of(function)(a, a, c)
        return memory, square

    def product_of(function):
        return product if function is filtered else njit(product)

    with np.errstate(all="ignore"):
        wanted = run(filtered)
    for want, got in zip(wanted, run(njit(filtered))):
        np.testing.assert_array_equal(got, want)


def test_an_array_in_place():
    a = np.random.default_rng(5).normal(size=(70, 70))
    check(product, a, a, a)
    check(product_of_sums, a[:5], a, a[:5])


def test_which_loops():
    a, v = np.ones((9, 9)), np.ones(9)
    for func, args in [(product, (a, a, a.copy())), (product_of_sums, (a, a, a.copy())),
                       (filtered, (np.ones(20), v, v.copy())), (of_columns, (a, v)),
                       (under_conditions, (a, v, v.copy())),
                       (blurred, (a, a[:3, :3].copy(), a[:6, :6].copy())),
                       (changing_places, (a, v, v.copy()))]:
        assert LOCKSTEP in remarks(func, *args), func.__name__


def rows(a, out):
    for i in range(a.shape[0]):
        total = 0.0
        for k in range(a.shape[1]):
            total += a[i, k]
        out[i] = total


def triangle(a, out):
    for j in range(a.shape[1]):
        total = 0.0
        for i in range(j):
            total += a[i, j]
        out[j] = total


def waiting(a, out):
    for j in range(1, a.shape[1]):
        total = out[j - 1]
        for i in range(a.shape[0]):
            total += a[i, j]
        out[j] = total


def vector_inside(a, out):
    for j in range(len(out)):
        for i in range(a.shape[1]):
            a[j, i] = a[j, i] + out[j]


def test_which_loops_not():
    """Rows far apart, bounds that differ, iterations that need each other, vectors inside."""
    a, v = np.ones((9, 9)), np.ones(9)
    for func in (rows, triangle, waiting, vector_inside):
        assert LOCKSTEP not in remarks(func, a, v), func.__name__
        check(func, np.random.default_rng(6).normal(size=(70, 70)), np.zeros(70))
