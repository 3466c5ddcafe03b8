"""`cfunc`: C functions from Python functions, and what they do with their pointers."""

import ctypes
import functools
import math
import sys

import numpy as np

from whipsnake import _core, decorators, types


class CFunc:
    """A compiled function that C code can call: `address`, `ctypes`, `cffi`.

    Called from Python it is the Python function; called from compiled functions it is compiled into
    them. An exception in C's call is printed, as one in a destructor is, and the result is 0."""

    def __init__(self, func, signature, options):
        functools.update_wrapper(self, func)
        self._given = func, signature, options
        self._wrapped = func
        self._device_function = _core.Dispatcher(func, **options)  # for compiled callers
        self.address = self._device_function._callback(signature.args, signature.return_type)
        self.signature = self._device_function.nopython_signatures[0]

    def __call__(self, *args, **kwargs):
        return self._wrapped(*args, **kwargs)

    @property
    def native_name(self):
        """A name for it, as a C function."""
        return f"cfunc.{self.__module__}.{self.__qualname__}"

    @property
    def ctypes(self):
        """The function for ctypes, with its argument and result types."""
        prototype = ctypes.CFUNCTYPE(_ctype(self.signature.return_type),
                                     *map(_ctype, self.signature.args))
        return prototype(self.address)

    @property
    def cffi(self):
        """The function for cffi: a `void *`."""
        import cffi

        return cffi.FFI().cast("void *", self.address)

    @property
    def cache_hits(self):
        return sum(self._device_function.stats.cache_hits.values())

    def inspect_llvm(self):
        """Optimised LLVM IR."""
        return self._device_function._text("llvm", self.signature.args)

    def __reduce__(self):
        from whipsnake import _pickle

        return _pickle.reduce(self)

    def _pickled_parts(self):
        return CFunc, self._given

    def __copy__(self, memo=None):
        return self

    __deepcopy__ = __copy__

    def __repr__(self):
        return f"<C callback {self.__qualname__}{self.signature}>"


def _is_pointer(ty):
    return isinstance(ty, types.Array) and ty.ndim == 1 and ty.layout == "C"


def _ctype(ty):
    """The class of ctypes."""
    if ty is types.none:
        return None
    if ty is types.voidptr:
        return ctypes.c_void_p
    if _is_pointer(ty):
        return ctypes.POINTER(_ctype(ty.dtype))
    if ty is types.boolean:
        return ctypes.c_bool
    return np.ctypeslib.as_ctypes_type(_core.as_dtype(ty))


def cfunc(sig, nopython=True, cache=True, locals=None, **options):
    """Make a C function of a Python function, compiled for one signature at once.

        @cfunc("float64(intc, CPointer(float64))")
        def integrand(n, x):
            return x[0] * x[1]

        scipy.LowLevelCallable(integrand.ctypes)
    """
    signature = types.parse_signature(sig)
    core_options = decorators._core_options(
        {"cache": cache, "locals": locals, **options, "nogil": False})

    def decorate(func):
        if isinstance(func, _core.Dispatcher):
            func = func.py_func
        return CFunc(func, signature, core_options)

    return decorate


# -- pointers -------------------------------------------------------------------------------------

def carray(ptr, shape, dtype=None):
    """What a pointer points at, as an array of this shape in C order. No copy, no check of the
    size. In a cfunc: of an argument whose type is CPointer(...), or voidptr with a dtype. From
    Python: of a pointer of ctypes, which the array keeps, or an address."""
    return _as_array(ptr, shape, dtype, "C")


def farray(ptr, shape, dtype=None):
    """The same in Fortran's order."""
    return _as_array(ptr, shape, dtype, "F")


def _as_array(ptr, shape, dtype, order):
    shape = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    address, own = _look_at(ptr)
    if dtype is None and own is None:
        raise TypeError(f"the dtype is needed: {ptr!r} does not say what it points at")
    dtype = np.dtype(own if dtype is None else dtype)
    if own is not None and own != dtype:
        raise TypeError(f"the pointer points at {own}, not at {dtype}")
    if any(n < 0 for n in shape):
        raise ValueError("negative dimensions are not allowed")
    size = math.prod(shape) * dtype.itemsize
    if size > sys.maxsize:
        raise ValueError("array is too big; its size in bytes is more than 2**63 - 1")
    buffer = (ctypes.c_char * size).from_address(address)
    buffer.pointer = ptr  # what keeps the memory
    return np.ndarray(shape, dtype, buffer, order=order)


def _look_at(ptr):
    """(address, dtype or None)."""
    if isinstance(ptr, np.ndarray):
        return ptr.ctypes.data, ptr.dtype
    if isinstance(ptr, ctypes.c_void_p):
        return ptr.value, None
    if isinstance(ptr, ctypes._Pointer):
        return ctypes.cast(ptr, ctypes.c_void_p).value, np.dtype(ptr._type_)
    return int(ptr), None
