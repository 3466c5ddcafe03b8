"""Loops: every iterable, every way out."""

import numpy as np
import pytest

from support import check, check_raises, on


@on(0, 1, 10, -3)
def test_range_of_one(n):
    total = 0
    for i in range(n):
        total = total * 3 + i
    return total


@on((0, 10), (5, 5), (7, 2), (-4, 4))
def test_range_of_two(a, b):
    total = 0
    for i in range(a, b):
        total = total * 2 + i
    return total


@on((0, 10, 1), (0, 10, 3), (10, 0, -1), (10, 0, -4), (0, 10, -1), (10, 0, 2), (5, -6, -5),
    (0, 1, 100), (-3, 4, 7), (2**62, 2**63 - 1, 2**61), (-2**63, 2**62, 2**62), (0, 10, 0))
def test_range_of_three(a, b, step):
    total = 0
    count = 0
    for i in range(a, b, step):
        total = total ^ i
        count += 1
    return total, count


@on((10, 3), (0, 3), (7, 0))
def test_a_range_is_a_value(n, k):
    r = range(1, n, 2)
    s = 0
    for i in r:
        s += i * k
    return len(r), s, r.start, r.stop, r.step


@on(5, 0)
def test_the_loop_variable_keeps_its_last_value(n):
    i = -1
    for i in range(n):
        i += 100
    return i


@on(10)
def test_changing_the_limit_inside_does_not_matter(n):
    count = 0
    for i in range(n):
        n = 3
        count += 1
    return count, n


@on(27, 1, 97)
def test_collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


@on((48, 36), (17, 5), (0, 9))
def test_gcd(a, b):
    while b:
        a, b = b, a % b
    return a


@on((100, 7), (100, 200))
def test_break_and_else(n, k):
    for i in range(1, n):
        if i * i % k == 4 and i > 5:
            found = i
            break
    else:
        found = -1
    return found


@on(20, 2, 3)
def test_primes_with_for_else(n):
    total = 0
    for p in range(2, n):
        for d in range(2, p):
            if d * d > p:
                total += p
                break
            if p % d == 0:
                break
        else:
            total += p * 1000
    return total


@on(10)
def test_continue(n):
    total = 0
    for i in range(n):
        if i % 3 == 0:
            continue
        total += i
    return total


@on(10, 0)
def test_while_else(n):
    i = 0
    while i < n:
        i += 3
        if i == 9:
            break
    else:
        i = -i
    return i


@on(10)
def test_while_true_with_several_ways_out(n):
    i = 0
    while True:
        i += 1
        if i % 2 == 0:
            continue
        if i > n:
            break
        if i == 1000:
            return -1
    return i


@on((6, 5), (0, 5), (5, 0))
def test_nested_loops_with_break(n, m):
    total = 0
    for i in range(n):
        for j in range(m):
            if j > i:
                break
            if (i + j) % 2:
                continue
            total += i * 10 + j
        else:
            total += 1000
    return total


@on((5, 5, 5))
def test_return_from_inside_three_loops(a, b, c):
    for i in range(a):
        for j in range(b):
            for k in range(c):
                if i * j * k == 12:
                    return i, j, k
    return -1, -1, -1


@on(np.arange(5.0), np.zeros(0), np.arange(5)[::-1], np.array([True, False, True]),
    np.arange(4, dtype=np.uint8))
def test_elements_of_an_array(a):
    total = 0.0
    for x in a:
        total = total * 2 + x
    return total


@on(np.arange(6.0).reshape(2, 3), np.zeros((0, 3)), np.arange(8.0).reshape(4, 2).T)
def test_rows_of_an_array(a):
    total = 0.0
    for row in a:
        row[0] += 1
        total = total * 10 + row.sum()
    return total


@on(((1, 2, 3),), ((1.5,),), ((),))
def test_elements_of_a_tuple(t):
    total = 0
    for x in t:
        total = total * 10 + x
    return total


@on(((1, 2.5, True),), ((1, (2, 3), 4.5),), as_type=float)
def test_elements_of_a_mixed_tuple(t):
    total = 0.0
    for x in t:
        if isinstance(x, tuple):
            total += x[0] * x[1]
        else:
            total += x * 2
    return total


@on(((1, 2.5, True), 1), ((1, 2.5, True), 5), as_type=float)
def test_break_continue_else_in_a_mixed_tuple(t, k):
    total = 0.0
    for x in t:
        if x == k:
            continue
        if x > 2:
            total += 100
            break
        total += x
    else:
        total = -total
    return total


@on((np.array([3.0, 1.0, 2.0]), 0), (np.array([3, 1]), 5), (np.zeros(0), 1))
def test_enumerate(a, start):
    total = 0.0
    for i, x in enumerate(a, start):
        total += i * x
    for i, x in enumerate(a):
        total += 1000 * i * x
    return total


@on(((4, 5, 6),))
def test_enumerate_of_a_tuple(t):
    total = 0
    for i, x in enumerate(t):
        total = total * 10 + i * x
    return total


@on((np.arange(5.0), np.arange(3)), (np.zeros(0), np.arange(3)))
def test_zip(a, b):
    total = 0.0
    for x, y in zip(a, b):
        total = total * 2 + x * y
    for i, x, y in zip(range(10), a, b):
        total += i * x - y
    return total


@on((np.arange(4.0), (1, 2, 3, 4)))
def test_enumerate_of_zip(a, t):
    total = 0.0
    for i, (x, y) in enumerate(zip(a, t)):
        total += i * x * y
    return total


@on(((1, 2), (3.5, 4)))
def test_zip_of_mixed_tuples(a, b):
    total = 0.0
    for x, y in zip(a, b):
        total = total * 3 + x * y
    return total


@on(10, 0)
def test_reversed_range(n):
    total = 0
    for i in reversed(range(n)):
        total = total * 2 + i
    for i in reversed(range(1, n, 3)):
        total = total * 2 - i
    return total


@on((np.arange(5.0), (1, 2, 3)))
def test_reversed_array_and_tuple(a, t):
    total = 0.0
    for x in reversed(a):
        total = total * 2 + x
    for x in reversed(t):
        total = total * 2 + x
    return total


@on(6)
def test_iter_and_next(n):
    it = iter(range(n))
    a = next(it)
    b = next(it)
    rest = 0
    for x in it:
        rest = rest * 10 + x
    return a, b, rest


@on(0, 1)
def test_next_at_the_end(n):
    it = iter(range(n))
    return next(it)


@on(0, 1)
def test_next_with_a_default(n):
    return next(iter(range(n)), -7)


@on(np.arange(12.0).reshape(3, 4))
def test_flat(a):
    total = 0.0
    for x in a.flat:
        total = total * 1.5 + x
    return total


@on((np.arange(10.0), 3), (np.arange(10.0), 0))
def test_appending_to_a_prefix_while_scanning_it(a, k):
    n = 0
    for i in range(len(a)):
        if a[i] > k:
            a[n] = a[i]
            n += 1
    return n


@on(30)
def test_accumulators_of_every_type(n):
    i = 0
    f = 0.0
    c = 0j
    b = False
    for k in range(n):
        i += k
        f += k * 0.5
        c = c * 1j + k
        b = b or k == 7
    return i, f, c, b


@on(10, as_type=lambda t: (float(t[0]), t[1]))
def test_an_accumulator_that_turns_float_in_the_loop(n):
    x = 0
    for i in range(n):
        x = x + i * 0.5
    return x, i


@on(12)
def test_loop_carried_swap(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


@on((np.zeros(5), 7), (np.zeros(5), 3))
def test_side_effects_before_an_error_in_the_loop(a, n):
    for i in range(n):
        a[i] = i + 1


@on((np.array([4, 2, 0, 1]), np.zeros(4)))
def test_zero_division_at_the_right_iteration(d, out):
    for i in range(len(d)):
        out[i] = 8 / d[i]


def test_zero_division_in_long_loops_stops_exactly_there():
    def divide(a, b, out):
        for i in range(len(a)):
            out[i] = a[i] / b[i]

    for n, bad in ((1000, 0), (1000, 255), (1000, 256), (1000, 511), (1000, 999), (700, 513)):
        b = np.ones(n)
        b[bad] = 0
        check(divide, np.arange(n) + 1.0, b, np.zeros(n))
        check(divide, np.arange(n), b.astype(np.int64), np.zeros(n))


def test_indirect_subscripts_stop_exactly_there():
    def gather(x, idx, out):
        for i in range(len(idx)):
            out[i] = x[idx[i]]

    def scatter(x, idx, out):
        for i in range(len(idx)):
            out[idx[i]] += x[i]

    for bad in (0, 100, 256, 700, 999):
        idx = np.arange(1000) * 7 % 50
        check(gather, np.arange(50.0), idx, np.zeros(1000))
        check(scatter, np.arange(1000.0), idx, np.zeros(50))
        for wrong in (50, -51, 2**40, -2**63):
            broken = idx.copy()
            broken[bad] = wrong
            check(gather, np.arange(50.0), broken, np.zeros(1000))
            check(scatter, np.arange(1000.0), broken, np.zeros(50))


def test_a_loop_that_reads_what_it_writes():
    def shift(a, b):
        for i in range(1, len(a)):
            b[i] = a[i - 1] / (i + 1)

    a = np.arange(600.0)
    check(shift, a, a)
    check(shift, a[:300], a[1:301])
    check(shift, a[5:], a[:-5])


def test_negative_subscripts_in_loops():
    def mirror(a, out):
        for i in range(len(a)):
            out[i] = a[-i]
            out[i] += a[-i - 1]

    check(mirror, np.arange(300.0), np.zeros(300))


def test_a_stencil_over_the_edge_raises_where_python_does():
    def stencil(a, out):
        for i in range(len(a)):
            out[i] = a[i - 1] + a[i] + a[i + 1]

    check(stencil, np.arange(600.0), np.zeros(600))


@pytest.mark.parametrize("shape", [(2, 3), (4,), (2, 3, 4), (0, 3), (3, 0), ()])
def test_ndindex_and_ndenumerate(shape):
    def f(a):
        total, count = 0.0, 0
        for index in np.ndindex(a.shape):
            total = total * 0.9 + a[index]
            count += 1
        for index, x in np.ndenumerate(a):
            total = total * 1.1 - x + sum(index)
            if total > 30:
                continue
            a[index] = total
        return total, count

    a = np.arange(float(np.prod(shape))).reshape(shape)
    check(f, a)
    if len(shape) > 1:
        check(f, np.asfortranarray(a))
        check(f, a[::-1])


def test_ndindex_of_numbers():
    def f(m, n):
        text = ""
        for i, j in np.ndindex(m, n):
            text += f"{i},{j} "
        for k, ((i, j), (r,)) in enumerate(zip(np.ndindex((m, n)), np.ndindex(m))):
            text += f"{k}:{i}{j}{r} "
        return text

    check(f, 2, 3)
    check(f, 0, 3)


def test_ndindex_of_negative_sizes_raises():
    def f(m, n):
        total = 0
        for i, j in np.ndindex(m, n):
            total += i + j
        return total

    check_raises(ValueError, "negative dimensions", f, -1, 3)
    check_raises(ValueError, "negative dimensions", f, -1, -3)
