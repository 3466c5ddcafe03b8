"""cfunc: C functions, their pointers, what calls them."""

import ctypes
import gc
import math
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest

from support import PLAIN, make, run_python
from whipsnake import carray, cfunc, farray, njit, types
from whipsnake.errors import TypingError

if PLAIN:
    pytest.skip("about compiled code", allow_module_level=True)

table = np.arange(4.0)


def pointer(a):
    return a.ctypes.data_as(ctypes.POINTER(np.ctypeslib.as_ctypes_type(a.dtype)))


@cfunc("float64(float64)")
def wave(x):
    """A wave."""
    return math.sin(x) * x


@cfunc("int64(int64)")
def divide(x):
    return 10 // x


def test_what_a_callback_is():
    assert wave.ctypes(2.0) == math.sin(2.0) * 2.0 == wave(2.0)
    assert wave.ctypes.restype is ctypes.c_double and wave.ctypes.argtypes == (ctypes.c_double,)
    assert ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(wave.address)(1.0) == math.sin(1.0)
    assert wave.__name__ == "wave" and wave.__doc__ == "A wave." and "wave" in wave.native_name
    assert wave.signature == types.float64(types.float64)
    assert "define" in wave.inspect_llvm() and "wave" in repr(wave)


EDGES = {"int8": [-128, 127, -1], "uint8": [0, 255], "int16": [-32768, -1], "uint16": [65535],
         "int32": [-2 ** 31, -1, 7], "uint32": [2 ** 32 - 1], "int64": [-2 ** 63, -1],
         "uint64": [2 ** 64 - 1], "float32": [1.5, math.inf], "float64": [-0.1, math.inf],
         "boolean": [True, False]}


@pytest.mark.parametrize("name", EDGES)
def test_numbers_of_each_type(name):
    f = cfunc(f"{name}({name})")(lambda x: x)
    for value in EDGES[name]:
        got = f.ctypes(value)
        assert got == value and type(got) is type(value)


def test_upper_bits_of_registers_mean_nothing():
    """C leaves them open: the same function, called with whole registers."""
    for name, result in [("int8", -1), ("uint8", 255), ("int32", -1), ("boolean", 1)]:
        f = cfunc(f"int64({name})")(lambda x: int(x))
        call = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_uint64)(f.address)
        assert call(0xABCDEF1200000000 | 0xFFFFFFFF) == result


def test_more_arguments_than_registers():
    ints = ", ".join(f"i{k}" for k in range(9))
    floats = ", ".join(f"f{k}" for k in range(11))
    both = ", ".join(f"{a}, {b}" for a, b in zip(ints.split(", "), floats.split(", ")))
    body = " + ".join([f"(k + 1) * i{k}".replace("k +", f"{k} +") for k in range(9)]
                      + [f"{k + 20} * f{k}" for k in range(11)])
    f = make(f"def f({both}, f9, f10):\n    return {body}\n")
    c = cfunc(types.float64(*[types.int16, types.float32] * 9, types.float64, types.float32))(f)
    args = [k * (-1) ** k if k % 2 else k + 0.5 for k in range(20)]
    args = [int(a) if k < 18 and k % 2 == 0 else float(a) for k, a in enumerate(args)]
    assert c.ctypes(*args) == f(*args)


def test_pointers_are_read_and_written():
    @cfunc(types.void(types.CPointer(types.float64), types.CPointer(types.intc), types.intp))
    def scale(x, factors, n):
        for i in range(n):
            x[i] = x[i] * factors[i]

    x, factors = np.arange(5.0), np.array([1, -2, 3, -4, 5], np.int32)
    assert scale.ctypes(pointer(x), pointer(factors), 4) is None
    assert x.tolist() == [0, -2, 6, -12, 4]


@pytest.mark.parametrize("shaped, order", [(carray, "C"), (farray, "F")])
def test_arrays_from_pointers(shaped, order):
    @cfunc("void(CPointer(float64), intc, intc, CPointer(float64))")
    def sums(at, n, m, out):
        a = shaped(at, (n, m))
        out[0] = a.sum()
        for i in range(n):
            for j in range(m):
                a[i, j] += 10 * i + j

    a = np.arange(12.0).reshape((3, 4), order="A").copy(order)
    want, out = a + np.add.outer(10 * np.arange(3), np.arange(4)), np.zeros(1)
    total = a.sum()
    sums.ctypes(pointer(a.ravel("K")), 3, 4, pointer(out))
    assert np.array_equal(a, want) and out[0] == total
    assert np.array_equal(shaped(pointer(a.ravel("K")), (3, 4)), want)  # and from Python


def test_void_pointers():
    @cfunc("float64(voidptr, intp)")
    def total(data, n):
        return carray(data, n, np.float32).sum() + carray(data, (n, 1), dtype=np.float32)[0, 0]

    a = np.array([1.5, 2.5, 4], np.float32)
    assert total.ctypes(a.ctypes.data, 3) == 9.5
    assert total.ctypes.argtypes[0] is ctypes.c_void_p


def test_arrays_of_python_pointers():
    a = np.arange(6.0)
    same = carray(pointer(a), (2, 3))
    same[1, 1] = 100
    assert a[4] == 100 and farray(a.ctypes.data, (3, 2), np.float64)[1, 1] == 100
    with pytest.raises(TypeError, match="dtype is needed"):
        carray(a.ctypes.data, 3)
    with pytest.raises(TypeError, match="points at float64"):
        carray(pointer(a), 3, np.int32)


def test_shaped_arrays_keep_the_memory():
    shaped = njit(lambda a, n: carray(a, (n, 2)))
    for make_it in (shaped, lambda a, n: carray(pointer(a), (n, 2)),
                    lambda a, n: carray(a, (n, 2))):
        original = np.arange(20000.0)
        watch = weakref.ref(original)
        b = make_it(original, 10000)
        del original
        gc.collect()
        assert watch() is not None and b[9999].tolist() == [19998.0, 19999.0]
        del b
        gc.collect()
        assert watch() is None


@pytest.mark.parametrize("shaped", [carray, farray])
@pytest.mark.parametrize("shape, text", [
    ((-1, -1), "negative dimensions"),
    ((2, -3), "negative dimensions"),
    ((2**31, 2**31), "array is too big"),
    ((2**62, 2**62), "array is too big"),
])
def test_shapes_that_there_cannot_be(shaped, shape, text):
    size = njit(lambda a, shape: shaped(a, shape).size)
    with pytest.raises(ValueError, match=text):
        size(np.zeros(1), shape)
    with pytest.raises(ValueError, match=text):
        shaped(pointer(np.zeros(1)), shape)


def test_arrays_are_given_no_shape_beyond_their_end():
    f = njit(lambda a, shape: carray(a, shape, np.int32))
    assert f(np.arange(3), (2, 3)).tolist() == [[0, 0, 1], [0, 2, 0]]
    with pytest.raises(ValueError, match="the shape needs 28 bytes, but the array has 24"):
        f(np.arange(3), (7, 1))


def test_captured_arrays_and_compiled_callers():
    @cfunc("float64(intp)")
    def look(i):
        return table[i]

    table[2] = 7
    assert look.ctypes(2) == 7
    assert njit(lambda x: wave(x) + look(1))(2.0) == wave(2.0) + 1


def test_no_result():
    f = cfunc("void(int64)")(lambda x: None)
    assert f.ctypes(3) is None
    assert cfunc("(int64,)")(lambda x: x * 0.5).ctypes(3) == 1.5


def test_exceptions_are_printed_and_give_zero():
    out = run_python("""
        from whipsnake import cfunc
        @cfunc("int64(int64)")
        def divide(x):
            return 10 // x
        print(divide.ctypes(0), divide.ctypes(5))
    """)
    assert out.stdout == "0 2\n"
    assert "Exception ignored in" in out.stderr and "ZeroDivisionError" in out.stderr
    assert "line 5, in divide" in out.stderr


def test_exceptions_on_threads_of_c():
    """Python knows nothing of the thread; exceptions of the code, and of what is done before it."""
    out = run_python("""
        import ctypes, sys
        from ctypes import byref, c_void_p
        import numpy as np
        from whipsnake import cfunc
        table = np.arange(4.0)
        @cfunc("intp(intp)")
        def divide(x):
            return 10 // x
        @cfunc("intp(intp)")
        def look(x):
            return int(table[x])
        seen = []
        def hook(u):
            seen.append((u.exc_type.__name__, str(u.exc_value), u.object.__name__))
        sys.unraisablehook = hook
        libc = ctypes.CDLL(None)
        def call_in_thread(f, x):
            thread, result = ctypes.c_ulong(), c_void_p()
            assert not libc.pthread_create(byref(thread), None, c_void_p(f.address), c_void_p(x))
            assert not libc.pthread_join(thread, byref(result))
            return result.value or 0
        print(*[call_in_thread(f, x) for f, x in ((divide, 5), (divide, 0), (look, 3), (look, 9))])
        table.shape = 2, 2
        print(call_in_thread(look, 3), look.ctypes(3))
        for line in seen:
            print(*line)
    """)
    assert out.stdout.splitlines() == [
        "2 0 3 0", "0 0",
        "ZeroDivisionError integer division or modulo by zero divide",
        "IndexError index 9 is out of bounds for axis 0 with size 4 look",
        *["TypeError a captured array was array(float64, 1d, C) when the function was compiled "
          "look"] * 2,
    ], out.stderr


def test_an_exception_that_is_on_its_way_stays():
    """C may call back while an exception of Python's is set (a destructor): that is not lost."""
    seen = []

    class Loud:
        def __del__(self):
            seen.append(wave.ctypes(0.0))
            f.ctypes(2)

    limit = np.arange(3)
    f = cfunc("int64(int64)")(lambda i: limit[i])

    def fail():
        loud = Loud()
        raise KeyError(type(loud).__name__)

    with pytest.raises(KeyError, match="Loud"):
        fail()
    gc.collect()
    assert seen == [0.0]


def test_threads_that_hold_nothing():
    """ctypes releases the GIL; the threads run compiled code at the same time."""
    f = cfunc("float64(int64)")(lambda n: 1.0 / (n + 1) + 1.0 / (n + 2))
    results = [None] * 8

    def work(k):
        results[k] = [f.ctypes(i) for i in range(200)]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    want = [1 / (i + 1) + 1 / (i + 2) for i in range(200)]
    assert all(r == want for r in results)


@pytest.mark.parametrize("sig, func, text", [
    ("unicode_type(int64)", lambda x: "a", "a number or nothing"),
    ("int64(unicode_type)", lambda s: len(s), "numbers and pointers"),
    ("float64(float64[:, :])", lambda a: a[0, 0], "numbers and pointers"),
    ("float64[::1](CPointer(float64))", lambda p: p, "number or nothing"),
])
def test_what_c_cannot_pass(sig, func, text):
    with pytest.raises(TypeError, match=text):
        cfunc(sig)(func)


def test_errors_when_compiling():
    with pytest.raises(TypingError, match="float64 has no attribute 'nothing'"):
        cfunc("float64(float64)")(lambda x: x.nothing)


def test_pickled(tmp_path):
    import pickle

    assert pickle.loads(pickle.dumps(wave)) is wave
    (tmp_path / "p.py").write_text("import pickle\nfrom whipsnake import cfunc\n"
                                   "@cfunc('int64(int64)')\ndef f(x):\n    return x + 1\n"
                                   "open('data', 'wb').write(pickle.dumps(f))\n")
    subprocess.run([sys.executable, "p.py"], cwd=tmp_path, check=True)
    (tmp_path / "p.py").unlink()
    out = run_python("import pickle; print(pickle.load(open('data', 'rb')).ctypes(4))",
                     cwd=tmp_path)
    assert out.stdout == "5\n"


def test_the_cache_has_them(tmp_path):
    code = """
        from whipsnake import cfunc
        f = cfunc("float64(float64)")(lambda x: x + 41)
        print(f.ctypes(1), f.cache_hits)
    """
    env = {"WHIPSNAKE_CACHE_DIR": str(tmp_path / "cache")}
    assert [run_python(code, env=env).stdout for _ in range(2)] == ["42.0 0\n", "42.0 1\n"]


def test_the_interpreter_runs_them_too():
    assert run_python("""
        from whipsnake import cfunc
        print(cfunc("float64(float64)")(lambda x: x + 41)(1), end=" ")
        print(cfunc("float64(float64)")(lambda x: x + 41).ctypes(1))
    """, env={"WHIPSNAKE_DISABLE_JIT": "ir"}).stdout == "42 42.0\n"


# -- SciPy and cffi -------------------------------------------------------------------------------

def test_scipy_integrates():
    scipy = pytest.importorskip("scipy")
    from scipy import integrate

    fast = integrate.quad(scipy.LowLevelCallable(wave.ctypes), 0, 3)
    assert fast == integrate.quad(lambda x: math.sin(x) * x, 0, 3)

    @cfunc("float64(intc, CPointer(float64))")
    def product(n, x):
        return x[0] * x[1]

    limits = [[0, 1], [0, 2]]
    assert integrate.nquad(scipy.LowLevelCallable(product.ctypes), limits) == \
        integrate.nquad(lambda x, y: x * y, limits)


def test_scipy_filters_images():
    scipy = pytest.importorskip("scipy")
    from scipy import ndimage

    @cfunc("intc(CPointer(float64), intp, CPointer(float64), voidptr)")
    def spread(values, n, result, user_data):
        a = carray(values, n)
        result[0] = a.max() - a.min()
        return 1

    image = np.random.default_rng(1).random((15, 17))
    got = ndimage.generic_filter(image, scipy.LowLevelCallable(spread.ctypes), size=3)
    assert np.array_equal(got, ndimage.generic_filter(image, lambda a: a.max() - a.min(), size=3))


def test_cffi():
    cffi = pytest.importorskip("cffi")
    ffi = cffi.FFI()
    assert ffi.cast("double (*)(double)", wave.cffi)(2.0) == wave(2.0)
