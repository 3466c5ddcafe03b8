from typing import Any

from whipsnake import atomic as atomic
from whipsnake import config as config
from whipsnake import cuda as cuda
from whipsnake import decorators as decorators
from whipsnake import errors as errors
from whipsnake import extending as extending
from whipsnake import types as types
from whipsnake._callback import carray as carray
from whipsnake._callback import cfunc as cfunc
from whipsnake._callback import farray as farray
from whipsnake._core import from_dtype as from_dtype
from whipsnake._core import typeof as typeof
from whipsnake._explain import explain as explain
from whipsnake._stencil import stencil as stencil
from whipsnake._ufunc import guvectorize as guvectorize
from whipsnake._ufunc import vectorize as vectorize
from whipsnake._threads import get_num_threads as get_num_threads
from whipsnake._threads import get_parallel_chunksize as get_parallel_chunksize
from whipsnake._threads import get_thread_id as get_thread_id
from whipsnake._threads import parallel_chunksize as parallel_chunksize
from whipsnake._threads import set_num_threads as set_num_threads
from whipsnake._threads import set_parallel_chunksize as set_parallel_chunksize
from whipsnake._threads import threading_layer as threading_layer
from whipsnake.decorators import jit as jit
from whipsnake.decorators import jit_module as jit_module
from whipsnake.decorators import njit as njit
from whipsnake.errors import ByteCodeSupportError as ByteCodeSupportError
from whipsnake.errors import CompilerError as CompilerError
from whipsnake.errors import ConstantInferenceError as ConstantInferenceError
from whipsnake.errors import DeprecationError as DeprecationError
from whipsnake.errors import ForbiddenConstruct as ForbiddenConstruct
from whipsnake.errors import ForceLiteralArg as ForceLiteralArg
from whipsnake.errors import IRError as IRError
from whipsnake.errors import InternalError as InternalError
from whipsnake.errors import InternalTargetMismatchError as InternalTargetMismatchError
from whipsnake.errors import LiteralTypingError as LiteralTypingError
from whipsnake.errors import LoweringError as LoweringError
from whipsnake.errors import NonexistentTargetError as NonexistentTargetError
from whipsnake.errors import NotDefinedError as NotDefinedError
from whipsnake.errors import NumbaAssertionError as NumbaAssertionError
from whipsnake.errors import NumbaAttributeError as NumbaAttributeError
from whipsnake.errors import NumbaDebugInfoWarning as NumbaDebugInfoWarning
from whipsnake.errors import NumbaDeprecationWarning as NumbaDeprecationWarning
from whipsnake.errors import NumbaError as NumbaError
from whipsnake.errors import NumbaExperimentalFeatureWarning as NumbaExperimentalFeatureWarning
from whipsnake.errors import NumbaIRAssumptionWarning as NumbaIRAssumptionWarning
from whipsnake.errors import NumbaIndexError as NumbaIndexError
from whipsnake.errors import NumbaInvalidConfigWarning as NumbaInvalidConfigWarning
from whipsnake.errors import NumbaKeyError as NumbaKeyError
from whipsnake.errors import NumbaNotImplementedError as NumbaNotImplementedError
from whipsnake.errors import NumbaParallelSafetyWarning as NumbaParallelSafetyWarning
from whipsnake.errors import NumbaPedanticWarning as NumbaPedanticWarning
from whipsnake.errors import NumbaPendingDeprecationWarning as NumbaPendingDeprecationWarning
from whipsnake.errors import NumbaPerformanceWarning as NumbaPerformanceWarning
from whipsnake.errors import NumbaRuntimeError as NumbaRuntimeError
from whipsnake.errors import NumbaSystemWarning as NumbaSystemWarning
from whipsnake.errors import NumbaTypeError as NumbaTypeError
from whipsnake.errors import NumbaTypeSafetyWarning as NumbaTypeSafetyWarning
from whipsnake.errors import NumbaValueError as NumbaValueError
from whipsnake.errors import NumbaWarning as NumbaWarning
from whipsnake.errors import RedefinedError as RedefinedError
from whipsnake.errors import RequireLiteralValue as RequireLiteralValue
from whipsnake.errors import TypingError as TypingError
from whipsnake.errors import UnsupportedBytecodeError as UnsupportedBytecodeError
from whipsnake.errors import UnsupportedError as UnsupportedError
from whipsnake.errors import UnsupportedParforsError as UnsupportedParforsError
from whipsnake.errors import UnsupportedRewriteError as UnsupportedRewriteError
from whipsnake.errors import UntypedAttributeError as UntypedAttributeError
from whipsnake.errors import VerificationError as VerificationError
from whipsnake.types import b1 as b1
from whipsnake.types import bool_ as bool_
from whipsnake.types import boolean as boolean
from whipsnake.types import byte as byte
from whipsnake.types import c16 as c16
from whipsnake.types import c8 as c8
from whipsnake.types import char as char
from whipsnake.types import complex128 as complex128
from whipsnake.types import complex64 as complex64
from whipsnake.types import double as double
from whipsnake.types import f2 as f2
from whipsnake.types import f4 as f4
from whipsnake.types import f8 as f8
from whipsnake.types import float16 as float16
from whipsnake.types import float32 as float32
from whipsnake.types import float64 as float64
from whipsnake.types import i1 as i1
from whipsnake.types import i2 as i2
from whipsnake.types import i4 as i4
from whipsnake.types import i8 as i8
from whipsnake.types import int16 as int16
from whipsnake.types import int32 as int32
from whipsnake.types import int64 as int64
from whipsnake.types import int8 as int8
from whipsnake.types import int_ as int_
from whipsnake.types import intc as intc
from whipsnake.types import intp as intp
from whipsnake.types import long_ as long_
from whipsnake.types import longlong as longlong
from whipsnake.types import none as none
from whipsnake.types import optional as optional
from whipsnake.types import short as short
from whipsnake.types import size_t as size_t
from whipsnake.types import ssize_t as ssize_t
from whipsnake.types import u1 as u1
from whipsnake.types import u2 as u2
from whipsnake.types import u4 as u4
from whipsnake.types import u8 as u8
from whipsnake.types import uchar as uchar
from whipsnake.types import uint as uint
from whipsnake.types import uint16 as uint16
from whipsnake.types import uint32 as uint32
from whipsnake.types import uint64 as uint64
from whipsnake.types import uint8 as uint8
from whipsnake.types import uintc as uintc
from whipsnake.types import uintp as uintp
from whipsnake.types import ulong as ulong
from whipsnake.types import ulonglong as ulonglong
from whipsnake.types import ushort as ushort
from whipsnake.types import void as void

__version__: str
__all__ = [
    "jit", "njit", "jit_module", "prange", "typeof", "from_dtype", "get_num_threads",
    "set_num_threads", "explain", "install_as_numba", "carray", "cfunc", "farray", "b1",
    "bool_", "boolean", "byte", "c16", "c8", "char", "complex128", "complex64", "double",
    "f2", "f4", "f8", "float16", "float32", "float64", "i1", "i2", "i4", "i8", "int16",
    "int32", "int64", "int8", "int_", "intc", "intp", "long_", "longlong", "none",
    "optional", "short", "size_t", "ssize_t", "u1", "u2", "u4", "u8", "uchar", "uint",
    "uint16", "uint32", "uint64", "uint8", "uintc", "uintp", "ulong", "ulonglong", "ushort",
    "void", "ByteCodeSupportError", "CompilerError", "ConstantInferenceError",
    "DeprecationError", "ForbiddenConstruct", "ForceLiteralArg", "IRError", "InternalError",
    "InternalTargetMismatchError", "LiteralTypingError", "LoweringError",
    "NonexistentTargetError", "NotDefinedError", "NumbaAssertionError",
    "NumbaAttributeError", "NumbaDebugInfoWarning", "NumbaDeprecationWarning", "NumbaError",
    "NumbaExperimentalFeatureWarning", "NumbaIRAssumptionWarning", "NumbaIndexError",
    "NumbaInvalidConfigWarning", "NumbaKeyError", "NumbaNotImplementedError",
    "NumbaParallelSafetyWarning", "NumbaPedanticWarning", "NumbaPendingDeprecationWarning",
    "NumbaPerformanceWarning", "NumbaRuntimeError", "NumbaSystemWarning", "NumbaTypeError",
    "NumbaTypeSafetyWarning", "NumbaValueError", "NumbaWarning", "RedefinedError",
    "RequireLiteralValue", "TypingError", "UnsupportedBytecodeError", "UnsupportedError",
    "UnsupportedParforsError", "UnsupportedRewriteError", "UntypedAttributeError",
    "VerificationError", "deferred_type", "ffi", "ffi_forced_object", "gdb",
    "gdb_breakpoint", "gdb_init", "get_parallel_chunksize", "get_thread_id", "guvectorize",
    "literal_unroll", "literally", "objmode", "parallel_chunksize", "pndindex",
    "set_parallel_chunksize", "stencil", "threading_layer", "vectorize", "atomic", "config", "cuda",
    "decorators", "errors", "extending", "types",
]

def prange(*args: int) -> range: ...
def install_as_numba() -> None: ...

# Not built yet.
deferred_type: Any
experimental: Any
ffi: Any
ffi_forced_object: Any
gdb: Any
gdb_breakpoint: Any
gdb_init: Any
literal_unroll: Any
literally: Any
objmode: Any
pndindex: Any
pycc: Any
stencil: Any
typed: Any
