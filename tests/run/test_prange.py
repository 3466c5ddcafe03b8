"""Loops on several threads: what is accepted gives what one thread gives, what is not is
refused or runs on one; exceptions, signals, forks, several Python threads."""

import os
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

from support import PLAIN

if PLAIN:
    pytest.skip("looks at the compiler itself", allow_module_level=True)

import whipsnake
from whipsnake import njit, prange
from whipsnake.errors import TypingError

THREADS = range(1, 9)


@pytest.fixture(autouse=True)
def small_chunks():
    """Loops as short as those here run in chunks only if they are told to."""
    with whipsnake.parallel_chunksize(7):
        yield
    whipsnake._core.set_threads(0)


def with_threads(n):
    whipsnake._core.set_threads(n)


HEAD = "s = 0.0\n    c = 1\n    p = -1\n    lo = 1e300"


def make(body):
    """f(a, b, m, k, n) with `body` in a prange loop; its result is (s, c, p, lo)."""
    text = (f"def f(a, b, m, k, n):\n    {HEAD}\n    for i in prange(n):\n"
            + textwrap.indent(body, " " * 8) + "\n    return s, c, p, lo\n")
    import linecache

    file = f"<prange {abs(hash(text))}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    scope = {"prange": prange, "np": np, "inner": inner, "fresh": fresh}
    exec(compile(text, file, "exec"), scope)
    return scope["f"]


@njit
def inner(x):
    s = 0.0
    for v in x:
        s += v * v
    return s


@njit
def fresh(n, v):
    out = np.empty(3)
    for j in range(3):
        out[j] = v + j * n
    return out


def arguments():
    r = np.random.default_rng(5)
    n = 100
    return [r.normal(size=n), r.normal(size=2 * n + 2), r.normal(size=(n, 6)),
            r.integers(0, 50, size=n), n]


CLEAN = [
    "b[i] = a[i] * 2",
    "a[i] = a[i] * 2",
    "a[i] += 1",
    "b[i + 1] = a[i]",
    "b[2 * i] = a[i]; b[2 * i + 1] = -a[i]",
    "b[n - 1 - i] = a[i]",
    "m[i, 0] = a[i]; m[i, 1] = m[i, 0]",
    "for j in range(6):\n    m[i, j] = m[i, j] + a[j]",
    "for j in range(1, 6):\n    m[i, j] = m[i, j - 1]",
    "row = m[i]\nfor j in range(6):\n    row[j] = row[j] * 2",
    "m[i] = a[i]",
    "m[i, :] = a[:6] * a[i]",
    "m[i] *= 2",
    "row = m[i]\nb[i] = row.sum() + row.max()",
    "row = m[i].copy()\nrow[0] = i\nb[i] = row.sum()",
    "row = m[i]\nb[i] = row[row > 0.5].sum()",
    "row = m[i].copy()\nrow[row > 0.5] = 0\nb[i] = row.max()",
    "s += a[i]",
    "s -= a[i]",
    "s += a[i] * a[i]; c += 2",
    "if a[i] > 0:\n    s += a[i]",
    "if a[i] > 0:\n    s += a[i]\nelse:\n    s -= 2 * a[i]",
    "for j in range(6):\n    s += m[i, j]",
    "for j in range(6):\n    for l in range(3):\n        s += m[i, j] * l",
    "if k[i] % 2:\n    c *= -1",
    "c ^= k[i]",
    "c |= k[i]",
    "c &= k[i] | 8",
    "s = max(s, a[i])",
    "lo = min(lo, a[i])",
    "if a[i] > s:\n    s = a[i]",
    "if a[i] < lo:\n    lo = a[i]\n    p = i",
    "if a[i] > s:\n    s = a[i]\n    p = i\n    c = 2 * i",
    "for j in range(6):\n    if m[i, j] < lo:\n        lo = m[i, j]",
    "t = np.zeros(3)\nt[0] = a[i]\ns += t[0]",
    "x = a[i]\nfor j in range(3):\n    x = x * 0.5 + j\nb[i] = x",
    "b[i] = inner(m[i])",
    "b[i] = fresh(i, a[i])[1]",
    "b[i] = a[k[i]]",
    "b[i] = 0 if i % 3 else np.sqrt(abs(a[i]))",
    "p += 3; b[i] = a[i]",
    "lo /= 1.0 + i / 1000",
    "s += a[i]; c += 1; lo = min(lo, a[i])",
    "if k[i] % 2:\n    c += 1",
    "try:\n    x = a[i + 50]\nexcept IndexError:\n    x = 1.5\nb[i] = x",
]

# Sums and the like in elements that are the same for all iterations.
PLACES = [
    "b[0] += a[i]",
    "b[3] -= a[i] * 2; b[4] += 1",
    "b[n] += a[i]; s += a[i]",
    "b[-1] += a[i]",
    "m[1, 2] += a[i]; m[2, 1] += 1",
    "b[7] *= 1 + a[i] / 100",
    "b[7] /= 1 + i / 1000",
    "if a[i] > 0:\n    b[5] += a[i]",
    "for j in range(6):\n    b[9] += m[i, j]",
    "b[0] += a[i]; b[0] += 1",
    "k[3] += i",
    "k[3] ^= i",
    "k[3] |= i",
    "k[3] &= i | 8",
    "k[3] *= 3",
    "if i > n:\n    b[10 ** 9] += 1",
    "b[0] += a[i]; m[i, 0] = a[i]",
]

# Each iteration needs another, or writes where another does: refused.
RACY = [
    "a[0] = i",
    "a[0] += b[i]; s += a[0]",
    "a[0] += b[i]; a[0] *= 2",
    "a[0] = b[i] - a[0]",
    "t = a[0]; a[0] += b[i]; a[0] = t + 1",
    "a[0] += a[0]",
    "b[i] = b[i + 1]",
    "b[i + 1] = b[i]",
    "a[i] = a[i - 1]",
    "if i > 0:\n    a[i] = a[i - 1] + 1",
    "if i > 1:\n    b[2 * i] = b[2 * i - 2]",
    "s = s * 0.5 + a[i]",
    "s = a[i] - s",
    "s += a[i]; b[i] = s",
    "s += a[i] * s",
    "s = a[i]",
    "c = c + 1 if a[i] > c else c",
    "c += 1\nif c > 5:\n    b[i] = 1",
    "b[c] = a[i]; c += k[i] % 2",
    "if a[i] < 0:\n    break",
    "if a[i] > 0:\n    p = i",
    "if a[i] > s:\n    s = a[i]\n    c += 1",
    "if a[i] > s:\n    s = a[i]\n    b[i] = 1",
    "if a[i] >= s:\n    s = a[i]\n    p = i",
    "if a[i] > s:\n    s = a[i]\nif a[i] < 0:\n    s = 0.0",
    "s = max(s, a[i]); s = min(s, 0.5)",
    "s += a[i]; s *= 2",
    "c |= k[i]; c &= 7",
    "b[k[i]] += 1",
    "b[k[i]] = a[i]",
    "m[k[i], 0] += a[i]",
    "m[k[i], i % 2] = 1",
    "s, lo = lo, s",
    "s = lo + a[i]; lo = s",
    "p = c; c = i",
    "s = s + a[i] if i % 2 else s * 2",
    "s = 1 / (s + a[i])",
    "c = c // 2 + k[i]",
    "s = np.sqrt(s * s + abs(a[i]))",
]

# Not known, or too late to know: on one thread, with the right result.
ALONE = [
    "a[i] = a[n - 1 - i]",
    "a[i % 2] = i",
    "b[i // 2] = i",
    "for j in range(6):\n    if i > 0:\n        m[i, j] = m[i - 1, j]",
    "for j in range(6):\n    m[0, j] += a[i]",
    "b[:6] += m[i]",
    "b[i:i + 2] = a[i]",
    "a[i] = inner(a)",
]


def compare(f, exact):
    want_args = arguments()
    want = f(*want_args)
    g = njit(parallel=True)(f)
    first = None
    for n in THREADS:
        args = arguments()
        with_threads(n)
        got = g(*args)
        first = first or got
        np.testing.assert_array_equal(np.array(got), np.array(first))  # whatever the number
        np.testing.assert_allclose(got, want, rtol=0 if exact else 1e-12)
        for x, y in zip(args[:4], want_args[:4], strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-14)
    return g


def kinds(g):
    report, = g.explain().signatures
    return {r.kind for r in report.remarks}


@pytest.mark.parametrize("body", CLEAN + PLACES)
def test_clean(body):
    g = compare(make(body), exact=False)
    assert "THREADS" in kinds(g), str(g.explain())


@pytest.fixture
def reversed_chunks():
    if not hasattr(whipsnake._core, "_reverse_chunks"):
        pytest.skip("a build without assertions")
    with_threads(1)
    whipsnake._core._reverse_chunks(True)
    yield
    whipsnake._core._reverse_chunks(False)


@pytest.mark.parametrize("body", [body for body in CLEAN if "p = i" not in body] + PLACES + ALONE)
def test_any_order_of_chunks(body, reversed_chunks):
    """What depends on the order would come out wrong here, every time."""
    f = make(body)
    want, args = arguments(), arguments()
    for size in (1, 7, 33):
        whipsnake.set_parallel_chunksize(size)
        expected = f(*want)
        np.testing.assert_allclose(njit(parallel=True)(f)(*args), expected, rtol=1e-11)
        for x, y in zip(args[:4], want[:4], strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-12)


SUBSCRIPTS = ["i", "i + 1", "i + 2", "n - 1 - i", "2 * i", "2 * i + 1", "3 * i + 2", "0", "5",
              "i + 50", "2 * n - 1 - i", "2 * i + n - n", "i - 1", "-1 - i", "k[i]", "i // 2",
              "i % 3", "i * c", "n - i", "i ^ 1", "n"]
LINES = ["b[{x}] = b[{y}] + {v}", "b[{x}] = {v}", "b[{x}] += {v}", "s += b[{x}]",
         "if b[{x}] > 0:\n    b[{y}] = {v}", "if i > 3:\n    b[{x}] = b[{y}]", "s = max(s, b[{x}])",
         "if b[{x}] < lo:\n    lo = b[{x}]", "m[{x} % n, 0] = b[{y}]",
         "m[i, 2] = m[i, 3] + b[{x}]", "for j in range(3):\n    b[{x} + j] = m[i, j]",
         "for j in range(6):\n    s += m[i, j] * {v}",
         "t = {v}\nfor j in range(3):\n    t += b[{x}]\nm[i, 1] = t", "c += 1 if b[{x}] > 0 else 2",
         "if b[{x}] < lo:\n    lo = b[{x}]\n    p = {i}", "row = m[{x} % 100]\nrow[1] = {v}",
         "q = np.empty(2)\nq[1] = b[{x}]\nb[{y}] = q[1]"]


def random_body(r):
    lines = []
    for _ in range(r.integers(1, 4)):
        pick = {w: str(r.choice(SUBSCRIPTS)) for w in "xy"}
        v = str(r.choice(["1.5", "i", "a[i]", "a[i] * i", "m[i, 1]"]))
        lines.append(str(r.choice(LINES)).format(**pick, v=v, i=r.choice(["i", "i + 1", "3"])))
    return "\n".join(lines)


def outcome(f, args):
    try:
        return np.array(f(*args))
    except IndexError:
        return "IndexError"


@pytest.mark.parametrize("seed", range(40))
def test_random_bodies(seed, reversed_chunks):
    """What is not refused gives what plain Python gives, also backwards."""
    whipsnake.set_parallel_chunksize(3)
    r = np.random.default_rng(seed)
    for _ in range(8):
        body = random_body(r)
        f = make(body)
        want, args = arguments(), arguments()
        expected = outcome(f, want)
        try:
            got = outcome(njit(parallel=True)(f), args)
        except TypingError:
            continue
        if isinstance(expected, str):
            assert isinstance(got, str), body
            continue
        np.testing.assert_allclose(got, expected, rtol=1e-11, err_msg=body)
        for x, y in zip(args[:4], want[:4], strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-12, err_msg=body)


@pytest.mark.parametrize("body", RACY)
def test_racy(body):
    with pytest.raises(TypingError, match="prange") as info:
        njit(parallel=True)(make(body))(*arguments())
    assert "hint" in str(info.value)


@pytest.mark.parametrize("body", RACY + ALONE)
def test_serial_without_parallel(body):
    f = make(body)
    want, args = arguments(), arguments()
    expected = f(*want)
    assert njit(f)(*args) == pytest.approx(expected, rel=1e-12)
    for x, y in zip(args[:4], want[:4], strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-14)


@pytest.mark.parametrize("body", ALONE)
def test_alone(body):
    compare(make(body), exact=False)


# -- arrays that share memory, ranges, what comes behind -----------------------------------------


@njit(parallel=True)
def shift(a, b):
    for i in prange(len(a)):
        b[i] = a[i] + 1


def test_shared_memory_runs_in_order():
    for n in THREADS:
        with_threads(n)
        x = np.zeros(1000)
        shift(x[:-1], x[1:])
        assert (x == np.arange(1000)).all()
        x = np.zeros(1000)
        shift(x[1:], x[:-1])
        assert (x[:-1] == 1).all()
        y = np.zeros(999)
        shift(x[1:], y)
        assert y[0] == 2


@njit(parallel=True)
def stepped(b, start, stop, step):
    n = 0
    for i in prange(start, stop, step):
        b[i] += i
        n += 1
    return n


@pytest.mark.parametrize("args", [(0, 100, 1), (5, 90, 3), (90, 5, -3), (0, 0, 1), (7, 3, 1),
                                  (-50, 0, 1), (-50, 50, 1), (-100, 100, 1), (99, -101, -1)])
def test_ranges(args):
    want, got = np.zeros(100), np.zeros(100)
    expected = stepped.py_func(want, *args)
    with_threads(4)
    assert stepped(got, *args) == expected
    np.testing.assert_array_equal(got, want)


@njit(parallel=True)
def scattered(b, k, step):
    for i in prange(len(k)):
        b[i * step] = k[i]


def test_a_step_of_zero_runs_in_order():
    k, b = np.arange(100), np.zeros(300)
    with_threads(4)
    scattered(b, k, 0)
    assert b[0] == 99
    scattered(b, k, 3)
    assert (b[::3] == k).all()


@njit(parallel=True)
def twice(x):
    y, z = np.zeros_like(x), np.zeros(len(x))
    for i in prange(len(x)):
        y[i] = x[i] * 2
    for i in prange(len(x)):
        z[i] = y[i] + 1
    return y, z


@njit(parallel=True)
def nested(x):
    s = 0
    for i in prange(x.shape[0]):
        for j in prange(x.shape[1]):
            x[i, j] += i * j
            s += 1
    return s


@njit(parallel=True)
def calls_parallel(x, out):
    for i in prange(x.shape[0]):
        out[i] = fresh(i, twice(x[i])[1].sum())[0]


def test_loops_behind_and_in_each_other():
    x = np.arange(1000.0)
    for n in THREADS:
        with_threads(n)
        y, z = twice(x)
        assert (y == 2 * x).all() and (z == 2 * x + 1).all()
        m = np.zeros((40, 30))
        assert nested(m) == 1200
        assert (m == np.outer(np.arange(40), np.arange(30))).all()
        out = np.zeros(40)
        calls_parallel(m, out)
        assert (out == (2 * m + 1).sum(1)).all()


@njit(parallel=True)
def expression(a, b):
    c = np.sqrt(a * a + b * b) - 1
    a[:] = c * 2
    return c, (c > 0).sum()


def test_array_expressions():
    whipsnake.set_parallel_chunksize(0)
    a, b = np.linspace(0, 1, 200_000), np.linspace(1, 2, 200_000)
    want = np.sqrt(a * a + b * b) - 1
    for n in THREADS:
        with_threads(n)
        d = a.copy()
        c, count = expression(d, b)
        assert (c == want).all() and (d == want * 2).all() and count == (want > 0).sum()


def test_small_loops_stay_on_their_thread():
    whipsnake.set_parallel_chunksize(0)

    @njit(parallel=True)
    def total(x):
        s = 0.0
        for i in prange(len(x)):
            s += x[i]
        return s

    x = np.random.default_rng(1).normal(size=100)
    assert total(x) == sum(x.tolist())  # one chunk: the bits of one loop


def test_results_do_not_depend_on_threads():
    whipsnake.set_parallel_chunksize(0)

    @njit(parallel=True)
    def total(x):
        s = 0.0
        for i in prange(len(x)):
            s += np.sin(x[i])
        return s

    x = np.random.default_rng(1).normal(size=300_001)
    results = set()
    for n in THREADS:
        with_threads(n)
        results.add(total(x))
    assert len(results) == 1
    assert results.pop() == pytest.approx(np.sin(x).sum(), rel=1e-10)


# -- exceptions, signals -------------------------------------------------------------------------


@njit(parallel=True)
def fails(x, at, also):
    for i in prange(len(x)):
        if i == at or i == also:
            raise ValueError("iteration", i)
        x[i] = 1


@njit(parallel=True)
def divides(x, y):
    s = 0
    try:
        for i in prange(len(x)):
            s += x[i] // y[i]
    except ZeroDivisionError:
        return -1
    return s


def test_the_first_exception_is_left():
    for n in THREADS:
        with_threads(n)
        x = np.zeros(1000)
        with pytest.raises(ValueError) as info:
            fails(x, 900, 333)
        assert info.value.args == ("iteration", 333)
        assert (x[:333] == 1).all() and x[333] == 0
        assert [e.name for e in info.traceback][-1] == "fails"
        fails(x, -1, -1)
        ones = np.ones(1000, np.int64)
        assert divides(ones, ones) == 1000
        zero = ones.copy()
        zero[700] = 0
        assert divides(ones, zero) == -1


def test_bounds_are_checked():
    for n in THREADS:
        with_threads(n)
        with pytest.raises(IndexError):
            shift(np.zeros(1000), np.zeros(900))


def run_script(text, timeout=120, **env):
    return subprocess.run([sys.executable, "-c", textwrap.dedent(text)], timeout=timeout,
                          env=os.environ | {"NUMBA_NUM_THREADS": "4", "WHIPSNAKE_CACHE": "0"} | env,
                          capture_output=True, text=True)


def write_module(tmp_path, text):
    (tmp_path / "parallel_program.py").write_text(textwrap.dedent(text))
    return str(tmp_path)


ENDLESS = """
    import numpy as np
    from whipsnake import njit, prange

    @njit(parallel=True)
    def endless(n, x):
        s = 0.0
        for i in prange(n):
            t = 0.0
            while t < x:
                t = t * 0.5 + 0.1
            s += t
        return s

    @njit(parallel=True)
    def total(x):
        s = 0.0
        for i in prange(len(x)):
            s += x[i] * 2
        return s
"""


@pytest.mark.parametrize("first", [False, True])
def test_interrupt(tmp_path, first):
    """Ctrl-C ends all threads, and the next loop works."""
    path = write_module(tmp_path, ENDLESS)
    r = run_script(f"""
        import os, signal, sys, threading, time
        sys.path.insert(0, {path!r})
        from parallel_program import *
        endless(16, 0.0)
        threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        start = time.time()
        try:
            endless(10 ** 9, {'1.0' if first else '0.15'})
        except KeyboardInterrupt:
            print("interrupted", time.time() - start < 20)
        print(total(np.ones(100_000)))
    """)
    assert r.stdout == "interrupted True\n200000.0\n", r.stderr


def test_fork(tmp_path):
    """A child has threads of its own."""
    path = write_module(tmp_path, ENDLESS)
    r = run_script(f"""
        import os, sys
        sys.path.insert(0, {path!r})
        from parallel_program import *
        x = np.ones(100_000)
        assert total(x) == 200_000
        for k in range(30):
            pid = os.fork()
            if pid == 0:
                os._exit(0 if total(x) == 200_000 and total(x) == 200_000 else 1)
            assert total(x) == 200_000
            assert os.waitpid(pid, 0)[1] == 0
        print("good")
    """)
    assert r.stdout == "good\n", r.stderr


def test_fork_while_others_run(tmp_path):
    path = write_module(tmp_path, ENDLESS)
    r = run_script(f"""
        import os, sys, threading
        sys.path.insert(0, {path!r})
        from parallel_program import *
        x = np.ones(100_000)
        total(x)
        stop = False
        def work():
            while not stop:
                assert total(x) == 200_000
        threads = [threading.Thread(target=work) for _ in range(3)]
        for t in threads: t.start()
        for k in range(100):
            pid = os.fork()
            if pid == 0:
                os._exit(0 if total(x) == 200_000 else 1)
            assert os.waitpid(pid, 0)[1] == 0
        stop = True
        for t in threads: t.join()
        print("good")
    """)
    assert r.stdout == "good\n", r.stderr


def test_many_python_threads():
    whipsnake.set_parallel_chunksize(0)
    x = np.ones((8, 100_000))
    wrong = []

    def work(k):
        whipsnake._core.set_threads(1 + k % 3)
        for _ in range(20):
            y, z = twice(x[k])
            if not (y == 2).all() or not (z == 3).all():
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_others_run_meanwhile():
    """The GIL is free while a loop runs on several threads."""
    seen = []

    @njit(parallel=True)
    def slow(n, m):
        s = 0.0
        for i in prange(n):
            t = 0.0
            for j in range(m):
                t = t * 0.5 + j
            s += t
        return s

    slow(100, 10)
    with_threads(2)
    done = threading.Event()

    def look():
        while not done.is_set():
            seen.append(1)
            done.wait(0.001)

    t = threading.Thread(target=look)
    t.start()
    seen.clear()
    slow(100, 300_000)
    count = len(seen)
    done.set()
    t.join()
    assert count >= 5


# -- settings ------------------------------------------------------------------------------------


def test_settings():
    most = whipsnake.config.NUMBA_NUM_THREADS
    whipsnake.set_num_threads(most)
    assert whipsnake.get_num_threads() == most
    for bad in (0, most + 1, -1):
        with pytest.raises(ValueError, match="number of threads"):
            whipsnake.set_num_threads(bad)
    assert whipsnake.get_parallel_chunksize() == 7
    with whipsnake.parallel_chunksize(3):
        assert whipsnake.get_parallel_chunksize() == 3
    assert whipsnake.set_parallel_chunksize(0) == 7
    assert whipsnake.get_thread_id() == 0 and whipsnake.threading_layer() == "whipsnake"
    with pytest.raises(ValueError, match="chunk"):
        whipsnake.set_parallel_chunksize(-1)


@pytest.mark.parametrize("env, want", [
    ({"NUMBA_NUM_THREADS": "3"}, 3), ({"NUMBA_NUM_THREADS": "3", "WHIPSNAKE_NUM_THREADS": "5"}, 5),
    ({"NUMBA_NUM_THREADS": " 6 "}, 6), ({"WHIPSNAKE_NUM_THREADS": "100000"}, 256),
    *[({"WHIPSNAKE_NUM_THREADS": bad}, len(os.sched_getaffinity(0)))
      for bad in ("3x", "0", "-2", "four")]])
def test_number_from_the_environment(env, want):
    env = {"NUMBA_NUM_THREADS": ""} | env
    r = run_script("import whipsnake; print(whipsnake.get_num_threads(), "
                   "whipsnake.config.NUMBA_NUM_THREADS)", **env)
    assert r.stdout.split() == [str(want)] * 2, r.stderr


def test_explained():
    @njit(parallel=True)
    def f(a, b):
        s = 0.0
        for i in prange(len(a)):
            s += a[i]
            b[i] = a[i]
        for i in prange(len(a)):
            a[i // 2] = i
        return s

    f(np.ones(9), np.ones(9))
    report, = f.explain().signatures
    texts = [r.text for r in report.remarks if r.kind in ("THREADS", "NO_THREADS")]
    assert texts[0].startswith("runs on several threads; if these share no memory: 'b' and 'a'; "
                               "'s' is a sum")
    assert texts[1].startswith("prange runs on one thread: two iterations may meet at")


@njit(parallel=True)
def add_up(h, at, x):
    for i in prange(len(x)):
        h[at] += x[i]


def test_sums_in_arrays_that_share_memory():
    for n in THREADS:
        with_threads(n)
        want, got = np.arange(100.0), np.arange(100.0)
        add_up.py_func(want, 50, want)
        add_up(got, 50, got)
        np.testing.assert_array_equal(got, want)
        h = np.arange(4.0)
        add_up(h, -1, np.ones(1000))
        assert h.tolist() == [0, 1, 2, 1003]
        add_up(h, 17, np.ones(0))
        with pytest.raises(IndexError):
            add_up(h, 17, np.ones(100))
        assert h.tolist() == [0, 1, 2, 1003]


def test_interpreted(monkeypatch):
    monkeypatch.setenv("WHIPSNAKE_DISABLE_JIT", "ir")
    for body in CLEAN:
        f = make(body)
        want, args = arguments(), arguments()
        assert njit(parallel=True)(f)(*args) == pytest.approx(f(*want), rel=1e-12)
        np.testing.assert_allclose(args[1], want[1])


# -- numbers of threads ----------------------------------------------------------------------------


@njit(parallel=True)
def by_thread(x, parts, seen):
    for i in prange(len(x)):
        t = whipsnake.get_thread_id()
        parts[t] += x[i]
        seen[i] = t


def test_each_thread_has_its_part():
    x = np.arange(3000)
    for n in THREADS:
        with_threads(n)
        parts, seen = np.zeros(256, np.int64), np.full(3000, -1)
        by_thread(x, parts, seen)
        assert parts.sum() == x.sum()
        assert set(seen) <= set(range(256))
        for t in set(seen):
            assert parts[t] == x[seen == t].sum()
    assert "THREADS" in kinds(by_thread)

    @njit
    def outside():
        return whipsnake.get_thread_id()

    assert outside() == 0


def test_the_number_of_the_thread_is_not_that_of_the_caller():
    @njit(parallel=True)
    def f(seen):
        mine = whipsnake.get_thread_id()
        for i in prange(len(seen)):
            s = 0.0
            for j in range(20_000):
                s = s * 0.5 + j
            seen[i] = whipsnake.get_thread_id() + 0 * s
        return mine

    with_threads(4)
    for _ in range(50):
        seen = np.zeros(200, np.int64)
        assert f(seen) == 0
        if set(seen) != {0}:
            return
    pytest.fail("no other thread took part in 50 loops")


@njit(parallel=True)
def inner_alone(m, out):
    for i in range(1, m.shape[0]):
        for j in prange(m.shape[1]):
            m[i, j] += m[i - 1, j]
        out[i] = m[i, 0]


@njit(parallel=True)
def inner_of_unknown(m, k):
    for i in prange(m.shape[0]):
        m[i // 2, 0] = i
        for j in prange(m.shape[1]):
            m[k, j] += 1


def test_loops_inside_of_one_that_runs_on_one_thread():
    for f, last in ((inner_alone, np.zeros(30)), (inner_of_unknown, 3)):
        for n in (1, 4):
            with_threads(n)
            want, got = np.ones((30, 90)), np.ones((30, 90))
            want_last, got_last = np.copy(last)[()], np.copy(last)[()]
            f.py_func(want, want_last)
            f(got, got_last)
            np.testing.assert_array_equal(got, want)
            np.testing.assert_array_equal(got_last, want_last)
        assert "THREADS" in kinds(f)
