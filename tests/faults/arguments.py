"""Random arguments: arrays in every shape and layout, and objects that nobody should pass."""

import array
import ctypes
import decimal
import enum
import fractions
import itertools
import math
import sys
import weakref

import numpy as np

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
          "float32", "float64", "complex64", "complex128"]
FEW = ["int64", "float64", "int32", "float32", "complex128"]


# -- arrays -------------------------------------------------------------------------------------

def buffer(rng, dtype, size):
    """`size` elements of small exact values in memory of their own; now and then misaligned."""
    dtype = np.dtype(dtype)
    values = rng.integers(0, 2, size) if dtype.kind == "b" else rng.integers(-9, 10, size)
    shift = rng.choice([0, 0, 0, 1, 4]) if dtype.itemsize > 1 else 0
    raw = np.zeros(size * dtype.itemsize + 16, np.uint8)
    made = raw[shift:shift + size * dtype.itemsize].view(dtype)
    made[:] = values.astype(dtype)
    return made


def shape_of(rng, ndim):
    """Axes of 0 to 5; zero is rare."""
    return tuple(int(n) for n in rng.choice([0, 1, 1, 2, 3, 4, 5], ndim))


def strided(rng, made, ndim):
    """Any view that lies inside the buffer: negative, zero and overlapping strides."""
    size, item = made.size, made.itemsize
    shape, strides, low, high = [], [], 0, 0
    for _ in range(ndim):
        n, step = int(rng.integers(0, 5)), int(rng.integers(-3, 4))
        reach = (max(n, 1) - 1) * step
        if high - low + abs(reach) >= size:
            n, step, reach = 1, 0, 0
        shape.append(n)
        strides.append(step * item)
        low, high = low + min(reach, 0), high + max(reach, 0)
    start = int(rng.integers(-low, size - high))
    return np.lib.stride_tricks.as_strided(made[start:], shape, strides)


def contiguous(rng, made, ndim):
    """C or F order."""
    shape = shape_of(rng, ndim)
    order = rng.choice(["C", "F"])
    return made[:math.prod(shape)].reshape(shape, order=order)


def sliced(rng, made, ndim):
    """Slices with steps, reversed and swapped axes of a contiguous array."""
    view = contiguous(rng, made, ndim)
    for axis in range(ndim):
        step = int(rng.choice([1, 1, -1, 2, -2]))
        view = view[(slice(None),) * axis + (slice(None, None, step),)]
    return view.transpose(rng.permutation(ndim)) if ndim > 1 else view


def broadcast(rng, made, ndim):
    """Axes of stride 0, read-only as NumPy makes them."""
    shape = shape_of(rng, ndim)
    ones = tuple(n if rng.random() < 0.5 else 1 for n in shape)
    return np.broadcast_to(made[:math.prod(ones)].reshape(ones), shape)


LAYOUTS = [contiguous, sliced, strided, broadcast]


def random_array(rng, dtypes=DTYPES, dims=(0, 1, 1, 1, 2, 2, 3), writable=None):
    """An array with its own memory. writable: None for chance."""
    ndim = int(rng.choice(dims))
    made = buffer(rng, str(rng.choice(dtypes)), 130)
    while True:
        view = LAYOUTS[int(rng.integers(len(LAYOUTS)))](rng, made, ndim)
        if writable and not view.flags.writeable:
            continue
        if writable is None and rng.random() < 0.2:
            view.flags.writeable = False
        return view


def overlapping_pair(rng, dtypes=FEW):
    """Two writable one-dimensional views of one buffer."""
    made = buffer(rng, str(rng.choice(dtypes)), 40)
    views = []
    for _ in range(2):
        low = int(rng.integers(0, 20))
        step = int(rng.choice([1, 1, 2, -1]))
        views.append(made[low:low + 15][::step])
    return views


# -- objects ------------------------------------------------------------------------------------

class Indexable:
    """Pretends to be an int."""

    def __index__(self):
        return 3


class Floatable:
    """Pretends to be a float."""

    def __float__(self):
        return 2.5


class ArrayLike:
    """Pretends to be an array."""

    __array_interface__ = {"shape": (3,), "typestr": "<f8", "version": 3, "data": (0, True)}


class Hostile:
    """Raises whatever is asked of it."""

    def __getattribute__(self, name):
        raise RuntimeError(f"hands off {name}")

    def __repr__(self):
        raise RuntimeError("no repr")


class LyingTuple(tuple):
    """A tuple with fields that it does not have."""

    _fields = ("x", "y", "z")
    __slots__ = ()


class BadFields(tuple):
    """A tuple whose fields are no strings."""

    _fields = (1, 2)
    __slots__ = ()


class Sub(np.ndarray):
    """A subclass of arrays."""


class IntSub(int):
    """A subclass of int."""


class FloatSub(float):
    """A subclass of float."""


class StrSub(str):
    """A subclass of str."""


class Kind(enum.Enum):
    """An enum of mixed values."""

    A = 1
    B = "b"
    C = (1, 2)


class Flag(enum.IntFlag):
    """Ints with a twist."""

    X = 1
    Y = 2


def nested(depth):
    """((((...)))) of that depth."""
    value = ()
    for _ in range(depth):
        value = (value,)
    return value


def odd_objects():
    """Name -> object; made anew for each test."""
    base = np.arange(6.0)
    referent = Sub((2,))
    return {
        "list": [1, 2], "empty list": [], "dict": {1: 2}, "set": {1}, "frozenset": frozenset([1]),
        "bytearray": bytearray(b"ab"), "memoryview": memoryview(b"ab"),
        "array.array": array.array("d", [1.0]), "deque": itertools.count(), "range": range(3),
        "huge range": range(10**30), "slice": slice(1, 2), "slice of floats": slice(1.5, None),
        "slice of huge": slice(10**30), "ellipsis": ..., "not implemented": NotImplemented,
        "generator": (x for x in ()), "function": odd_objects, "lambda": lambda: 0,
        "builtin": len, "class": int, "metaclass": type, "module": math, "object": object(),
        "hostile": Hostile(), "indexable": Indexable(), "floatable": Floatable(),
        "array like": ArrayLike(), "int subclass": IntSub(3), "float subclass": FloatSub(1.5),
        "str subclass": StrSub("x"), "2**63": 2**63, "2**64": 2**64, "-2**63-1": -2**63 - 1,
        "10**5000": 10**5000, "bool": True, "none": None, "nan": math.nan, "inf": -math.inf,
        "complex nan": complex(math.nan, -0.0), "decimal": decimal.Decimal("1.5"),
        "fraction": fractions.Fraction(1, 3), "np.bool": np.bool_(True), "np.int8": np.int8(-3),
        "np.uint64": np.uint64(2**64 - 1), "np.float16": np.float16(1.5),
        "np.longdouble": np.longdouble(1.5), "np.str": np.str_("x"), "np.bytes": np.bytes_(b"x"),
        "np.void": np.void(b"abc"), "np.datetime": np.datetime64("2020-01-01"),
        "np.timedelta": np.timedelta64(3, "s"), "np.dtype": np.dtype("f4"),
        "structured dtype": np.dtype([("a", "i4")]), "object array": np.array([1, "x"], object),
        "string array": np.array(["x", "yy"]), "bytes array": np.array([b"x"]),
        "date array": np.array(["2020"], "datetime64[D]"), "void array": np.zeros(2, "V5"),
        "structured array": np.zeros(2, [("a", "i4"), ("b", "f8")]),
        "longdouble array": np.zeros(2, np.longdouble), "half array": np.zeros(2, np.float16),
        "swapped array": base.astype(">f8" if sys.byteorder == "little" else "<f8"),
        "array subclass": base.view(Sub), "matrix": np.asmatrix(base), "recarray": np.rec.array(
            [(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")]),
        "masked array": np.ma.array(base, mask=base > 2), "masked": np.ma.masked,
        "flat iterator": base.flat, "nditer": np.nditer(base), "ufunc": np.add,
        "random generator": np.random.default_rng(), "many dimensions": np.zeros((1,) * 32),
        "empty tuple": (), "mixed tuple": (1, "x", None, 2.5j), "deep tuple": nested(40),
        "long tuple": tuple(range(300)), "tuple with a list": (1, [2]), "lying tuple":
            LyingTuple((1, 2)), "bad fields": BadFields((1, 2)), "struct_time": sys.version_info,
        "enum member": Kind.A, "enum tuple": Kind.C, "enum class": Kind, "flag": Flag.X | Flag.Y,
        "str": "text", "wide str": "\U0001f40d", "lone surrogate": "\ud800", "zero str": "a\0b",
        "empty str": "", "bytes": b"\0\xff", "ctypes int": ctypes.c_int(3),
        "ctypes array": (ctypes.c_double * 3)(), "weakref": weakref.ref(referent),
        "proxy": weakref.proxy(referent), "exception": ValueError("x"), "exception class":
            ValueError, "file": sys.stderr, "code": odd_objects.__code__, "cell":
            (lambda: base).__closure__[0], "frame": sys._getframe(),
    }
