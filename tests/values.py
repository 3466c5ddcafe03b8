"""Edge values per type and arrays in every layout: the lists that all tests share."""

import math

import numpy as np

import model

FLOAT64 = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -2.5, 3.0, 1e-3, 1e16, -1e16, 2.0**53 + 2, 1e308,
           -1e308, 5e-324, -5e-324, 2.2250738585072014e-308, 1.7976931348623157e308,
           math.pi, -math.e, math.inf, -math.inf, math.nan]
FLOAT32 = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 1e-3, 16777217.0, 1e38, -1e38, 1e-45, -1e-45,
           1.1754944e-38, 3.4028235e38, math.inf, -math.inf, math.nan]
FINITE = [x for x in FLOAT64 if math.isfinite(x)]
MODEST = [0.0, -0.0, 0.1, -0.1, 0.25, 0.5, -0.5, 0.7853981633974483, 0.9, 1.0, -1.0, 1.0000000001,
          1.5, -1.75, 2.0, 2.5, -3.0, 3.141592653589793, 6.5, -7.25, 10.0, 12.345, 20.75, -31.0]
COMPLEX128 = [0j, complex(-0.0, 0.0), complex(0.0, -0.0), 1 + 0j, 1j, -1j, -1 + 0j, 0.5 - 2.5j,
              -3 + 4j, 1e-3 + 1e3j, 2 + 0.25j, -0.75 - 0.5j]
COMPLEX_EDGES = COMPLEX128 + [complex(math.inf, 0), complex(0, math.inf), complex(-math.inf, 1),
                              complex(math.nan, 0), complex(0, math.nan), complex(1e200, 1e200)]


def int_values(ty):
    """Extremes, neighbours of zero and of the extremes, and a few ordinary values of a type."""
    low, high = model.int_range(ty)
    values = {low, low + 1, -2, -1, 0, 1, 2, 3, 7, 63, 64, 100, high // 2, high - 1, high}
    return sorted(v for v in values if low <= v <= high)


def values_of(ty):
    """The edge values of a type as Python numbers, each exact in that type."""
    if ty == "bool":
        return [False, True]
    if ty in model.INTS:
        return int_values(ty)
    if ty == "float32":
        return [model.round32(x) for x in FLOAT32]
    if ty == "float64":
        return FLOAT64
    return [model.store(z, ty) for z in COMPLEX128]


def argument(ty, value):
    """`value` as the object to pass so that compiled code sees type `ty`: a Python number where
    there is one for the type, a NumPy scalar elsewhere."""
    if ty in ("bool", "int64", "float64", "complex128"):
        return {"bool": bool, "int64": int, "float64": float, "complex128": complex}[ty](value)
    with np.errstate(all="ignore"):
        return getattr(np, ty)(value)


def filled(shape, dtype):
    """A C-contiguous array of small, different, exactly representable values."""
    size = math.prod(shape)
    base = np.arange(size) % 101
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return (base % 3 == 0).reshape(shape)
    if dtype.kind in "if":
        base = base - 20
    data = base.astype(dtype)
    if dtype.kind in "fc":
        data = (data * 0.5).astype(dtype)
    if dtype.kind == "c":
        data = (data + 1j * (base % 7)).astype(dtype)
    return data.reshape(shape)


def misaligned(array):
    """A C-contiguous copy of `array` that starts one byte off its alignment."""
    raw = np.zeros(array.nbytes + 1, dtype=np.uint8)
    result = raw[1:].view(array.dtype).reshape(array.shape)
    result[...] = array
    return result


def read_only(array):
    """A copy of `array` that can't be written to."""
    result = array.copy()
    result.flags.writeable = False
    return result


def layouts(shape, dtype=np.float64):
    """(name, array) for every layout of this shape: C, F, strided, reversed, transposed of a
    slice, broadcast, misaligned, read-only. All hold the same values."""
    data = filled(shape, dtype)
    yield "C", data.copy()
    yield "F", np.asfortranarray(data)
    wide = np.zeros(tuple(2 * n + 1 for n in shape), dtype)
    strided = wide[(..., *(slice(1, 2 * n + 1, 2) for n in shape))]
    strided[...] = data
    yield "strided", strided
    flip = (..., *(slice(None, None, -1) for _ in shape))
    back = data[flip].copy()
    yield "reversed", back[flip]
    if len(shape) > 1:
        inner = np.zeros(shape[:-1] + (shape[-1] + 3,), dtype)[..., 2:-1]
        inner[...] = data
        yield "inner", inner
    if np.dtype(dtype).itemsize > 1:
        yield "misaligned", misaligned(data)
    yield "read-only", read_only(data)


EMPTY_SHAPES = [(0,), (0, 3), (3, 0), (2, 0, 4)]
