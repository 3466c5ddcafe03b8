"""Stands in for the compiler when the tests are tried on plain Python: compiles nothing."""

import types as pytypes

import numpy as np


def njit(*args, **options):
    """The function itself, marked as compiled functions are."""
    def decorate(func):
        func.py_func = func
        return func
    if len(args) == 1 and isinstance(args[0], pytypes.FunctionType):
        return decorate(args[0])
    return decorate


jit = njit
prange = range
typeof = type

types = pytypes.SimpleNamespace(**{
    name: getattr(np, name) for name in
    "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128".split()
})
types.boolean = types.bool_ = np.bool_
types.intp, types.uintp = np.intp, np.uintp


class CompileError(Exception):
    """Never raised here."""


errors = pytypes.SimpleNamespace(CompileError=CompileError, NumbaError=CompileError,
                                 TypingError=CompileError, UnsupportedError=CompileError)
