"""whipsnake.atomic: in compiled functions, on several threads, in plain Python."""

import itertools
import threading

import numpy as np
import pytest

from support import PLAIN

if PLAIN:
    pytest.skip("needs whipsnake itself, not the plain stand-in", allow_module_level=True)

import whipsnake
from whipsnake import atomic, njit, prange
from whipsnake.errors import TypingError

INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float32", "float64"]
NUMBERS = INTS + FLOATS


@pytest.fixture(autouse=True)
def small_chunks():
    with whipsnake.parallel_chunksize(7):
        whipsnake._core.set_threads(8)
        yield
    whipsnake._core.set_threads(0)


@njit
def all_of_them(a, i, x):
    return (atomic.load(a, i), atomic.add(a, i, x), atomic.sub(a, i, 1), atomic.min(a, i, 5),
            atomic.max(a, i, x), atomic.exchange(a, i, 9), atomic.compare_exchange(a, i, 9, 4),
            atomic.compare_exchange(a, i, 9, 7), atomic.load(a, i))


@pytest.mark.parametrize("dtype", NUMBERS)
def test_old_values(dtype):
    a = np.arange(6, dtype=dtype)
    assert all_of_them(a, 3, 6) == (3, 3, 9, 8, 5, 6, 9, 4, 4)
    assert a.tolist() == [0, 1, 2, 4, 4, 5]
    assert a.dtype == dtype
    assert all_of_them(a, -1, 6)[0] == 5  # from the end
    with pytest.raises(IndexError, match="index 6 is out of bounds for axis 0 with size 6"):
        all_of_them(a, 6, 1)


@njit
def bits(a, x):
    return atomic.and_(a, 0, x), atomic.or_(a, 0, 2 * x), atomic.xor(a, 0, 5), atomic.load(a, 0)


@pytest.mark.parametrize("dtype", INTS)
def test_bits(dtype):
    assert bits(np.array([29], dtype), 12) == (29, 12, 28, 25)


def test_bits_of_floats_are_refused():
    with pytest.raises(TypingError, match="does not take"):
        bits(np.zeros(1), 1)


@njit
def in_many_axes(a, i, j, x):
    return atomic.add(a, (i, j), x)


def test_subscripts_of_each_layout():
    for a in (np.zeros((3, 4)), np.zeros((3, 4), order="F"), np.zeros((6, 8))[::2, 1::2]):
        assert in_many_axes(a, 1, -1, 2.5) == 0
        assert in_many_axes(a, 1, 3, 1) == 2.5
        assert a[1, 3] == 3.5 and a.sum() == 3.5
        with pytest.raises(IndexError, match="axis 1 with size 4"):
            in_many_axes(a, 0, 4, 1)


@njit
def extremes(a, x):
    return atomic.min(a, 0, x), atomic.max(a, 1, x)


@pytest.mark.parametrize("dtype", FLOATS)
def test_extremes_of_floats_as_numpy_has_them(dtype):
    for x, y in itertools.product([1.5, -2.0, np.inf, -np.inf, np.nan], repeat=2):
        a = np.array([x, x], dtype)
        old = extremes(a, y)
        np.testing.assert_array_equal(old, [x, x])
        np.testing.assert_array_equal(a, [np.minimum(x, y), np.maximum(x, y)])


# -- loops on several threads ---------------------------------------------------------------------


@njit(parallel=True)
def count(k, h):
    for i in prange(len(k)):
        atomic.add(h, k[i], 1)


def runs_on_threads(f):
    return all("THREADS" in {r.kind for r in s.remarks} for s in f.explain().signatures)


@pytest.mark.parametrize("dtype", NUMBERS)
def test_counts(dtype):
    k = np.random.default_rng(1).integers(0, 300, 20000)
    h = np.zeros(300, dtype)
    count(k, h)
    np.testing.assert_array_equal(h, np.bincount(k, minlength=300))
    assert runs_on_threads(count)


@njit(parallel=True)
def fold(x, k, least, most, mask):
    for i in prange(len(x)):
        atomic.min(least, k[i], x[i])
        atomic.max(most, (k[i], 0), x[i])
        atomic.or_(mask, 0, 1 << k[i])


@pytest.mark.parametrize("dtype", NUMBERS)
def test_extremes_on_threads(dtype):
    r = np.random.default_rng(2)
    k = r.integers(0, 5, 5000)
    x = r.integers(0, 120, 5000).astype(dtype)
    least, most, mask = np.full(5, 121, dtype), np.zeros((5, 1), dtype), np.zeros(1, np.int64)
    fold(x, k, least, most, mask)
    assert least.tolist() == [x[k == j].min() for j in range(5)]
    assert most[:, 0].tolist() == [x[k == j].max() for j in range(5)]
    assert mask[0] == 31
    assert runs_on_threads(fold)


@njit(parallel=True)
def push(k, out, end):
    for i in prange(len(k)):
        if k[i] % 3 == 0:
            out[i] = atomic.add(end, 0, 1)


def test_old_values_on_threads_are_each_given_once():
    k = np.arange(3000)
    out, end = np.full(3000, -1), np.zeros(1, np.int64)
    push(k, out, end)
    assert end[0] == 1000
    assert sorted(out[out >= 0]) == list(range(1000))


@njit(parallel=True)
def product(k, x, out):
    for i in prange(len(k)):
        old = atomic.load(out, k[i])
        while True:
            found = atomic.compare_exchange(out, k[i], old, old * x[i])
            if found == old:
                break
            old = found


def test_compare_exchange_makes_what_is_not_there():
    k = np.random.default_rng(3).integers(0, 3, 300)
    x = np.where(np.arange(300) % 7, 1.0, 2.0)
    out = np.ones(3)
    product(k, x, out)
    assert out.tolist() == [x[k == j].prod() for j in range(3)]
    assert runs_on_threads(product)


def test_shared_memory_runs_in_order():
    @njit(parallel=True)
    def along(k, h):
        for i in prange(len(k)):
            atomic.add(h, k[i], 1)

    want, got = np.array([1, 2, 3, 4, 5, 0] * 50), np.array([1, 2, 3, 4, 5, 0] * 50)
    for i in range(len(want)):
        want[want[i]] += 1
    along(got, got)
    np.testing.assert_array_equal(got, want)


RACES = ["s += h[k[i]]; atomic.add(h, k[i], 1)", "h[k[i]] = 1; atomic.add(h, 0, 1)",
         "atomic.add(h, i, h[i + 1])", "h[0] = atomic.add(h, k[i], 1)"]


@pytest.mark.parametrize("body", RACES)
def test_others_may_not_look_at_what_is_changed(body):
    import linecache

    text = ("def f(k, h):\n    s = 0\n    for i in prange(len(k) - 1):\n        " + body
            + "\n    return s\n")
    file = f"<atomic {body}>"
    linecache.cache[file] = len(text), None, text.splitlines(True), file
    scope = {"atomic": atomic, "prange": prange}
    exec(compile(text, file, "exec"), scope)
    with pytest.raises(TypingError, match="prange"):
        njit(parallel=True)(scope["f"])(np.arange(9), np.zeros(9, np.int64))
    njit(scope["f"])(np.arange(9), np.zeros(9, np.int64))


def test_what_is_refused_names_it():
    @njit(parallel=True)
    def f(k, h):
        for i in prange(len(k)):
            h[k[i]] += 1

    with pytest.raises(TypingError, match=r"whipsnake.atomic.add\(out, i, x\)"):
        f(np.arange(3), np.zeros(3))


# -- errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("args, message", [
    ((np.zeros(3), 1.5, 1), "is one integer"),
    ((np.zeros(3), (1, 2), 1), "is one integer"),
    ((np.zeros(3), slice(0, 2), 1), "is one integer"),
    ((np.zeros((3, 3)), 1, 1), "is a tuple of 2 integers"),
    ((np.zeros(3, int), 1, 1.5), "does not take"),
    ((np.zeros(3, complex), 1, 1.5), "does not take"),
    ((np.zeros(3, np.float16), 1, 1.5), "does not take"),
    ((np.zeros(3, bool), 1, True), "does not take"),
    ((1.5, 1, 1), "does not take"),
])  # fmt: skip
def test_bad_arguments(args, message):
    with pytest.raises(TypingError, match=message):
        atomic.add(*args)

    @njit
    def f(a, i, x):
        return atomic.add(a, i, x)

    with pytest.raises(TypingError, match=message) as info:
        f(*args)
    assert "hint" in str(info.value)


def test_read_only_arrays():
    a = np.zeros(3)
    a.flags.writeable = False
    with pytest.raises(TypingError, match="read-only"):
        atomic.add(a, 0, 1)


def test_unaligned_arrays():
    a = np.frombuffer(bytearray(25), np.float64, 3, 1)
    with pytest.raises(TypingError, match="aligned"):
        atomic.add(a, 0, 1)


# -- plain Python ---------------------------------------------------------------------------------


def test_plain_python():
    a = np.arange(5.0)
    assert atomic.add(a, 1, 2.5) == 1
    assert atomic.compare_exchange(ary=a, idx=-1, expected=4, value=9) == 4
    assert atomic.load(a, 4) == 9
    assert a.tolist() == [0, 3.5, 2, 3, 9]
    with pytest.raises(IndexError):
        atomic.add(a, 5, 1)
    with pytest.raises(TypeError, match="missing a required argument"):
        atomic.add(ary=a, idx=1)


def test_plain_python_threads():
    a = np.zeros(1, np.int64)

    def work():
        for _ in range(2000):
            atomic.add(a, 0, 1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert a[0] == 8000
