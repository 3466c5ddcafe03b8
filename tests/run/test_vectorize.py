"""Ufuncs from functions of numbers: against NumPy's own, and the function on each element."""

import contextlib
import math
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

import support
from leaks import assert_no_leak
from support import needs_compiler, njit

pytestmark = needs_compiler

if not support.PLAIN:
    from whipsnake import errors, types, vectorize

DTYPES = ["?", "b", "B", "h", "H", "i", "I", "l", "L", "f", "d", "F", "D"]


def total(x, y):
    return x + y


@pytest.fixture(scope="module")
def plus():
    return vectorize(total)


@pytest.fixture(scope="module")
def plus64():
    return vectorize(["int64(int64, int64)", "float64(float64, float64)"])(total)


def layouts(n=37, dtype="d"):
    base = (np.arange(4 * n) % 11).astype(dtype)
    yield "contiguous", base[:n]
    yield "strided", base[: 2 * n : 2]
    yield "reversed", base[:n][::-1]
    yield "stretched", np.broadcast_to(base[3], (n,))
    yield "empty", base[:0]
    yield "2d", base.reshape(4, n)[:, :5]
    yield "F", np.asfortranarray(base.reshape(4, n))
    yield "0d", np.array(base[5])
    unaligned = np.frombuffer(b"x" + base[:n].tobytes(), dtype=np.uint8)[1:].view(dtype)
    yield "unaligned", unaligned
    yield "swapped", base[:n].astype(np.dtype(dtype).newbyteorder())


# -- values -------------------------------------------------------------------------------------

@pytest.mark.parametrize("name, x", list(layouts()))
def test_layouts(plus64, name, x):
    got, want = plus64(x, 2.5), np.add(x, 2.5)
    assert np.array_equal(got, want) and got.dtype == want.dtype and type(got) is type(want)
    got = plus64(x, x)
    assert np.array_equal(got, x + x) and got.strides == np.add(x, x).strides


@pytest.mark.parametrize("n", [0, 1, 2, 255, 1023, 1024, 1025, 5000])
def test_lengths_around_the_buffer(plus64, n):
    x = np.arange(3.0 * n)
    assert np.array_equal(plus64(x[::3], x[:n]), x[::3] + x[:n])
    out = np.full(3 * n, -1.0)
    assert plus64(x[:n], 7.0, out[::3]) is not out
    want = np.full(3 * n, -1.0)
    np.add(x[:n], 7.0, want[::3])
    assert np.array_equal(out, want)


@pytest.mark.parametrize("dtype", DTYPES)
def test_types_are_those_of_compiled_code(plus, dtype):
    x = np.array([0, 1, 1, 0]).astype(dtype)
    got = plus(x, x)
    number = njit(total)(x[1], x[1])
    assert got.tolist() == [0, number, number, 0]
    assert plus(x[1], x[1]) == number and type(plus(x[1], x[1])) is got.dtype.type


def test_result_does_not_depend_on_earlier_calls():
    def of_two(first, second):
        f = vectorize(total)
        first(f), second(f)
        return first(f).dtype, second(f).dtype, len(f.types)

    narrow = np.arange(3, dtype=np.float32)
    a, b = (lambda f: f(narrow, narrow)), (lambda f: f(narrow, 2.0))
    assert of_two(a, b) == (np.float32, np.float64, 2)
    assert of_two(b, a) == (np.float64, np.float32, 2)


@pytest.mark.parametrize("decorate", [
    lambda f: vectorize(f), lambda f: vectorize()(f), lambda f: vectorize([])(f),
    lambda f: vectorize(nopython=True, fastmath=False)(f), lambda f: vectorize(cache=True)(f)])
def test_ways_to_give_no_signature(decorate):
    f = decorate(total)
    assert f.types == [] and f(np.arange(3), 1.5).tolist() == [1.5, 2.5, 3.5]


def test_signatures_are_tried_in_their_order():
    f = vectorize(["float32(float32)", "float64(float64)"])(lambda x: x / 3)
    assert f.types == ["f->f", "d->d"]
    assert f(np.arange(3, dtype=np.int8)).dtype == np.float32
    assert f(np.arange(3)).dtype == np.float64
    assert f(4) == 4 / 3 and type(f(4)) is np.float64
    with pytest.raises(TypeError, match="could not be safely coerced"):
        f(1j)


@pytest.mark.parametrize("signatures, dtype", [
    (["float32(float32)", "float64(float64)"], np.float32),
    (["float64(float64)", "float32(float32)"], np.float64)])
def test_given_signatures_are_tried_in_the_order_given(signatures, dtype):
    f = vectorize(signatures)(lambda x: x / 3)
    compiled = njit(lambda x: f(x))
    for u in (f, pickle.loads(pickle.dumps(f))):
        assert u.types == [{"float32": "f->f", "float64": "d->d"}[s[:7]] for s in signatures]
        assert u(np.arange(3, dtype=np.int8)).dtype == dtype
        assert type(u(True)) is type(u(np.int8(3))) is dtype
    assert compiled(np.arange(3, dtype=np.int8)).dtype == dtype
    for exact in (np.float32, np.float64):  # where one has just these types, it is that
        assert f(np.ones(2, exact)).dtype == compiled(np.ones(2, exact)).dtype == exact
        assert type(f(exact(1))) is exact


def test_a_loop_that_cannot_be_added_leaves_nothing():
    f = vectorize(lambda x: x)
    f(1.0)
    double, code = types.float64, f._function

    def growth(call):
        before = sys.getrefcount(code)
        for _ in range(5):
            call()
        return sys.getrefcount(code) - before

    for elems, codes in [((double, double), ((code, (double,)), (None, 5))),
                         ((double, 5), ((code, (double,)), (None, ()))),
                         ((double,), ((code, (double,)), (None, ())))]:
        def refused(elems=elems, codes=codes):
            with pytest.raises((TypeError, ValueError, errors.TypingError)):
                f._add(1, 0, elems, codes)
        assert growth(refused) == 0
    assert growth(lambda: f._add(7, 0, (double, double), ((code, (double,)), (None, ())))) == 0
    assert f.types == ["d->d"]


def test_loops_that_are_added_while_others_are_refreshed():
    """Looking at the guards runs Python (a metaclass), which adds a signature to the same ufunc."""
    dtypes = iter([np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.float32])

    class Meta(type):
        def __getattribute__(cls, name):
            if name == "SCALE" and looking:
                f(np.ones(3, next(dtypes)))
            return type.__getattribute__(cls, name)

    looking = False

    class Settings(metaclass=Meta):
        SCALE = 2

    f = vectorize(lambda x: x * Settings.SCALE)
    assert f(np.ones(3)).tolist() == [2.0] * 3
    for value in (3, 4, 5):
        Settings.SCALE = value
        looking = True
        with contextlib.suppress(StopIteration, RecursionError):
            f(np.ones(3))
        looking = False
        assert f(np.ones(3)).tolist() == [value] * 3
        assert f(np.ones(3, np.int8)).tolist() == [value] * 3


def test_loops_from_many_threads_are_all_kept():
    dtypes = [np.int8, np.int16, np.int32, np.int64, np.float32, np.float64, np.uint8, np.uint16]
    f = vectorize(lambda x: x + x)
    gate, wrong = threading.Barrier(len(dtypes)), []

    def use(dtype):
        gate.wait()
        for _ in range(5):
            if f(np.ones(4, dtype)).tolist() != [2] * 4:
                wrong.append(dtype)

    threads = [threading.Thread(target=use, args=(d,)) for d in dtypes]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong and sorted(f.types) == sorted(set(f.types)) and len(f.types) == len(dtypes)


def test_exceptions_where_somebody_else_calls_numpy():
    """np.ufunc itself: its loops set the exception at once."""
    @vectorize(["float64(float64)"])
    def picky(x):
        if x > 5:
            raise ValueError("big", x)
        return x

    for a in (np.arange(9.0), np.arange(20000.0)[::2], np.arange(9)):
        for call in (picky, picky.ufunc):
            with pytest.raises(ValueError) as caught:
                call(a)
            assert caught.value.args == ("big", 6.0)
    assert picky.ufunc(2.0) == 2.0


def test_broadcasting(plus64):
    a, b = np.arange(12.0).reshape(3, 1, 4), np.arange(5.0)[:, None]
    assert np.array_equal(plus64(a, b), a + b)
    with pytest.raises(ValueError, match="could not be broadcast"):
        plus64(np.arange(3.0), np.arange(4.0))


def test_lists_tuples_and_subclasses(plus64):
    assert np.array_equal(plus64([1, 2], (3, 4)), [4, 6])
    matrix = np.arange(4.0).reshape(2, 2).view(np.matrix)
    assert type(plus64(matrix, 1.0)) is np.matrix
    masked = np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0])
    assert plus64(masked, 1.0).tolist() == [2.0, None, 4.0]


def test_many_arguments():
    f = vectorize(lambda a, b, c, d, e, g, h, i: a + 2 * b + 3 * c + d * e - g * h + i)
    x = [np.arange(5.0) * k for k in range(1, 9)]
    assert np.array_equal(f(*x), x[0] + 2 * x[1] + 3 * x[2] + x[3] * x[4] - x[5] * x[6] + x[7])


# -- NumPy's keywords ---------------------------------------------------------------------------

def test_keywords(plus64, plus):
    a = np.arange(6.0)
    for f in (plus64, plus):
        out = np.full(6, -1.0)
        assert f(a, a, out=out) is out and np.array_equal(out, a + a)
        out = np.full(6, -1.0)
        f(a, 1.0, out=out, where=a > 2)
        assert out.tolist() == [-1, -1, -1, 4, 5, 6]
        out = np.zeros(6, dtype=np.float32)
        assert f(a, a, out=(out,), casting="same_kind") is out and out[5] == 10
        assert f(np.arange(3), 1, dtype=np.float64).dtype == np.float64
        assert f(a, a, subok=False).tolist() == (a + a).tolist()
    with pytest.raises(TypeError, match="[Cc]annot cast"):
        plus64(a, a, out=np.zeros(6, dtype=np.int64))
    with pytest.raises(TypeError):
        plus64(a, a, nonsense=1)
    with pytest.raises(TypeError):
        plus64(a)
    with pytest.raises(TypeError):
        plus64(a, a, a, a)


# -- methods ------------------------------------------------------------------------------------

def test_reductions(plus64, plus):
    a = np.arange(24.0).reshape(2, 3, 4)
    for f in (plus64, plus):
        for axis in (0, 1, 2, -1):
            assert np.array_equal(f.reduce(a, axis=axis), np.add.reduce(a, axis=axis))
            assert np.array_equal(f.accumulate(a, axis=axis), np.add.accumulate(a, axis=axis))
        assert f.reduce(a[:, ::-1, ::2], 1, keepdims=True).tolist() == \
            np.add.reduce(a[:, ::-1, ::2], 1, keepdims=True).tolist()
        assert f.reduce(np.arange(5)) == 10 and f.reduce(np.arange(5)).dtype == np.int64
        assert np.array_equal(f.reduceat(np.arange(8.0), [0, 4, 1, 5]),
                              np.add.reduceat(np.arange(8.0), [0, 4, 1, 5]))
        assert np.array_equal(f.outer(a[0, 0], [1.0, 2.0]), np.add.outer(a[0, 0], [1.0, 2.0]))
    b = np.zeros(4)
    plus64.at(b, [0, 1, 1, 3], 1.0)
    assert b.tolist() == [1, 2, 0, 1]


def test_accumulate_of_strided_arrays_is_carried(plus64):
    a = np.arange(40.0)
    assert np.array_equal(plus64.accumulate(a[::2]), np.add.accumulate(a[::2]))
    out = np.zeros((20, 2))
    plus64.accumulate(a[::2], out=out[:, 1])
    assert np.array_equal(out[:, 1], np.add.accumulate(a[::2])) and not out[:, 0].any()


def test_reduction_widens_as_the_function_does():
    f = vectorize(total)
    got = f.reduce(np.full(300, 100, dtype=np.int8))
    assert got == 30000 and got.dtype == np.int64


def test_identity():
    f = vectorize(["int64(int64, int64)"], identity=0)(total)
    assert f.identity == 0 and f.reduce(np.empty(0, dtype=np.int64)) == 0
    f = vectorize(["int64(int64, int64)"], identity="reorderable")(total)
    assert f.reduce(np.ones((3, 4), dtype=np.int64), axis=(0, 1)) == 12
    f = vectorize(["int64(int64, int64)"])(total)
    with pytest.raises(ValueError, match="identity"):
        f.reduce(np.empty(0, dtype=np.int64))
    with pytest.raises(ValueError, match="identity is None, 0, 1 or 'reorderable', not 7"):
        vectorize(identity=7)(total)


def test_in_place_and_overlapping(plus64):
    a = np.arange(50.0)
    want = a.copy()
    want[1:] = want[1:] + want[:-1]
    plus64(a[1:], a[:-1], a[1:])
    assert np.array_equal(a, want)
    a += 0.5
    b = a.copy()
    plus64(a, a, a)
    assert np.array_equal(a, b + b)


# -- what it is ---------------------------------------------------------------------------------

def test_attributes(plus64):
    assert (plus64.nin, plus64.nout, plus64.nargs, plus64.ntypes) == (2, 1, 3, 2)
    assert plus64.types == ["ll->l", "dd->d"] and plus64.signature is None
    assert plus64.identity is None and plus64.__name__ == "total"
    assert plus64.py_func is total and isinstance(plus64.ufunc, np.ufunc)
    assert repr(plus64) == "<ufunc 'total', compiled>"
    assert plus64.build_ufunc() is plus64

    @vectorize
    def documented(x):
        "What it does."
        return x

    assert documented.__doc__ == "What it does."
    assert documented.ufunc.__doc__.endswith("What it does.")


def test_add_and_disable_compile():
    f = vectorize(total)
    f.add("float64(float64, float64)")
    assert f.types == ["dd->d"]
    f.disable_compile()
    assert f(1, 2) == 3.0 and f(np.arange(2), 1).dtype == np.float64
    assert f.types == ["dd->d"]


def test_division_by_zero_is_not_an_error():
    f = vectorize(["float64(float64, float64)"])(lambda x, y: x / y)
    with np.errstate(all="ignore"):
        assert f(np.array([1.0, 0.0]), 0.0).tolist()[0] == math.inf
    g = vectorize(["float64(float64, float64)"], error_model="python")(lambda x, y: x / y)
    with pytest.raises(ZeroDivisionError):
        g(np.array([1.0, 0.0]), 0.0)


@pytest.mark.parametrize("n", [1, 5, 3000])
def test_exceptions_of_the_function(n):
    @vectorize
    def picky(x):
        if x == 4:
            raise ValueError("four")
        return x * 2

    assert np.array_equal(picky(np.ones(n)), np.full(n, 2.0))
    for x in (np.full(n, 4.0), np.full(2 * n, 4.0)[::2], 4.0, np.full((n, 3), 4.0)[:, :2]):
        with pytest.raises(ValueError, match="^four$") as caught:
            picky(x)
        assert caught.traceback[-1].name == "picky"
    with pytest.raises(ValueError, match="^four$"):
        picky.ufunc(np.full(n, 4.0))
    assert picky(1.0) == 2.0


def test_a_global_that_changes_is_noticed():
    text, namespace = "def scale(x):\n    return x * k\n", {"k": 2}
    lines = text.splitlines(keepends=True)
    support.linecache.cache["<scale>"] = (len(text), None, lines, "<scale>")
    exec(compile(text, "<scale>", "exec"), namespace)
    f = vectorize(["float64(float64)"])(namespace["scale"])
    a = np.arange(4.0)
    assert np.array_equal(f(a), a * 2) and f(3.0) == 6.0
    namespace["k"] = 5
    assert np.array_equal(f(a), a * 5) and f(3.0) == 15.0


class Proxy:
    def __init__(self, value):
        self.value = value

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        inputs = [i.value if isinstance(i, Proxy) else i for i in inputs]
        return "asked", ufunc, method, getattr(ufunc, method)(*inputs, **kwargs)


def test_array_ufunc_protocol(plus64, plus):
    for f in (plus64, plus):
        word, who, method, value = f(Proxy(np.arange(3.0)), 1.0)
        assert (word, who, method) == ("asked", f, "__call__") and value.tolist() == [1, 2, 3]
        assert f.reduce(Proxy(np.arange(3.0)))[2:] == ("reduce", 3.0)
        assert f.outer(1.0, Proxy([1.0, 2.0]))[2] == "outer"

    class Refuses:
        __array_ufunc__ = None

    with pytest.raises(TypeError, match="does not support ufuncs"):
        plus64(np.arange(3.0), Refuses())


def test_from_many_threads():
    f = vectorize(total)
    failures = []

    def work(k):
        try:
            for i in range(60):
                dtype = DTYPES[1 + (k + i) % 10]
                x = (np.arange(2000) % 50).astype(dtype)
                assert np.array_equal(f(x, x), x.astype("d") * 2)
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    [t.start() for t in threads], [t.join() for t in threads]
    assert not failures


def test_no_leak(plus64, plus):
    a, text = np.arange(2000.0), np.array(["x"])

    @vectorize
    def picky(x):
        if x > 5:
            raise ValueError("big", x)
        return x

    for call in (lambda: plus64(a, a), lambda: plus(a[::2], 1.0), lambda: plus(1.0, 2.0),
                 lambda: plus.reduce(a), lambda: picky(a), lambda: plus(text, a),
                 lambda: plus64(a, a, a, a)):
        assert_no_leak(call, (plus64, plus, picky, a))


# -- mistakes -----------------------------------------------------------------------------------

def test_refused():
    with pytest.raises(errors.UnsupportedError, match="target='wild'"):
        vectorize(target="wild")(total)
    with pytest.raises(TypeError, match="nothing to vectorize"):
        vectorize(lambda: 1)
    with pytest.raises(errors.TypingError, match="has 2 argument types, not 1"):
        vectorize(["float64(float64)"])(total)
    with pytest.raises(errors.TypingError, match="argument 'x' is array"):
        vectorize(["float64(float64[:], float64)"])(total)
    with pytest.raises(errors.TypingError, match="its result is UniTuple"):
        vectorize(lambda x: (x, x))(np.arange(3.0))
    with pytest.raises(TypeError, match="not a Python function"):
        vectorize([])(np.add)
    with pytest.raises(TypeError):
        vectorize(total)(np.array(["a", "b"]), 1)
    with pytest.raises(TypeError, match="jit has no option"):
        vectorize(nonsense=True)(total)


# -- pickling -----------------------------------------------------------------------------------

@vectorize
def module_level(x, y):
    return x * 10 + y


def test_pickled_by_reference():
    assert pickle.loads(pickle.dumps(module_level)) is module_level


def test_pickled_by_value_it_is_the_same_one():
    local = vectorize(lambda x: x + 1)
    data = pickle.dumps(local)
    assert pickle.loads(data) is local and pickle.dumps(local) == data
    code = ("import pickle, sys; data = sys.stdin.buffer.read(); f = pickle.loads(data)\n"
            "print(f is pickle.loads(data), f([1, 2]).tolist())")
    for env, out in (({}, "True [2, 3]"), ({"WHIPSNAKE_DISABLE_JIT": "1"}, "True [2, 3]")):
        got = subprocess.run([sys.executable, "-c", code], input=data, capture_output=True,
                             env={**support.os.environ, **env})
        assert got.stdout.decode().strip() == out, got.stderr.decode()


# -- in compiled code ---------------------------------------------------------------------------

def hypot(x, y):
    if x > 3:
        return math.sqrt(x * x + y * y)
    return x + y


FUNCTION = None if support.PLAIN else vectorize(hypot)


@pytest.mark.parametrize("call", [
    lambda x, y: FUNCTION(x, y), lambda x, y: FUNCTION(x * 2 + 1, y) - 1,
    lambda x, y: np.sum(FUNCTION(x, y) * np.ones(1)), lambda x, y: FUNCTION(FUNCTION(x, y), x)])
def test_compiled_callers(call):
    a, b = np.arange(24.0).reshape(4, 6), np.arange(6.0)[::-1]
    compiled = njit(call)
    for x, y in ((a, b), (a[:, ::2], 2.0), (1.5, 4.0), (a[:0], b), (a, a.T.copy().T)):
        got, want = compiled(x, y), call(x, y)
        assert np.allclose(got, want, rtol=1e-15, atol=0), (got, want)
        assert np.shape(got) == np.shape(want)


def test_given_signatures_convert_in_compiled_code():
    f = vectorize(["float32(float32)", "float64(float64)"])(lambda x: x / 3)
    compiled = njit(lambda x: f(x))
    for x in (np.arange(4, dtype=np.int8), np.arange(4), np.arange(4.0), np.float32(2.5), 2.5):
        got, want = compiled(x), f(x)
        assert np.array_equal(got, want)
        if isinstance(x, np.ndarray):
            assert got.dtype == want.dtype
    with pytest.raises(errors.TypingError, match="does not take"):
        compiled(1j)


def test_exceptions_in_compiled_callers():
    @vectorize
    def picky(x):
        if x > 5:
            raise ValueError("big")
        return x

    compiled = njit(lambda a: picky(a))
    assert np.array_equal(compiled(np.arange(5.0)), np.arange(5.0))
    with pytest.raises(ValueError, match="big"):
        compiled(np.arange(9.0))


def test_disable_jit_is_plain_python(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("import numpy as np\nfrom whipsnake import vectorize, guvectorize\n"
                       "seen = []\n"
                       "@vectorize\ndef f(x):\n    seen.append(x)\n    return x + 1\n"
                       "print(f(np.arange(3)).tolist(), len(seen) >= 3)\n"
                       "@guvectorize(['void(float64[:], float64[:])'], '(n)->()')\n"
                       "def g(x, out):\n    seen.append(x)\n    out[0] = x.sum()\n"
                       "print(g(np.ones((2, 3))).tolist(), type(seen[-1]).__name__)\n")
    out = subprocess.run([sys.executable, str(program)], capture_output=True, text=True,
                         env={**support.os.environ, "WHIPSNAKE_DISABLE_JIT": "1"})
    assert out.stdout.split("\n")[:2] == ["[1, 2, 3] True", "[3.0, 3.0] ndarray"], out.stderr


# -- on several threads ---------------------------------------------------------------------------


@pytest.fixture
def threads():
    import whipsnake

    with whipsnake.parallel_chunksize(100):
        yield whipsnake._core.set_threads
    whipsnake._core.set_threads(0)


def test_parallel(threads):
    def wave(x, y):
        return math.sin(x) * y

    one, many = vectorize(wave), vectorize(target="parallel")(wave)
    x, y = np.linspace(0, 9, 5000), np.linspace(1, 2, 5000)
    for n in range(1, 9):
        threads(n)
        np.testing.assert_array_equal(many(x, y), one(x, y))
        np.testing.assert_array_equal(many(x[::2], 2.0), one(x[::2], 2.0))
        z = x.copy()
        many(z, y, out=z)
        np.testing.assert_array_equal(z, one(x, y))
        assert many.reduce(y) == one.reduce(y)
    assert many(1.0, 2.0) == one(1.0, 2.0)
    assert "region" in "".join(many._row.inspect_llvm().values())


def test_parallel_raises_what_the_first_element_raises(threads):
    @vectorize(target="parallel")
    def checked(x):
        if x < 0:
            raise ValueError("negative", x)
        return x

    x = np.arange(5000.0)
    x[[333, 4000]] = -333, -4000
    for n in range(1, 9):
        threads(n)
        with pytest.raises(ValueError) as info:
            checked(x)
        assert info.value.args == ("negative", -333.0)
        assert checked(abs(x)).sum() == abs(x).sum()
