"""Programs that people really write, plain against compiled, to the last bit."""

import math

import numpy as np
import pytest

from support import check, compiled, njit, on

RANDOM = np.random.RandomState(11)


@njit
def escape_time(c, limit):
    z = 0j
    for i in range(limit):
        z = z * z + c
        if z.real * z.real + z.imag * z.imag > 4.0:
            return i
    return limit


@on((np.zeros((12, 16), np.int64), 50))
def test_mandelbrot(image, limit):
    rows, columns = image.shape
    for j in range(rows):
        for i in range(columns):
            c = complex(-2.0 + 3.0 * i / columns, -1.0 + 2.0 * j / rows)
            image[j, i] = escape_time(c, limit)
    return image


@on((RANDOM.rand(7, 5), RANDOM.rand(5, 6)), (np.ones((0, 5)), np.ones((5, 2))),
    (RANDOM.rand(4, 4).T, np.asfortranarray(RANDOM.rand(4, 4))))
def test_matrix_product(a, b):
    n, m = a.shape
    c = np.zeros((n, b.shape[1]))
    for i in range(n):
        for k in range(m):
            for j in range(b.shape[1]):
                c[i, j] += a[i, k] * b[k, j]
    return c


@on((RANDOM.rand(5, 3), RANDOM.rand(5, 3) * 0.1, RANDOM.rand(5) + 0.5, 0.01, 20))
def test_n_body(position, velocity, mass, dt, steps):
    n = len(mass)
    for _ in range(steps):
        for i in range(n):
            for j in range(n):
                if i == j:
                    continue
                dx = position[j, 0] - position[i, 0]
                dy = position[j, 1] - position[i, 1]
                dz = position[j, 2] - position[i, 2]
                d2 = dx * dx + dy * dy + dz * dz + 1e-9
                f = mass[j] / (d2 * math.sqrt(d2))
                velocity[i, 0] += dt * f * dx
                velocity[i, 1] += dt * f * dy
                velocity[i, 2] += dt * f * dz
        for i in range(n):
            for k in range(3):
                position[i, k] += dt * velocity[i, k]
    return position


@on((RANDOM.rand(16, 16) < 0.4, 5))
def test_game_of_life(board, steps):
    n, m = board.shape
    for _ in range(steps):
        after = np.zeros_like(board)
        for i in range(n):
            for j in range(m):
                neighbours = 0
                for di in range(-1, 2):
                    for dj in range(-1, 2):
                        if (di != 0 or dj != 0) and board[(i + di) % n, (j + dj) % m]:
                            neighbours += 1
                after[i, j] = neighbours == 3 or (board[i, j] and neighbours == 2)
        board = after
    return board


@on(2, 10, 200)
def test_sieve(n):
    prime = np.ones(n + 1, np.bool_)
    prime[:2] = False
    p = 2
    while p * p <= n:
        if prime[p]:
            prime[p * p::p] = False
        p += 1
    count = 0
    for i in range(n + 1):
        if prime[i]:
            count += 1
    return count, prime


@on(RANDOM.randint(0, 100, 60), np.zeros(0, np.int64), np.array([3.0, -1.0, 2.5]))
def test_insertion_sort(a):
    for i in range(1, len(a)):
        x = a[i]
        j = i - 1
        while j >= 0 and a[j] > x:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = x


@on(RANDOM.randint(0, 1000, 100))
def test_heap_sort(a):
    def sift(a, root, end):
        while 2 * root + 1 < end:
            child = 2 * root + 1
            if child + 1 < end and a[child] < a[child + 1]:
                child += 1
            if a[root] >= a[child]:
                return
            a[root], a[child] = a[child], a[root]
            root = child

    n = len(a)
    for start in range(n // 2 - 1, -1, -1):
        sift(a, start, n)
    for end in range(n - 1, 0, -1):
        a[0], a[end] = a[end], a[0]
        sift(a, 0, end)


@on(RANDOM.rand(100), np.arange(10), np.zeros(0))
def test_prefix_sums(a):
    out = np.empty_like(a)
    total = 0.0
    for i, x in enumerate(a):
        total += x
        out[i] = total
    return out


@on((RANDOM.rand(12, 10), RANDOM.rand(3, 3)))
def test_convolution(image, kernel):
    n, m = image.shape
    k, q = kernel.shape
    out = np.zeros((n - k + 1, m - q + 1))
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            total = 0.0
            for di in range(k):
                for dj in range(q):
                    total += image[i + di, j + dj] * kernel[di, dj]
            out[i, j] = total
    return out


@on(np.frombuffer(b"The quick (brown) fox-12 jumps, over 7 lazy dogs!", np.uint8),
    np.frombuffer(b"", np.uint8))
def test_tokenizer(text):
    words = numbers = others = 0
    i = 0
    while i < len(text):
        c = text[i]
        if 65 <= c <= 90 or 97 <= c <= 122:
            while i < len(text) and (65 <= text[i] <= 90 or 97 <= text[i] <= 122):
                i += 1
            words += 1
        elif 48 <= c <= 57:
            while i < len(text) and 48 <= text[i] <= 57:
                i += 1
            numbers += 1
        else:
            if c != 32:
                others += 1
            i += 1
    return words, numbers, others


@on((np.eye(6) * 4 - np.eye(6, k=1) - np.eye(6, k=-1), np.arange(6.0), 20))
def test_conjugate_gradient(a, b, limit):
    n = len(b)
    x = np.zeros(n)
    r = b.copy()
    p = r.copy()
    ap = np.zeros(n)
    rs = 0.0
    for i in range(n):
        rs += r[i] * r[i]
    for step in range(limit):
        pap = 0.0
        for i in range(n):
            s = 0.0
            for j in range(n):
                s += a[i, j] * p[j]
            ap[i] = s
            pap += p[i] * s
        alpha = rs / pap
        new = 0.0
        for i in range(n):
            x[i] += alpha * p[i]
            r[i] -= alpha * ap[i]
            new += r[i] * r[i]
        if math.sqrt(new) < 1e-10:
            return x, step
        for i in range(n):
            p[i] = r[i] + new / rs * p[i]
        rs = new
    return x, limit


@on((RANDOM.rand(500), 10), (np.array([0.0, 1.0, 0.999999, 0.5]), 4))
def test_histogram(data, bins):
    counts = np.zeros(bins, np.int64)
    low, high = data.min(), data.max()
    width = (high - low) / bins
    for x in data:
        k = int((x - low) / width)
        if k == bins:
            k -= 1
        counts[k] += 1
    return counts


@on((RANDOM.rand(50) - 0.5, 0.1))
def test_boolean_filter(a, threshold):
    keep = np.empty(len(a), np.bool_)
    for i in range(len(a)):
        keep[i] = abs(a[i]) > threshold
    kept = a[keep]
    a[keep] = 0.0
    return kept, a


@on((b"kitten", b"sitting"), (b"", b"abc"), (b"same", b"same"))
def test_edit_distance(s, t):
    row = np.arange(len(t) + 1)
    for i in range(1, len(s) + 1):
        previous = row[0]
        row[0] = i
        for j in range(1, len(t) + 1):
            current = row[j]
            change = previous if s[i - 1] == t[j - 1] else previous + 1
            row[j] = min(change, current + 1, row[j - 1] + 1)
            previous = current
    return row[len(t)]


@on((10, np.array([5, 4, 6, 3]), np.array([10, 40, 30, 50])))
def test_knapsack(capacity, weight, value):
    best = np.zeros(capacity + 1, np.int64)
    for i in range(len(weight)):
        for c in range(capacity, weight[i] - 1, -1):
            best[c] = max(best[c], best[c - weight[i]] + value[i])
    return best


@on((np.array([[0.0, 3.0, 8.0, np.inf], [np.inf, 0.0, np.inf, 1.0],
               [np.inf, 4.0, 0.0, np.inf], [2.0, np.inf, -5.0, 0.0]])))
def test_shortest_paths(d):
    n = len(d)
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if d[i, k] + d[k, j] < d[i, j]:
                    d[i, j] = d[i, k] + d[k, j]


@on((0.0, 2.0, 1e-12))
def test_bisection(low, high, tolerance):
    steps = 0
    while high - low > tolerance:
        middle = 0.5 * (low + high)
        if middle * middle < 2.0:
            low = middle
        else:
            high = middle
        steps += 1
    return low, high, steps


@on(1.0, 10.0, 1e-6)
def test_newton_with_for_else(x):
    guess = x
    for _ in range(100):
        better = 0.5 * (guess + x / guess)
        if abs(better - guess) <= 1e-15 * better:
            break
        guess = better
    else:
        raise ArithmeticError("no convergence")
    return better


@on(0.3, 2)
def test_polynomial(x):
    coefficients = (1.0, -2.0, 0.5, 3.0)
    result = 0.0
    for c in coefficients:
        result = result * x + c
    return result


@on(8, 6, 1)
def test_queens(n):
    def place(row, columns, left, right, n):
        if row == n:
            return 1
        total = 0
        for c in range(n):
            bit = 1 << c
            if columns & bit or left & (1 << (row + c)) or right & (1 << (row - c + n)):
                continue
            total += place(row + 1, columns | bit, left | (1 << (row + c)),
                           right | (1 << (row - c + n)), n)
        return total

    return place(0, 0, 0, 0, n)


@on((4, 1, 3, 2), (1, 0, 2, 1))
def test_hanoi(n, source, target, spare):
    def move(n, source, target, spare):
        if n == 0:
            return 0
        return move(n - 1, source, spare, target) + 1 + move(n - 1, spare, target, source)

    return move(n, source, target, spare)


@on(np.frombuffer(b"123456789", np.uint8))
def test_crc32(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ 0xEDB88320 if crc & 1 else crc >> 1
    return crc ^ 0xFFFFFFFF


@on((np.array([1.0, -2.0, 3.0, -4.0, 2.5, 2.0, -1.0]),), (np.array([-1.0, -2.0]),))
def test_largest_subarray(a):
    best = a[0]
    here = 0.0
    start = stop = left = 0
    for i, x in enumerate(a):
        if here <= 0:
            here, left = x, i
        else:
            here += x
        if here >= best:
            best, start, stop = here, left, i + 1
    return best, a[start:stop]


@on((20, 0.25), (7, 0.1))
def test_heat_equation(n, r):
    u = np.zeros(n)
    u[n // 2] = 1.0
    v = u.copy()
    for _ in range(30):
        for i in range(1, n - 1):
            v[i] = u[i] + r * (u[i - 1] - 2 * u[i] + u[i + 1])
        u, v = v, u
    return u


@on((np.array([[2.0, 1.0, -1.0], [-3.0, -1.0, 2.0], [-2.0, 1.0, 2.0]]),
     np.array([8.0, -11.0, -3.0])),
    (np.zeros((2, 2)), np.ones(2)))
def test_gauss_elimination(a, b):
    n = len(b)
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(a[i, k]) > abs(a[pivot, k]):
                pivot = i
        if a[pivot, k] == 0:
            raise ZeroDivisionError("singular matrix, column", k)
        if pivot != k:
            for j in range(n):
                a[k, j], a[pivot, j] = a[pivot, j], a[k, j]
            b[k], b[pivot] = b[pivot], b[k]
        for i in range(k + 1, n):
            factor = a[i, k] / a[k, k]
            for j in range(k, n):
                a[i, j] -= factor * a[k, j]
            b[i] -= factor * b[k]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            b[i] -= a[i, j] * b[j]
        b[i] /= a[i, i]
    return b


@on((RANDOM.rand(40, 2), 3, 5))
def test_k_means(points, k, steps):
    centres = points[:k].copy()
    label = np.zeros(len(points), np.int64)
    for _ in range(steps):
        for i in range(len(points)):
            nearest = np.inf
            for c in range(k):
                d = 0.0
                for axis in range(points.shape[1]):
                    d += (points[i, axis] - centres[c, axis]) ** 2
                if d < nearest:
                    nearest, label[i] = d, c
        for c in range(k):
            count = 0
            centres[c] = 0.0
            for i in range(len(points)):
                if label[i] == c:
                    count += 1
                    for axis in range(points.shape[1]):
                        centres[c, axis] += points[i, axis]
            if count:
                for axis in range(points.shape[1]):
                    centres[c, axis] /= count
    return centres, label


@on((np.exp(2j * np.pi * np.arange(8) / 8), -1.0), (np.arange(4) + 0j, 1.0), ulp=16)
def test_fast_fourier_transform(a, sign):
    n = len(a)
    j = 0
    for i in range(1, n):
        bit = n >> 1
        while j & bit:
            j ^= bit
            bit >>= 1
        j |= bit
        if i < j:
            a[i], a[j] = a[j], a[i]
    size = 2
    while size <= n:
        step = complex(math.cos(2 * math.pi / size), sign * math.sin(2 * math.pi / size))
        for start in range(0, n, size):
            w = 1 + 0j
            for k in range(start, start + size // 2):
                u, v = a[k], a[k + size // 2] * w
                a[k] = u + v
                a[k + size // 2] = u - v
                w *= step
        size *= 2


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
def test_saxpy_in_several_types(dtype):
    def saxpy(a, x, y):
        for i in range(len(x)):
            y[i] = a * x[i] + y[i]

    x = np.arange(33).astype(dtype)
    check(saxpy, dtype(3), x, (x * 2).astype(dtype))


def test_running_median_through_views():
    def running(a, k):
        out = np.empty(len(a) - k + 1)
        for i in range(len(out)):
            window = a[i:i + k].copy()
            for p in range(1, k):
                x = window[p]
                q = p - 1
                while q >= 0 and window[q] > x:
                    window[q + 1] = window[q]
                    q -= 1
                window[q + 1] = x
            out[i] = window[k // 2]
        return out

    check(running, RANDOM.rand(30), 5)
    check(running, RANDOM.rand(30)[::-2], 3)


def test_a_large_sum_keeps_going():
    def total(n):
        s = 0
        for i in range(n):
            s += i
        return s

    assert compiled(total)(100_000) == 100_000 * 99_999 // 2
