"""Types of compiled code: `int64`, `float64[:, ::1]`, `Tuple((int64, float64))`, and signatures.

Types are unique: equal types are the same object, so they compare by identity and hash. The names
are those of Numba. `float64(int64, int32)` is a signature, `float64(1)` converts a value.
"""

import builtins as _builtins
import functools

from whipsnake import _core


class Type(_core.Type):
    """Base class of all types. `name` is how the type is written, `kind` what sort it is."""

    __slots__ = ()
    mutable = False

    def __call__(self, *args):
        """A signature with this type as its result; or, for one value, that value converted."""
        if len(args) == 1 and not isinstance(args[0], Type):
            return self.cast_python_value(args[0])
        return Signature(self, args)

    def __getitem__(self, index):
        """`int64[:]`, `int64[::1]`, `int64[:, ::1]`: arrays of this type."""
        ndim, layout = _array_axes(index)
        return Array(self, ndim, layout)

    def cast_python_value(self, value):
        """`value` as a NumPy scalar of this type."""
        try:
            return _core.as_dtype(self).type(value)
        except TypeError:
            raise NotImplementedError(f"{self} does not convert values") from None

    @property
    def is_internal(self):
        return False


class Opaque(Type):
    """Types that Python code only passes on."""

    __slots__ = ()


class Dummy(Opaque):
    __slots__ = ()


class Hashable(Type):
    __slots__ = ()


class Number(Hashable):
    __slots__ = ()


class Integer(Number):
    """`bitwidth` and `signed` say which."""

    __slots__ = ()

    @property
    def minval(self):
        return -(1 << (self.bitwidth - 1)) if self.signed else 0

    @property
    def maxval(self):
        return (1 << (self.bitwidth - self.signed)) - 1


class Float(Number):
    __slots__ = ()


class Complex(Number):
    __slots__ = ()

    @property
    def underlying_float(self):
        return float32 if self.bitwidth == 64 else float64


class Boolean(Hashable):
    __slots__ = ()

    def cast_python_value(self, value):
        return _builtins.bool(value)


class NoneType(Opaque):
    __slots__ = ()


class UnicodeType(Hashable):
    __slots__ = ()


class Bytes(Type):
    __slots__ = ()


class SliceType(Type):
    __slots__ = ()


class RangeType(Type):
    __slots__ = ()


class Buffer(Type):
    __slots__ = ()


class ArrayCompatible(Type):
    __slots__ = ()


class Array(Buffer, ArrayCompatible):
    """An array: `dtype`, `ndim`, `layout` ('C', 'F' or 'A'), `mutable`, `aligned`.

    Array(float64, 2, "C") is float64[:, ::1].
    """

    __slots__ = ()

    def __new__(cls, dtype, ndim, layout, readonly=False, name=None, aligned=True):
        return _core.make_array(dtype, ndim, layout, readonly, aligned)

    # Attributes of the C class, which the Python base class would hide.
    mutable = _core.Type.mutable

    def copy(self, dtype=None, ndim=None, layout=None, readonly=None):
        """The type with some of its parts changed."""
        return Array(dtype or self.dtype, self.ndim if ndim is None else ndim,
                     layout or self.layout, self.readonly if readonly is None else readonly,
                     aligned=self.aligned)

    @property
    def is_contig(self):
        return self.layout in "CF"


class BaseTuple(Hashable):
    __slots__ = ()

    @classmethod
    def from_types(cls, types, pyclass=None):
        """The tuple type with these items; of a named tuple if its class is given."""
        if pyclass is not None:
            return _core.make_named_tuple(pyclass, pyclass._fields, types)
        return _core.make_tuple(types)

    def __len__(self):
        return self.count

    def __iter__(self):
        return iter(self.types)

    def __getitem__(self, index):
        return self.types[index]


class BaseAnonymousTuple(BaseTuple):
    __slots__ = ()


class Tuple(BaseAnonymousTuple):
    """Tuple((int64, float64))."""

    __slots__ = ()

    def __new__(cls, types):
        return _core.make_tuple(types)


class UniTuple(BaseAnonymousTuple):
    """UniTuple(int64, 3)."""

    __slots__ = ()

    def __new__(cls, dtype, count):
        return _core.make_tuple((dtype,) * count)


class BaseNamedTuple(BaseTuple):
    __slots__ = ()


class NamedTuple(BaseNamedTuple):
    """NamedTuple((int64, float64), Point)."""

    __slots__ = ()

    def __new__(cls, types, pyclass):
        return _core.make_named_tuple(pyclass, pyclass._fields, types)


class NamedUniTuple(NamedTuple):
    __slots__ = ()

    def __new__(cls, dtype, count, pyclass):
        return _core.make_named_tuple(pyclass, pyclass._fields, (dtype,) * count)


class Optional(Type):
    """A value of `type`, or None."""

    __slots__ = ()

    def __new__(cls, type):
        return _core.make_optional(type)


class DType(Opaque):
    """A NumPy dtype as a value; `dtype` is the type of its elements."""

    __slots__ = ()

    def __new__(cls, dtype):
        return _core.make_dtype(dtype)


class EnumMember(Type):
    __slots__ = ()


class IntEnumMember(EnumMember):
    __slots__ = ()


class Callable(Type):
    """One particular function."""

    __slots__ = ()


class Function(Callable, Opaque):
    __slots__ = ()


class Dispatcher(Callable):
    """A compiled function as a value."""

    __slots__ = ()


class FunctionType(Type):
    """Functions known by signature only; not built yet."""

    __slots__ = ()


class Module(Dummy):
    __slots__ = ()


class ClassType(Opaque):
    __slots__ = ()


class Omitted(Type):
    """Arguments left out; whipsnake passes the default itself, so none is of this type."""

    __slots__ = ()


class Literal(Type):
    """Types of one value; whipsnake knows constants without them."""

    __slots__ = ()


class IntegerLiteral(Literal, Integer):
    __slots__ = ()


class StringLiteral(Literal):
    __slots__ = ()


class BooleanLiteral(Literal, Boolean):
    __slots__ = ()


class IterableType(Type):
    __slots__ = ()


class IteratorType(IterableType):
    __slots__ = ()


_core.set_type_classes({
    "none": NoneType, "bool": Boolean, "int": Integer, "float": Float, "complex": Complex,
    "str": UnicodeType, "bytes": Bytes, "slice": SliceType, "range": RangeType, "tuple": Tuple,
    "unituple": UniTuple, "namedtuple": NamedTuple, "optional": Optional, "array": Array,
    "dtype": DType, "enum": EnumMember, "func": Function, "module": Module, "class": ClassType,
    "closure": Function, "iter": IteratorType, "other": Opaque,
})


class Signature:
    """Argument types and result type; `return_type` is None where it is left to inference."""

    __slots__ = ("return_type", "args", "recvr", "pysig")

    def __init__(self, return_type, args):
        self.return_type = None if return_type is None else as_type(return_type)
        self.args = tuple(as_type(a) for a in args)
        self.recvr = self.pysig = None

    def __eq__(self, other):
        if not isinstance(other, Signature):
            return NotImplemented
        return self.return_type is other.return_type and self.args == other.args

    def __hash__(self):
        return hash((self.return_type, self.args))

    def __repr__(self):
        return f"({', '.join(str(a) for a in self.args)}) -> {self.return_type}"

    def __reduce__(self):
        return Signature, (self.return_type, self.args)

    @property
    def is_precise(self):
        return self.return_type is not None


def _array_axes(index):
    """(ndim, layout) of `[:]`, `[::1]`, `[:, ::1]`, `[::1, :]`, `[...]`."""
    axes = index if isinstance(index, tuple) else (index,)
    contiguous = []
    for axis in axes:
        if not isinstance(axis, slice) or axis.start is not None or axis.stop is not None \
                or axis.step not in (None, 1):
            raise TypeError("an array type is written with : and ::1, as in float64[:, ::1]")
        contiguous.append(axis.step == 1)
    if sum(contiguous) > 1:
        raise TypeError("at most one axis of an array type is ::1")
    if contiguous[-1]:
        return len(axes), "C"
    if any(contiguous):
        if not contiguous[0]:
            raise TypeError("only the first or the last axis of an array type can be ::1")
        return len(axes), "F"
    return len(axes), "A"


int8, int16, int32, int64 = (_core.make_basic("int", bits, True) for bits in (8, 16, 32, 64))
uint8, uint16, uint32, uint64 = (_core.make_basic("int", bits) for bits in (8, 16, 32, 64))
float16, float32, float64 = (_core.make_basic("float", bits) for bits in (16, 32, 64))
complex64, complex128 = (_core.make_basic("complex", bits) for bits in (64, 128))
boolean = bool = bool_ = b1 = _core.make_basic("bool")
none = void = _core.make_basic("none")
unicode_type = string = _core.make_basic("str")
bytes_type = _core.make_basic("bytes")
range_type = range_state64_type = _core.make_basic("range")
slice2_type = _core.make_slice((int64, int64, none))
slice3_type = _core.make_slice((int64, int64, int64))
undefined = _core.make_basic("undefined")

intp = ssize_t = int_ = long_ = longlong = i8 = int64
uintp = size_t = uint = ulong = ulonglong = u8 = uint64
intc = i4 = int32
uintc = u4 = uint32
short = i2 = int16
ushort = u2 = uint16
byte = char = i1 = int8
uchar = u1 = uint8
f2, f4, f8 = float16, float32, float64
double = float64
c8, c16 = complex64, complex128

optional = Optional


def CPointer(dtype):
    """The type of a C pointer, for cfunc: an array in C order whose length nobody knows."""
    return voidptr if dtype is none else Array(dtype, 1, "C")


voidptr = Array(uint8, 1, "C")
integer_domain = frozenset([int8, int16, int32, int64, uint8, uint16, uint32, uint64])
signed_domain = frozenset([int8, int16, int32, int64])
unsigned_domain = frozenset([uint8, uint16, uint32, uint64])
real_domain = frozenset([float32, float64])
complex_domain = frozenset([complex64, complex128])
number_domain = integer_domain | real_domain | complex_domain

_PYTHON_CLASSES = {_builtins.int: int64, _builtins.float: float64, _builtins.bool: boolean,
                   complex: complex128, str: unicode_type, bytes: bytes_type, None: none,
                   type(None): none, range: range_type}


def signature(return_type, *args):
    """The same as return_type(*args)."""
    return Signature(return_type, args)


def literal(value):
    """The type of a constant; whipsnake knows its value without a type of its own."""
    return _core.typeof(value)


def unliteral(ty):
    """Types carry no values: `ty` itself."""
    return ty


def as_type(obj):
    """The type that `obj` stands for: a type, its name, a Python or NumPy class, a dtype."""
    if isinstance(obj, Type):
        return obj
    if isinstance(obj, str):
        ty = _evaluate(obj)
        if isinstance(ty, Type):
            return ty
        raise _bad(obj, "it is not a type")
    try:
        if obj in _PYTHON_CLASSES:
            return _PYTHON_CLASSES[obj]
    except TypeError:
        pass
    import numpy

    if isinstance(obj, numpy.dtype) or (isinstance(obj, type) and issubclass(obj, numpy.generic)):
        return _core.from_dtype(obj)
    from whipsnake.errors import TypingError

    raise TypingError(f"{obj!r} is not a type of compiled code; write whipsnake.int64, "
                      "'float64[:]', numpy.float32 ...")


def parse_signature(obj):
    """A Signature (return_type None if not given) from any of the forms that decorators take:
    'int64(int64, float64[:])', '(int64, int64)', int64(int64), (int64, int64)."""
    original = obj
    if isinstance(obj, str):
        obj = _evaluate(obj)
    if isinstance(obj, Signature):
        return obj
    if isinstance(obj, Type):  # "(int64)" is no tuple
        obj = (obj,)
    if isinstance(obj, (tuple, list)):
        return Signature(None, obj)
    raise _bad(original, "write int64(int64, float64[:]) or (int64, float64[:])")


def is_signature(obj):
    """Can `obj` be meant as a signature (a string counts)?"""
    return isinstance(obj, (str, Signature, tuple))


def _bad(text, why):
    from whipsnake.errors import TypingError

    return TypingError(f"bad signature {text!r}: {why}")


_namespace = {}


@functools.lru_cache(maxsize=1024)
def _evaluate(text):
    """The value of a signature string."""
    if not _namespace:
        _namespace.update((k, v) for k, v in globals().items()
                          if isinstance(v, Type) or (isinstance(v, type) and issubclass(v, Type)))
        _namespace.update(optional=Optional, CPointer=CPointer, str=unicode_type, int=int64,
                          float=float64, __builtins__={})
        _namespace["complex"] = complex128
    try:
        return eval(text.strip(), _namespace)
    except SyntaxError as error:
        raise _bad(text, error.msg) from None
    except NameError as error:
        raise _bad(text, _unknown_name(error.name)) from None
    except MemoryError:
        raise
    except Exception as error:
        raise _bad(text, str(error)) from None


def _unknown_name(name):
    import difflib

    near = difflib.get_close_matches(name or "", _namespace, 1)
    hint = f"; did you mean {near[0]}?" if near else ""
    return f"there is no type called {name}{hint}"


def _reduce(ty):
    """How `ty` is pickled."""
    kind = ty.kind
    if kind == "array":
        return Array, (ty.dtype, ty.ndim, ty.layout, ty.readonly, None, ty.aligned)
    if kind == "tuple":
        if isinstance(ty, BaseNamedTuple):
            return NamedTuple, (ty.types, ty.instance_class)
        return Tuple, (ty.types,)
    if kind == "optional":
        return Optional, (ty.type,)
    if kind == "dtype":
        return DType, (ty.dtype,)
    if kind in ("none", "bool", "int", "float", "complex", "str"):
        return as_type, (ty.name,)
    import pickle

    raise pickle.PicklingError(f"the type {ty} cannot be pickled")
