"""Compare a function run as plain Python with the same function compiled.

`check(func, *args)` is the backbone of the suite. The rules of the comparison:

- A scalar comes back as the Python number of its kind: bool, int (any width), float (also for
  float32), complex. A NumPy scalar from the plain run is therefore compared by its `.item()`.
- Types are exact: 1, 1.0 and True differ; so do a tuple and a named tuple.
- Floats are equal in value and in the sign of zero; NaN equals NaN. `ulp=` allows a distance.
- Arrays agree in dtype, shape, strides, writability and every element, and in whether they share
  memory with an argument; an argument that is returned comes back as the same object.
- If the plain run raises, the compiled one raises the same type with the same message.
- The arrays among the arguments hold the same values afterwards, raised or not.

The plain run sees array elements as the contract types them (a Python int or float instead of a
NumPy scalar), and calls the plain versions of compiled functions that it refers to. If a scalar or
an array of float32, complex64 or uint64, or any NumPy scalar is among the arguments, all numbers
of the plain run are `model.Val`s.

WHIPSNAKE_TEST_ENGINE=python makes the compiled function the plain function itself, to try the
tests without a compiler; the name of another module with the same API runs them against that.
"""

import ctypes
import functools
import importlib
import itertools
import linecache
import math
import os
import struct
import subprocess
import sys
import textwrap
import types as pytypes

import numpy as np
import pytest

import model

ENGINE = os.environ.get("WHIPSNAKE_TEST_ENGINE", "whipsnake")
PLAIN = ENGINE == "python"
engine = importlib.import_module("plain_engine" if PLAIN else ENGINE)

jit, njit, prange = engine.jit, engine.njit, engine.prange
types, typeof = engine.types, engine.typeof
errors = importlib.import_module(engine.__name__ + ".errors") if not PLAIN else engine.errors

needs_compiler = pytest.mark.skipif(PLAIN, reason="looks at the compiler itself")

# From Python 3.13 on the interpreter words these differently, and more than once.
_REWORDED = (ZeroDivisionError, ValueError) if sys.version_info >= (3, 13) else ()
_MODEL_DTYPES = ("float32", "complex64", "uint64")
_byte_bounds = getattr(np, "byte_bounds", None) or np.lib.array_utils.byte_bounds


# -- the plain run ------------------------------------------------------------------------------

class Ref(np.ndarray):
    """An array whose elements come out as Python numbers, as compiled code types them."""

    def __getitem__(self, key):
        item = super().__getitem__(_plain_key(key))
        return item.item() if isinstance(item, np.generic) else item

    def __setitem__(self, key, value):
        super().__setitem__(_plain_key(key), value)

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __array_wrap__(self, array, context=None, return_scalar=False):
        if array.ndim == 0:  # a reduction, which for a subclass would stay an array
            return self._number(array)
        return super().__array_wrap__(array, context)

    @staticmethod
    def _number(array):
        return array.item()


class ModelRef(Ref):
    """An array whose elements come out as `model.Val`s."""

    def __getitem__(self, key):
        item = np.ndarray.__getitem__(self, _plain_key(key))
        return model.Val(item.dtype.name, item.item()) if isinstance(item, np.generic) else item

    def __setitem__(self, key, value):
        if isinstance(value, model.Val):
            value = model.store(value.value, self.dtype.name)
        super().__setitem__(_plain_key(key), value)

    @staticmethod
    def _number(array):
        return model.Val(array.dtype.name, array.item())


def _plain_key(key):
    """Subscripts with model integers turned into Python ones and Ref arrays into plain arrays."""
    if isinstance(key, tuple):
        return tuple(_plain_key(k) for k in key)
    if isinstance(key, model.Val):
        return int(key)
    if isinstance(key, Ref):
        return key.view(np.ndarray)
    return key


def is_compiled(obj):
    """True for a compiled function object."""
    return callable(obj) and hasattr(obj, "py_func")


def plain(func, modelled=False):
    """The plain Python function behind `func`, in whose globals, closure and defaults every
    compiled function is replaced by its plain version as well. modelled: int, float, range and
    friends give typed numbers."""
    return _plain(func, modelled, {})


def _plain(func, modelled, memo):
    if is_compiled(func):
        func = func.py_func
    if id(func) in memo:
        return memo[id(func)]
    if not isinstance(func, pytypes.FunctionType) or not _is_user_code(func):
        return func
    scope = dict(func.__globals__)
    copy = pytypes.FunctionType(func.__code__, scope, func.__name__, func.__defaults__,
                                _plain_closure(func, modelled, memo))
    copy.__kwdefaults__ = func.__kwdefaults__
    memo[id(func)] = copy
    if func.__closure__:
        _fill_closure(func, copy, modelled, memo)
    for name in _names(func.__code__):
        if name in scope:
            scope[name] = _plain_value(scope[name], modelled, memo)
    if modelled:
        for name, value in model.BUILTINS.items():
            scope.setdefault(name, value)
    return copy


def _is_user_code(func):
    filename = func.__code__.co_filename
    return "site-packages" not in filename and "/lib/python" not in filename


def _names(code):
    """All global names that a code object and those nested in it mention."""
    names = set(code.co_names)
    for const in code.co_consts:
        if isinstance(const, pytypes.CodeType):
            names |= _names(const)
    return names


def _plain_closure(func, modelled, memo):
    return tuple(pytypes.CellType() for _ in func.__closure__ or ()) or None


def _fill_closure(func, copy, modelled, memo):
    for old, new in zip(func.__closure__, copy.__closure__):
        try:
            new.cell_contents = _plain_value(old.cell_contents, modelled, memo)
        except ValueError:  # the cell is still empty
            pass


def _plain_value(value, modelled, memo):
    if is_compiled(value) or isinstance(value, pytypes.FunctionType):
        return _plain(value, modelled, memo)
    if type(value) is tuple:
        return tuple(_plain_value(v, modelled, memo) for v in value)
    return value


def _needs_model(value):
    if isinstance(value, np.ndarray):
        return value.dtype.name in _MODEL_DTYPES
    if isinstance(value, tuple):
        return any(_needs_model(v) for v in value)
    if type(value) is int:
        return value > model.int_range("int64")[1]
    return isinstance(value, np.generic) and not isinstance(value, (np.float64, np.complex128))


def _reference_argument(value, modelled, pairs):
    """`value` as the plain run sees it. pairs collects (the clone, its Ref view)."""
    if isinstance(value, np.ndarray):
        view = value.view(ModelRef if modelled else Ref)
        pairs.append((value, view))
        return view
    if isinstance(value, tuple):
        items = [_reference_argument(v, modelled, pairs) for v in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if is_compiled(value) or isinstance(value, pytypes.FunctionType):
        return plain(value, modelled)
    if isinstance(value, (np.float64, np.complex128)):
        value = value.item()
    if modelled and isinstance(value, np.generic):
        return model.Val(value.dtype.name, value.item())
    if modelled and isinstance(value, (bool, int, float, complex)):
        ty = {bool: "bool", int: "int64", float: "float64", complex: "complex128"}[type(value)]
        if ty == "int64" and value > model.int_range("int64")[1]:
            ty = "uint64"
        return model.Val(ty, value)
    return value


# -- clones that keep the layout ----------------------------------------------------------------

def clone(value, memo=None):
    """A deep copy of an argument. Arrays keep their strides, alignment and read-only flag, and
    arrays that share memory go on sharing it."""
    memo = {} if memo is None else memo
    if isinstance(value, np.ndarray):
        return _clone_array(value, memo)
    if isinstance(value, tuple):
        items = [clone(v, memo) for v in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    return value


def _clone_array(array, memo):
    if ("array", id(array)) in memo:
        return memo["array", id(array)]
    owner = array
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    low, high = _byte_bounds(owner)
    if ("block", id(owner)) not in memo:
        raw = np.empty(high - low + 128, np.uint8)
        shift = (low - raw.ctypes.data) % 64
        ctypes.memmove(raw.ctypes.data + shift, low, high - low)
        memo["block", id(owner)] = raw, shift
    raw, offset = memo["block", id(owner)]
    if array.size:
        offset += array.__array_interface__["data"][0] - low
    copy = np.ndarray(array.shape, array.dtype, raw, offset, array.strides)
    copy.flags.writeable = array.flags.writeable
    memo["array", id(array)] = copy
    return copy


# -- comparison ---------------------------------------------------------------------------------

def unwrap(value):
    """A result of the plain run as the compiled function must return it."""
    if isinstance(value, model.Val):
        return value.value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, tuple):
        items = [unwrap(v) for v in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    return value


def _ordered(x):
    """A float64 as an integer such that neighbours differ by one."""
    n = struct.unpack("<q", struct.pack("<d", x))[0]
    return n if n >= 0 else -(n & 0x7FFFFFFFFFFFFFFF)


def ulp_distance(a, b):
    """How many float64 values apart a and b are; 0 if both are NaN."""
    if math.isnan(a) or math.isnan(b):
        return 0 if math.isnan(a) and math.isnan(b) else math.inf
    return abs(_ordered(a) - _ordered(b))


def assert_same(got, want, ulp=0, path="result"):
    """Demand that `got` (compiled) is `want` (plain, unwrapped), by the rules above."""
    if isinstance(want, np.ndarray):
        return _assert_same_array(got, want, ulp, path)
    assert type(got) is type(want), f"{path}: {got!r} ({type(got).__name__}) instead of " \
        f"{want!r} ({type(want).__name__})"
    if isinstance(want, tuple):
        assert len(got) == len(want), f"{path}: {got!r} instead of {want!r}"
        for i, (g, w) in enumerate(zip(got, want)):
            assert_same(g, w, ulp, f"{path}[{i}]")
    elif isinstance(want, complex):
        assert_same(got.real, want.real, ulp, path + ".real")
        assert_same(got.imag, want.imag, ulp, path + ".imag")
    elif isinstance(want, float):
        distance = ulp_distance(got, want)
        assert distance <= ulp, f"{path}: {got!r} instead of {want!r} ({distance} ulp apart)"
        if not math.isnan(want):
            assert math.copysign(1, got) == math.copysign(1, want) or (ulp and want), \
                f"{path}: sign of {got!r} instead of {want!r}"
    else:
        assert got == want, f"{path}: {got!r} instead of {want!r}"


def _assert_same_array(got, want, ulp, path):
    assert type(got) is np.ndarray, f"{path}: {type(got).__name__} instead of an array"
    assert got.dtype == want.dtype, f"{path}: dtype {got.dtype} instead of {want.dtype}"
    assert got.shape == want.shape, f"{path}: shape {got.shape} instead of {want.shape}"
    if want.size:
        strides = [(g, w) for g, w, n in zip(got.strides, want.strides, want.shape) if n > 1]
        assert all(g == w for g, w in strides), \
            f"{path}: strides {got.strides} instead of {want.strides}"
    assert got.flags.writeable == want.flags.writeable, \
        f"{path}: writeable is {got.flags.writeable}"
    assert_same_elements(got, want, ulp, path)


def assert_same_elements(got, want, ulp=0, path="array"):
    """Demand equal elements of two arrays of one shape; sign of zero and NaN count."""
    flat_got, flat_want = np.ravel(got), np.ravel(np.asarray(want))
    if want.dtype.kind not in "fc":
        assert np.array_equal(flat_got, flat_want), f"{path}: {got!r} instead of {want!r}"
        return
    if flat_got.tobytes() == flat_want.tobytes():
        return
    for i, (g, w) in enumerate(zip(flat_got.tolist(), flat_want.tolist())):
        assert_same(g, w, ulp, f"{path}.flat[{i}]")


def message(error):
    """The text of an exception without what depends on the interpreter's version."""
    if isinstance(error, _REWORDED):
        return type(error).__name__
    return str(error)


def assert_same_error(got, want):
    """Demand the same exception type and message (and arguments)."""
    assert type(got) is type(want), f"{got!r} instead of {want!r}"
    assert message(got) == message(want), f"{got!r} instead of {want!r}"
    if not isinstance(want, _REWORDED):
        assert_same(tuple(got.args), unwrap(tuple(want.args)), path="exception.args")


def _outcome(func, args, kwargs):
    try:
        with np.errstate(all="ignore"):
            return func(*args, **kwargs), None
    except Exception as error:
        return None, error


# -- checks -------------------------------------------------------------------------------------

_compiled = {}


def compiled(func, **options):
    """The compiled version of `func`, made once for each set of options."""
    if is_compiled(func):
        return func
    key = (func, tuple(sorted((k, repr(v)) for k, v in options.items())))
    if key not in _compiled:
        _compiled[key] = njit(**options)(func) if options else njit(func)
    return _compiled[key]


def reference(func, args, kwargs=None):
    """Run `func` plainly. Result: (value, error, the argument clones after the call)."""
    clones = clone(tuple(args))
    pairs = []
    modelled = any(_needs_model(a) for a in (*args, *(kwargs or {}).values()))
    seen = _reference_argument(clones, modelled, pairs)
    named = {k: _reference_argument(v, modelled, pairs) for k, v in (kwargs or {}).items()}
    value, error = _outcome(plain(func, modelled), seen, named)
    return _strip(value, pairs), error, clones


def _strip(value, pairs):
    """Ref views in a result turned into plain arrays; an argument's view into its clone."""
    if isinstance(value, tuple):
        items = [_strip(v, pairs) for v in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    for array, view in pairs:
        if value is view:
            return array
    if isinstance(value, Ref):
        return value.view(np.ndarray)
    return unwrap(value)


def _arrays(args):
    for arg in args:
        if isinstance(arg, np.ndarray):
            yield arg
        elif isinstance(arg, tuple):
            yield from _arrays(arg)


def _assert_same_aliases(got, got_args, want, want_args, path="result"):
    """Demand that result and arguments share memory, or are the same object, in both runs alike."""
    if isinstance(want, tuple):
        for i, (g, w) in enumerate(zip(got, want)):
            _assert_same_aliases(g, got_args, w, want_args, f"{path}[{i}]")
    elif isinstance(want, np.ndarray):
        for i, (g, w) in enumerate(zip(_arrays(got_args), _arrays(want_args))):
            assert want is not w or got is g, f"{path} is not array argument {i} itself"
            assert np.shares_memory(got, g) == np.shares_memory(want, w), \
                f"{path}: memory shared with array argument {i}"


def check(func, *args, as_type=None, ulp=0, kwargs=None, **options):
    """Run `func` plainly and compiled on copies of `args`, and compare everything.

    as_type: a callable applied to the plain result, where two types unify (0 and 1.5: float).
    ulp: allowed distance of floats in units in the last place. options: those of the decorator.
    Returns what the compiled function returned, None if both raised.
    """
    want, want_error, want_args = reference(func, args, kwargs)
    if as_type is not None and want_error is None:
        want = as_type(want)
    got_args = clone(tuple(args))
    if PLAIN:
        got, got_error, got_args = reference(func, args, kwargs)
        got = as_type(got) if as_type is not None and got_error is None else got
    else:
        got, got_error = _outcome(compiled(func, **options), got_args, kwargs or {})
    where = f"{func.__name__}{tuple(args)!r}"
    if (got_error is None) != (want_error is None):
        raise AssertionError(f"{where}: compiled {got!r} / {got_error!r}, "
                             f"plain {want!r} / {want_error!r}") from got_error
    try:
        if want_error is not None:
            assert_same_error(got_error, want_error)
        else:
            assert_same(got, want, ulp)
            _assert_same_aliases(got, got_args, want, want_args)
        for i, (g, w) in enumerate(zip(_arrays(got_args), _arrays(want_args))):
            assert_same_elements(g, w, ulp, f"array argument {i} afterwards")
    except AssertionError as failure:
        raise AssertionError(f"{where}: {failure}") from got_error
    return got


def check_all(func, *columns, **options):
    """`check` for every combination of one argument from each column."""
    for args in itertools.product(*columns):
        check(func, *args, **options)


def check_raises(error, text, func, *args, **options):
    """Both runs raise exactly `error` with `text` in the message, and agree otherwise."""
    _, want_error, _ = reference(func, args)
    assert type(want_error) is error, f"plain Python: {want_error!r} instead of {error.__name__}"
    assert text in str(want_error)
    check(func, *args, **options)


def check_result(expected, func, *args, ulp=0, **options):
    """The compiled function returns `expected`, or raises it if it is an exception: for what the
    contract defines otherwise than plain Python. Nothing is compared on the plain engine."""
    if PLAIN:
        return
    got, error = _outcome(compiled(func, **options), clone(tuple(args)), {})
    where = f"{func.__name__}{tuple(args)!r}"
    if isinstance(expected, BaseException):
        assert error is not None, f"{where}: {got!r} instead of {expected!r}"
        assert type(error) is type(expected) and str(expected) in str(error), \
            f"{where}: {error!r} instead of {expected!r}"
        return
    if error is not None:
        raise AssertionError(f"{where}: {error!r} instead of {expected!r}") from error
    assert_same(got, expected, ulp, where)


def check_output(capsys, func, *args, **options):
    """What the function prints through sys.stdout is the same in both runs. Returns the text."""
    capsys.readouterr()
    plain(func)(*clone(tuple(args)))
    want = capsys.readouterr().out
    compiled(func, **options)(*clone(tuple(args)))
    got = capsys.readouterr().out
    assert got == want, f"{func.__name__}{tuple(args)!r} printed {got!r} instead of {want!r}"
    return got


def return_type(func, *args):
    """Name of the compiled function's return type for these argument types, which are compiled."""
    dispatcher = compiled(func)
    signature = tuple(typeof(a) for a in args)
    dispatcher.compile(signature)
    return str(list(dispatcher.overloads.values())[-1].signature.return_type)


def on(*cases, **options):
    """Decorator: the function below is a program, run by `check` once for each case.

    A case is a tuple of arguments; what is no tuple is a single argument. options: those of
    `check`. The result is the test that pytest collects, so the program's name begins with test_.
    """
    cases = [case if type(case) is tuple else (case,) for case in cases]

    def decorate(func):
        @pytest.mark.parametrize("case", range(len(cases)))
        def test(case):
            check(func, *cases[case], **options)

        test.__name__, test.__qualname__ = func.__name__, func.__qualname__
        test.__module__, test.__doc__ = func.__module__, func.__doc__
        test.program = func
        return test

    return decorate


# -- functions from text ------------------------------------------------------------------------

_made = 0


def make(source, name="f", **scope):
    """The function `name` defined by `source`, whose text linecache knows as for a notebook cell.
    scope: its globals beside np, math and the decorators."""
    global _made
    _made += 1
    filename = f"<made {_made}>"
    source = textwrap.dedent(source)
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    namespace = {"np": np, "math": math, "njit": njit, "jit": jit, "types": types,
                 "prange": prange, "__name__": "made", **scope}
    exec(compile(source, filename, "exec"), namespace)
    return namespace[name]


@functools.lru_cache(maxsize=None)
def lambda_of(expression, parameters="x, y"):
    """A function of `parameters` that returns `expression`, made once."""
    return make(f"def f({parameters}):\n    return {expression}\n")


def run_python(code, *, args=(), env=None, check_status=True, cwd=None):
    """Run `code` with `python -c` in a fresh process. Result: the CompletedProcess, text mode."""
    environment = dict(os.environ, **(env or {}))
    result = subprocess.run([sys.executable, "-c", textwrap.dedent(code), *args], text=True,
                            capture_output=True, env=environment, timeout=120, cwd=cwd)
    if check_status:
        assert result.returncode == 0, result.stderr
    return result


