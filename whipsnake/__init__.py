"""whipsnake makes numeric Python functions fast: a just-in-time compiler with Numba's interface.

    from whipsnake import njit

    @njit
    def total(a):
        s = 0.0
        for x in a:
            s += x
        return s

Nothing heavy is imported here: submodules and types come when they are first asked for.
"""

import atexit as _atexit
import sys as _sys

if "t" in _sys.abiflags:  # the extension module is for another ABI, and would not even be found
    raise ImportError("whipsnake needs the GIL: there is no build for free-threaded Python yet "
                      f"(this is {_sys.executable})")

from whipsnake import config as config  # first: the compiler reads the environment too
from whipsnake import _core as _core
from whipsnake._core import from_dtype, typeof
from whipsnake.decorators import jit, jit_module, njit

__version__ = "0.1.0"

_atexit.register(_core.end_polling)

_SUBMODULES = frozenset(["atomic", "cuda", "types", "errors", "extending", "config", "decorators"])
_TYPES = frozenset("""
    int8 int16 int32 int64 uint8 uint16 uint32 uint64 intp uintp intc uintc ssize_t size_t boolean
    float16 float32 float64 complex64 complex128 bool_ byte char uchar short ushort int_ uint long_
    ulong longlong ulonglong double void none b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16
    optional""".split())
_ERRORS = frozenset("""
    NumbaWarning NumbaPerformanceWarning NumbaDeprecationWarning NumbaPendingDeprecationWarning
    NumbaParallelSafetyWarning NumbaDebugInfoWarning NumbaTypeSafetyWarning
    NumbaExperimentalFeatureWarning NumbaInvalidConfigWarning NumbaPedanticWarning
    NumbaIRAssumptionWarning NumbaSystemWarning NumbaError UnsupportedError UnsupportedBytecodeError
    UnsupportedRewriteError UnsupportedParforsError IRError RedefinedError NotDefinedError
    VerificationError DeprecationError LoweringError ForbiddenConstruct TypingError
    UntypedAttributeError ByteCodeSupportError CompilerError ConstantInferenceError InternalError
    InternalTargetMismatchError NonexistentTargetError RequireLiteralValue ForceLiteralArg
    LiteralTypingError NumbaValueError NumbaTypeError NumbaAttributeError NumbaAssertionError
    NumbaNotImplementedError NumbaKeyError NumbaIndexError NumbaRuntimeError""".split())
_THREADS = frozenset("""
    get_num_threads set_num_threads get_thread_id threading_layer parallel_chunksize
    get_parallel_chunksize set_parallel_chunksize""".split())
_WHERE = {  # name -> the module that it comes from when it is first asked for
    "explain": "_explain", "cfunc": "_callback", "carray": "_callback", "farray": "_callback",
    "vectorize": "_ufunc", "guvectorize": "_ufunc", "stencil": "_stencil",
    **dict.fromkeys(_TYPES, "types"), **dict.fromkeys(_ERRORS, "errors"),
    **dict.fromkeys(_THREADS, "_threads")}
_NOT_YET = frozenset("""
    objmode pndindex literally literal_unroll gdb
    gdb_init gdb_breakpoint ffi ffi_forced_object deferred_type""".split())
_NOT_YET_MODULES = frozenset(["typed", "experimental", "pycc"])


class prange:
    """A range whose iterations may run in parallel in functions compiled with parallel=True."""

    def __new__(cls, *args):
        return range(*args)


def install_as_numba():
    """From now on `import numba` gives whipsnake. Call it before anything imports Numba."""
    from whipsnake._standin import install

    install()


class _NotBuiltYet:
    """Stands for a part of the interface that does not exist yet; says so when it is used."""

    def __init__(self, name):
        self.__name__ = name

    def _refuse(self, *args, **kwargs):
        from whipsnake.errors import UnsupportedError

        raise UnsupportedError(f"not built yet: whipsnake.{self.__name__}")

    __call__ = __getitem__ = __enter__ = _refuse

    def __mro_entries__(self, bases):
        """A class may be derived from what is not built yet, but not be used."""
        return (type(self.__name__, (), {"__new__": self._refuse}),)

    def __instancecheck__(self, obj):
        return False  # nothing is one of those

    def __exit__(self, *args):
        return None

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _NotBuiltYet(f"{self.__name__}.{name}")

    def __repr__(self):
        return f"<whipsnake.{self.__name__}, not built yet>"


def __getattr__(name):
    from importlib import import_module

    if name in _SUBMODULES:
        return import_module(f"whipsnake.{name}")
    if name in _WHERE:
        value = getattr(import_module(f"whipsnake.{_WHERE[name]}"), name)
    elif name in _NOT_YET or name in _NOT_YET_MODULES:
        value = _NotBuiltYet(name)
    else:
        raise AttributeError(f"module 'whipsnake' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_SUBMODULES, *_WHERE, *_NOT_YET, *_NOT_YET_MODULES})


__all__ = ["jit", "njit", "jit_module", "prange", "typeof", "from_dtype",
           "install_as_numba", *sorted(_WHERE), *sorted(_NOT_YET),
           *sorted(_SUBMODULES)]
