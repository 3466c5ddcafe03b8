"""The decorators, their options, and the compiled function object."""

import io
import threading

import numpy as np
import pytest

import support
import values
from support import PLAIN, compiled, errors, jit, make, njit, types, typeof
from whipsnake.extending import overload

if PLAIN:
    pytest.skip("looks at the compiler itself", allow_module_level=True)


def add(x, y):
    """Add two numbers."""
    return x + y


add.unit = "metre"


@pytest.mark.parametrize("decorate", [
    njit, jit, njit(), jit(), njit(nogil=True), jit(nopython=True), njit(cache=False),
    njit(fastmath=True), njit(fastmath={"contract", "nnan"}), njit(error_model="python"),
    njit(error_model="numpy"), njit(boundscheck=False), njit(boundscheck=True), njit(debug=True),
    njit(inline="always"), njit(inline="never"), njit(parallel=True), njit(locals={}),
    njit(nogil=True, fastmath=False, cache=False, boundscheck=None),
])
def test_forms_of_the_decorator(decorate):
    fast = decorate(add)
    assert fast(1, 2) == 3 and fast(1.5, 2) == 3.5


@pytest.mark.parametrize("signature", [
    "int64(int64, int64)", "(int64, int64)", "i8(i8, i8)", types.int64(types.int64, types.int64),
    (types.int64, types.int64),
])
def test_one_signature_compiles_at_once(signature):
    fast = njit(signature)(add)
    assert fast.signatures == [(types.int64, types.int64)]
    assert fast(3, 4) == 7 and type(fast(True, np.int8(4))) is int
    assert len(fast.signatures) == 1


def test_several_signatures():
    fast = njit(["int64(int64, int64)", "float64(float64, float64)"])(add)
    assert len(fast.signatures) == 2
    assert type(fast(1, 2)) is int and type(fast(1, 2.5)) is float
    assert len(fast.signatures) == 2


def test_a_signature_fixes_the_return_type():
    fast = njit("float64(int64, int64)")(add)
    assert repr(fast(1, 2)) == "3.0"
    narrow = njit("int8(int64, int64)")(add)
    assert narrow(100, 100) == -56


def test_arguments_that_do_not_convert_to_the_signature_are_refused():
    fast = njit("int64(int64, int64)")(add)
    with pytest.raises(TypeError):
        fast("a", 1)
    with pytest.raises(TypeError):
        fast(1j, 1)
    with pytest.raises(TypeError):
        fast(np.zeros(3), 1)


@pytest.mark.parametrize("text, array", [
    ("float64(float64[:])", np.arange(3.0)), ("float64(float64[::1])", np.arange(3.0)),
    ("float64(float64[:, ::1])", np.ones((2, 3))), ("float64(float64[::1, :])",
                                                    np.asfortranarray(np.ones((2, 3)))),
    ("f8(f8[:, :])", np.ones((2, 3))[:, ::2]), ("float64(float64[:, :, :])", np.ones((2, 1, 3))),
])
def test_array_signatures(text, array):
    total = njit(text)(lambda a: a.sum() * 1.0)
    assert total(array) == array.sum()


def test_a_signature_of_everything():
    signature = "Tuple((float64, int32))(float64[:, ::1], int32, boolean, complex128, uint8)"
    fast = njit(signature)(make("def f(a, n, b, z, k):\n    return a[0, 0] + n, n\n"))
    assert fast(np.ones((1, 1)), 2, True, 1j, 3) == (3.0, 2)
    nothing = njit("void(float64[:])")(make("def f(a):\n    a[0] = 1.0\n"))
    assert nothing(np.zeros(2)) is None


def test_typeof_and_types_agree():
    assert typeof(1) == types.int64 and typeof(1.0) == types.float64
    assert typeof(True) == types.boolean and typeof(1j) == types.complex128
    assert typeof(np.float32(1)) == types.float32 and typeof(2**63) == types.uint64
    assert typeof(np.zeros((2, 3))) == types.float64[:, ::1]
    assert typeof(np.zeros((2, 3), order="F")) == types.float64[::1, :]
    assert typeof(np.zeros((4, 4))[::2, ::2]) == types.float64[:, :]
    assert typeof((1, 2.5)) == types.Tuple((types.int64, types.float64))
    assert typeof((1, 2)) == types.UniTuple(types.int64, 2)
    assert typeof(None) == types.none
    assert typeof(values.read_only(np.zeros(3))) != types.float64[::1]


def test_types_print_like_their_signature_strings():
    assert str(types.int64) == "int64" and str(types.float32) == "float32"
    assert str(types.int64(types.float64, types.int32)) == "(float64, int32) -> int64"
    assert types.float64[:, ::1].ndim == 2 and types.float64[:, ::1].layout == "C"
    assert types.float64[:].dtype == types.float64
    assert hash(types.float64[:]) == hash(types.float64[:])
    assert types.float64[:] != types.float64[::1]
    assert types.int32.bitwidth == 32 and types.uint8.bitwidth == 8


def test_from_dtype():
    from_dtype = support.engine.from_dtype
    assert from_dtype(np.dtype(np.int16)) == types.int16
    assert from_dtype(np.dtype("c8")) == types.complex64
    assert from_dtype(np.dtype(bool)) == types.boolean


def test_overloads_are_made_by_type():
    fast = njit(add)
    assert fast.signatures == [] and len(fast.overloads) == 0
    for args in [(1, 2), (1.0, 2), (1, 2.0), (np.float32(1), 2), (3, 4)]:
        fast(*args)
    assert len(fast.signatures) == 4 and fast.nopython_signatures
    result = fast.overloads[(types.int64, types.int64)]
    assert result.signature.return_type == types.int64
    assert result.signature.args == (types.int64, types.int64)
    assert result.entry_point


def test_layout_alignment_and_constness_make_overloads():
    fast = njit(lambda a: a[0])
    fast(np.zeros(3))
    fast(np.zeros(5))
    assert len(fast.signatures) == 1
    fast(np.zeros(6)[::2])
    fast(np.zeros(3, np.float32))
    assert len(fast.signatures) == 3
    fast(values.read_only(np.zeros(3)))
    fast(values.misaligned(np.zeros(3)))
    assert len(fast.signatures) == 5


def test_compile_by_hand():
    fast = njit(add)
    fast.compile((types.int32, types.int32))
    fast.compile("float64(float64, float64)")
    assert len(fast.signatures) == 2


def test_disable_compile():
    fast = njit(add)
    fast(1, 2)
    fast.disable_compile()
    assert fast(3, 4) == 7
    with pytest.raises(TypeError):
        fast(1j, 2)
    fast.disable_compile(False)
    assert fast(1j, 2) == 2 + 1j


def test_recompile_reads_changed_globals():
    f = make("def f(x):\n    return x + K\n", K=1)
    fast = njit(f)
    assert fast(1) == 2
    f.__globals__["K"] = 5
    fast.recompile()
    assert fast(1) == 6 and len(fast.signatures) == 1


def test_name_doc_and_attributes():
    fast = njit(add)
    assert fast.__name__ == "add" and fast.__doc__ == "Add two numbers."
    assert fast.__module__ == add.__module__ and fast.__qualname__ == "add"
    assert fast.py_func is add and fast.__wrapped__ is add
    assert fast.unit == "metre"
    assert "add" in repr(fast)
    fast.colour = "red"
    assert fast.colour == "red"
    import inspect
    assert str(inspect.signature(fast)) == "(x, y)"


def test_inspection():
    fast = njit(add)
    fast(1, 2)
    signature = fast.signatures[0]
    assert "define" in fast.inspect_llvm(signature)
    assert set(fast.inspect_llvm()) == {signature} == set(fast.inspect_asm())
    assert "ret" in fast.inspect_asm(signature)
    text = io.StringIO()
    fast.inspect_types(file=text)
    assert "int64" in text.getvalue() and "add" in text.getvalue()
    assert fast.inspect_cfg(signature) is not None
    assert fast.stats is not None


def test_locals_set_the_types_of_variables():
    source = """
        def f(n):
            total = 0
            for i in range(n):
                total += i
            return total
    """
    fast = njit(locals={"total": types.float64})(make(source))
    assert repr(fast(4)) == "6.0"


def test_decorating_twice_is_harmless():
    fast = njit(njit(add))
    assert fast(1, 2) == 3


@pytest.mark.parametrize("bad", [3, "text", None, [1], print, len, int])
def test_decorating_what_is_no_function(bad):
    with pytest.raises((TypeError, errors.CompileError, ValueError)):
        njit(bad)(1)


def test_unknown_options_are_refused():
    with pytest.raises(Exception, match="no_such_option"):
        njit(no_such_option=True)(add)(1, 2)


@pytest.mark.parametrize("options", [{"forceobj": True}, {"nopython": False}])
def test_object_mode_is_accepted_with_one_warning(options):
    with pytest.warns(Warning) as caught:
        fast = jit(**options)(add)
        assert fast(1, 2) == 3
    assert len(caught) == 1


def test_static_and_class_methods():
    class Box:
        @staticmethod
        @njit
        def twice(x):
            return 2 * x

        @classmethod
        def thrice(cls, x):
            return njit(lambda y: 3 * y)(x)

    assert Box.twice(3) == 6 and Box().twice(2.5) == 5.0 and Box.thrice(2) == 6


def test_compiled_functions_in_containers():
    table = {"add": njit(add), "sub": njit(lambda x, y: x - y)}
    assert table["add"](1, 2) == 3 and table["sub"](1, 2) == -1
    assert len({table["add"], table["add"], table["sub"]}) == 2


def test_names_that_are_not_built_yet_say_so_when_used():
    for name in ("cfunc", "objmode", "literally"):
        assert hasattr(support.engine, name)


def test_is_jitted():
    from importlib import import_module
    extending = import_module(support.engine.__name__ + ".extending")
    assert extending.is_jitted(njit(add)) and not extending.is_jitted(add)


def test_calls_from_many_threads_at_once():
    fast = njit(lambda a, n: a[n] + a.sum())
    results, failures = [], []

    def work(k):
        try:
            for i in range(200):
                dtype = (np.float64, np.float32, np.int64, np.int8)[(k + i) % 4]
                results.append(fast(np.arange(4, dtype=dtype), 2) == 8)
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failures and len(results) == 1600 and all(results)


def test_nogil_runs_beside_other_threads():
    @njit(nogil=True)
    def spin(n):
        total = 0
        for i in range(n):
            total ^= i * i
        return total

    spin(1)
    done = threading.Event()
    thread = threading.Thread(target=lambda: (spin(300_000_000), done.set()))
    thread.start()
    ticks = 0
    while not done.is_set() and ticks < 10_000_000:
        ticks += 1
    thread.join()
    assert ticks > 100


def test_pickling_by_reference():
    import pickle
    assert pickle.loads(pickle.dumps(module_level))(3) == 4


@njit
def module_level(x):
    return x + 1


def test_keyword_calls_use_the_same_overload():
    fast = compiled(add)
    before = len(fast.signatures)
    fast(1, 2)
    fast(y=2, x=1)
    fast(1, y=2)
    assert len(fast.signatures) <= before + 1


def test_first_call_imports_little():
    """Called functions and classes are known without the Python half of the types: milliseconds of
    a first call."""
    support.run_python("""
        import sys
        import numpy as np
        from whipsnake import njit

        @njit
        def half(x):
            return np.float32(x) / 2

        @njit
        def f(x):
            return half(float(x))

        assert f(3) == 1.5
        assert "whipsnake.types" not in sys.modules
        assert "whipsnake.errors" not in sys.modules
    """)


def meet(*bodies):
    """Run the bodies in threads of their own; their results in order."""
    results = [None] * len(bodies)

    def run(k):
        try:
            results[k] = bodies[k]()
        except BaseException as failure:
            results[k] = failure

    threads = [threading.Thread(target=run, args=(k,)) for k in range(len(bodies))]
    for t in threads:
        t.start()
    for t in threads:
        t.join(60)
        assert not t.is_alive()
    return results


def test_threads_wait_for_the_one_that_compiles():
    f = njit(lambda a, b: a * b + 3)
    assert meet(*[lambda: f(2, 5)] * 12) == [13] * 12
    assert len(f._entries()) == 1
    promised = njit(["float64(float64)", "int64(int64)"])(lambda x: x + 1)
    assert meet(*[lambda: promised(2.5)] * 12) == [3.5] * 12
    assert len(promised._entries()) == 2


def test_compiles_that_run_each_other_do_not_wait_for_each_other():
    """Overloads are Python: while f compiles g is called, and the other way round."""
    barrier = threading.Barrier(2)

    def one(x):
        return x

    def two(x):
        return x

    f = njit(lambda x: one(x) + 1)
    g = njit(lambda x: two(x) * 2)

    @overload(one)
    def ol_one(x):
        if x is types.int64:
            barrier.wait(30)
            assert g(1.5) == 3.0
        return lambda x: x

    @overload(two)
    def ol_two(x):
        if x is types.int64:
            barrier.wait(30)
            assert f(1.5) == 2.5
        return lambda x: x

    assert meet(lambda: f(5), lambda: g(5)) == [6, 10]
