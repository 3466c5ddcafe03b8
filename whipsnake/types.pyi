import builtins
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from whipsnake import _core

_bool: TypeAlias = builtins.bool

class Type(_core.Type):
    def __call__(self, *args: Any) -> Any: ...
    def __getitem__(self, index: Any) -> Array: ...
    def cast_python_value(self, value: Any) -> Any: ...
    @property
    def is_internal(self) -> _bool: ...

class Opaque(Type): ...
class Dummy(Opaque): ...
class Hashable(Type): ...
class Number(Hashable): ...

class Integer(Number):
    @property
    def minval(self) -> int: ...
    @property
    def maxval(self) -> int: ...

class Float(Number): ...

class Complex(Number):
    @property
    def underlying_float(self) -> Float: ...

class Boolean(Hashable): ...
class NoneType(Opaque): ...
class UnicodeType(Hashable): ...
class Bytes(Type): ...
class SliceType(Type): ...
class RangeType(Type): ...
class Buffer(Type): ...
class ArrayCompatible(Type): ...

class Array(Buffer, ArrayCompatible):
    def __new__(
        cls,
        dtype: Type,
        ndim: int,
        layout: str,
        readonly: _bool = False,
        name: str | None = None,
        aligned: _bool = True,
    ) -> Array: ...
    def copy(
        self,
        dtype: Type | None = None,
        ndim: int | None = None,
        layout: str | None = None,
        readonly: _bool | None = None,
    ) -> Array: ...
    @property
    def is_contig(self) -> _bool: ...

class BaseTuple(Hashable):
    @classmethod
    def from_types(cls, types: Sequence[Type], pyclass: type | None = None) -> BaseTuple: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Type]: ...
    def __getitem__(self, index: Any) -> Any: ...

class BaseAnonymousTuple(BaseTuple): ...

class Tuple(BaseAnonymousTuple):
    def __new__(cls, types: Sequence[Type]) -> BaseTuple: ...  # type: ignore[misc]

class UniTuple(BaseAnonymousTuple):
    def __new__(cls, dtype: Type, count: int) -> BaseTuple: ...  # type: ignore[misc]

class BaseNamedTuple(BaseTuple): ...

class NamedTuple(BaseNamedTuple):
    def __new__(cls, types: Sequence[Type], pyclass: type) -> BaseTuple: ...  # type: ignore[misc]

class NamedUniTuple(NamedTuple):
    def __new__(  # type: ignore[misc]
        cls, dtype: Type, count: int, pyclass: type
    ) -> BaseTuple: ...

class Optional(Type):
    def __new__(cls, type: Type) -> Type: ...  # type: ignore[misc]

class DType(Opaque):
    def __new__(cls, dtype: Type) -> DType: ...

class EnumMember(Type): ...
class IntEnumMember(EnumMember): ...
class Callable(Type): ...
class Function(Callable, Opaque): ...
class Dispatcher(Callable): ...
class FunctionType(Type): ...
class Module(Dummy): ...
class ClassType(Opaque): ...
class Omitted(Type): ...
class Literal(Type): ...
class IntegerLiteral(Literal, Integer): ...
class StringLiteral(Literal): ...
class BooleanLiteral(Literal, Boolean): ...
class IterableType(Type): ...
class IteratorType(IterableType): ...

class Signature:
    return_type: Type | None
    args: tuple[Type, ...]
    recvr: None
    pysig: None
    def __init__(self, return_type: Any, args: Sequence[Any]) -> None: ...
    def __eq__(self, other: object) -> _bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> Any: ...
    @property
    def is_precise(self) -> _bool: ...

int8: Integer
int16: Integer
int32: Integer
int64: Integer
uint8: Integer
uint16: Integer
uint32: Integer
uint64: Integer
float16: Float
float32: Float
float64: Float
complex64: Complex
complex128: Complex
boolean: Boolean
bool: Boolean
bool_: Boolean
b1: Boolean
none: NoneType
void: NoneType
unicode_type: UnicodeType
string: UnicodeType
bytes_type: Bytes
range_type: RangeType
range_state64_type: RangeType
slice2_type: SliceType
slice3_type: SliceType
undefined: Opaque
intp: Integer
ssize_t: Integer
int_: Integer
long_: Integer
longlong: Integer
i8: Integer
uintp: Integer
size_t: Integer
uint: Integer
ulong: Integer
ulonglong: Integer
u8: Integer
intc: Integer
i4: Integer
uintc: Integer
u4: Integer
short: Integer
i2: Integer
ushort: Integer
u2: Integer
byte: Integer
char: Integer
i1: Integer
uchar: Integer
u1: Integer
f2: Float
f4: Float
f8: Float
double: Float
c8: Complex
c16: Complex
voidptr: Array

optional = Optional

def CPointer(dtype: Type) -> Array: ...

integer_domain: frozenset[Integer]
signed_domain: frozenset[Integer]
unsigned_domain: frozenset[Integer]
real_domain: frozenset[Float]
complex_domain: frozenset[Complex]
number_domain: frozenset[Number]

def signature(return_type: Any, *args: Any) -> Signature: ...
def literal(value: Any) -> Type: ...
def unliteral(ty: Type) -> Type: ...
def as_type(obj: Any) -> Type: ...
def parse_signature(obj: Any) -> Signature: ...
def is_signature(obj: Any) -> _bool: ...
