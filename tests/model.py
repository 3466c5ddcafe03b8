"""What compiled arithmetic means, in plain Python: the oracle where it differs from CPython.

A `Val` is a number with a type ("int8", "uint64", "float32" ...). Operators on Vals follow the
compiled code's rules; a plain Python number beside a Val is a *weak constant*, as a literal is in
source. Nothing here is derived from the compiler's tables: the rules are written out once more, so
that the two can disagree.

The rules
- bool and every integer narrower than 64 bits compute as int64; int64 and uint64 wrap.
- uint64 with uint64, a narrower unsigned integer, a bool or a constant >= 0 stays uint64. With a
  signed variable or a negative constant: float64 for + - * / // % **; int64 for & | ^.
- A shift has the type of its left operand, computed by value: a count of 64 or more shifts
  everything out, a negative count raises ValueError.
- Comparisons go by value, whatever the two types.
- A float or complex takes the wider of the two parts' widths; an integer variable counts as 64
  bits, a weak constant takes the other's width.
- Integer powers wrap; a negative exponent that is a variable raises ValueError, a constant one
  computes in float64.
- int(x) is int64; a float that does not fit raises OverflowError, a uint64 that does not wraps.
"""

import builtins
import math
import operator
import struct

SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTS = SIGNED + UNSIGNED
FLOATS = ("float32", "float64")
COMPLEXES = ("complex64", "complex128")
TYPES = ("bool",) + INTS + FLOATS + COMPLEXES

NEGATIVE_POWER = "Integers to negative integer powers are not allowed."


def bits(ty):
    """Width of an integer or float type in bits; of one part for a complex type."""
    if ty == "bool":
        return 8
    width = int("".join(c for c in ty if c.isdigit()))
    return width // 2 if ty in COMPLEXES else width


def is_int(ty):
    """True for bool and every integer type."""
    return ty == "bool" or ty in INTS


def wrap(value, ty):
    """`value` (any Python int) reduced modulo 2**bits into the range of integer type `ty`."""
    if ty == "bool":
        return bool(value)
    width = bits(ty)
    value &= (1 << width) - 1
    if ty in SIGNED and value >> (width - 1):
        value -= 1 << width
    return value


def int_range(ty):
    """Smallest and largest value of an integer type."""
    if ty == "bool":
        return 0, 1
    width = bits(ty)
    if ty in SIGNED:
        return -(1 << (width - 1)), (1 << (width - 1)) - 1
    return 0, (1 << width) - 1


def round32(x):
    """The float64 `x` rounded to the nearest float32, as a Python float; overflow gives inf."""
    if math.isnan(x) or math.isinf(x):
        return x
    try:
        return struct.unpack("f", struct.pack("f", x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def int_to_float32(n):
    """An int rounded once to float32: to odd at 53 bits first, so that no tie is rounded twice."""
    magnitude = abs(n)
    shift = max(0, magnitude.bit_length() - 40)
    top = magnitude >> shift
    if top << shift != magnitude:
        top |= 1
    return math.copysign(round32(math.ldexp(float(top), shift)), n) if n else 0.0


def store(value, ty):
    """`value` (bool, int, float or complex) converted to `ty`, as a Python number."""
    if ty == "bool":
        return bool(value)
    if ty in INTS:
        return wrap(int(value), ty)
    if ty in FLOATS:
        if isinstance(value, int):
            return int_to_float32(value) if ty == "float32" else float(value)
        return round32(value) if ty == "float32" else float(value)
    value = complex(value)
    if ty == "complex64":
        return complex(round32(value.real), round32(value.imag))
    return value


def _nonnegative(operand):
    """True if this integer operand of a uint64 can't be negative by its type, or by its value
    where it is a constant."""
    ty, value, weak = operand
    return value >= 0 if weak else ty == "bool" or ty in UNSIGNED


def arithmetic_type(a, b):
    """Type that + - * // % ** compute in. a, b: (type, value, weak) with types from TYPES."""
    if is_int(a[0]) and is_int(b[0]):
        if "uint64" not in (_strong(a), _strong(b)):
            return "int64"
        return "uint64" if _nonnegative(a) and _nonnegative(b) else "float64"
    widths = [_width(x) for x in (a, b) if _width(x) is not None]
    width = max(widths, default=64)
    if a[0] in COMPLEXES or b[0] in COMPLEXES:
        return "complex64" if width == 32 else "complex128"
    return "float32" if width == 32 else "float64"


def _strong(operand):
    """The type, but that a weak integer never is uint64 by itself unless it only fits there."""
    ty, value, weak = operand
    if weak and ty in INTS:
        return "uint64" if value > int_range("int64")[1] else "int64"
    return ty


def _width(operand):
    ty, _, weak = operand
    if weak:
        return None
    return 64 if is_int(ty) else bits(ty)


def bitwise_type(a, b):
    """Type of & | ^ on two integer operands."""
    if a[0] == "bool" and b[0] == "bool":
        return "bool"
    if "uint64" in (_strong(a), _strong(b)):
        return "uint64" if _nonnegative(a) and _nonnegative(b) else "int64"
    return "int64"


def _operand(x):
    """(type, value, weak) of a Val or of a plain Python number; None for anything else."""
    if isinstance(x, Val):
        return x.type, x.value, False
    if isinstance(x, bool):
        return "bool", x, True
    if isinstance(x, int):
        return "int64", x, True
    if isinstance(x, float):
        return "float64", x, True
    if isinstance(x, complex):
        return "complex128", x, True
    return None


def _float32_divmod(x, y):
    """Quotient and remainder of two float32 with each step rounded to float32."""
    mod = math.fmod(x, y)
    div = round32(round32(x - mod) / y)
    if mod:
        if (y < 0) != (mod < 0):
            mod = round32(mod + y)
            div = round32(div - 1.0)
    else:
        mod = math.copysign(0.0, y)
    if div:
        floordiv = float(math.floor(div)) if math.isfinite(div) else div
        if round32(div - floordiv) > 0.5:
            floordiv = round32(floordiv + 1.0)
    else:
        floordiv = math.copysign(0.0, x / y)
    return floordiv, mod


def _floordiv(x, y, ty):
    if ty == "float32" and y and math.isfinite(x) and not math.isnan(y):
        return _float32_divmod(x, y)[0]
    return x // y


def _mod(x, y, ty):
    if ty == "float32" and y and math.isfinite(x) and not math.isnan(y):
        return _float32_divmod(x, y)[1]
    return x % y


_ARITHMETIC = {
    "+": lambda x, y, ty: x + y,
    "-": lambda x, y, ty: x - y,
    "*": lambda x, y, ty: x * y,
    "//": _floordiv,
    "%": _mod,
}


def _power(a, b):
    ty = arithmetic_type(a, b)
    x, y = a[1], b[1]
    if ty in INTS:
        if y < 0:
            if not b[2]:
                raise ValueError(NEGATIVE_POWER)
            return Val("float64", float(x) ** float(y))
        return Val(ty, pow(store(x, ty), y, 1 << 64))
    x, y = store(x, ty), store(y, ty)
    if ty in FLOATS and x < 0 and math.isfinite(x) and math.isfinite(y) and y != int(y):
        return Val(ty, math.nan)  # Python would turn complex; a compiled type can't
    return Val(ty, x ** y)


def _true_divide(a, b):
    ty = arithmetic_type(a, b)
    if ty in INTS:
        # Both are converted first: unlike Python's exact quotient of two big ints.
        return Val("float64", float(a[1]) / float(b[1]) if b[1] else a[1] / 0)
    return Val(ty, store(a[1], ty) / store(b[1], ty))


def _shift(op, a, b):
    ty = "uint64" if _strong(a) == "uint64" else "int64"
    if b[1] < 0:
        raise ValueError("negative shift count")
    if op == "<<":
        return Val(ty, 0 if b[1] >= 64 else a[1] << b[1])
    return Val(ty, a[1] >> min(b[1], 64))


_BITWISE = {"&": operator.and_, "|": operator.or_, "^": operator.xor}
_COMPARE = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
            "==": operator.eq, "!=": operator.ne}


def binary(op, x, y):
    """Result (a Val, or a bool for comparisons) of `x op y` as compiled code computes it.

    Raises what compiled code raises, and TypeError where the pair is a compile-time error.
    """
    a, b = _operand(x), _operand(y)
    if a is None or b is None:
        return NotImplemented
    complexes = a[0] in COMPLEXES or b[0] in COMPLEXES
    if op in _COMPARE:
        return _COMPARE[op](*_comparable(a, b))
    if op == "/":
        return _true_divide(a, b)
    if op == "**":
        return _power(a, b)
    if op in _ARITHMETIC:
        if complexes and op in ("//", "%"):
            raise TypeError("no floor division of complex numbers")
        ty = arithmetic_type(a, b)
        return Val(ty, _ARITHMETIC[op](store(a[1], ty), store(b[1], ty), ty))
    if not (is_int(a[0]) and is_int(b[0])):
        raise TypeError(f"unsupported operand types for {op}: {a[0]} and {b[0]}")
    if op in _BITWISE:
        return Val(bitwise_type(a, b), _BITWISE[op](int(a[1]), int(b[1])))
    return _shift(op, a, b)


def _comparable(a, b):
    """The two values to compare: a weak float or complex first takes the width that it meets."""
    values = []
    for this, other in ((a, b), (b, a)):
        narrow = this[2] and other[0] in ("float32", "complex64")
        if narrow and this[0] == "float64":
            values.append(round32(this[1]))
        elif narrow and this[0] == "complex128":
            values.append(store(this[1], "complex64"))
        else:
            values.append(this[1])
    return values


def unary(op, x):
    """Result of -x, +x, ~x or abs(x)."""
    ty, value = x.type, x.value
    if op == "abs":
        if ty in COMPLEXES:
            return Val("float32" if ty == "complex64" else "float64", abs(value))
        return Val(_computed(ty), abs(value))
    if op == "~":
        if not is_int(ty):
            raise TypeError(f"bad operand type for ~: {ty}")
        return Val(_computed(ty), ~int(value))
    return Val(_computed(ty), -value if op == "-" else +value)


def _computed(ty):
    return "int64" if is_int(ty) and ty != "uint64" else ty


def to_int(x=0):
    """int(x): int64. Raises ValueError for NaN, OverflowError for what does not fit."""
    value = x.value if isinstance(x, Val) else x
    if isinstance(value, float):
        value = builtins.int(value)
        if not -(1 << 63) <= value < 1 << 63:
            raise OverflowError("float does not fit in int64")
    return Val("int64", wrap(builtins.int(value), "int64"))


def to_float(x=0.0):
    """float(x): float64."""
    return Val("float64", builtins.float(x.value if isinstance(x, Val) else x))


def to_complex(real=0.0, imag=0.0):
    """complex(real, imag): complex128."""
    parts = [p.value if isinstance(p, Val) else p for p in (real, imag)]
    return Val("complex128", builtins.complex(*parts))


def to_range(*args):
    """range(...) whose values are int64 variables, not weak constants."""
    return [Val("int64", i) for i in builtins.range(*(operator.index(a) for a in args))]


def to_enumerate(items, start=0):
    """enumerate(...) whose counter is an int64 variable."""
    return [(Val("int64", i), item) for i, item in builtins.enumerate(items, int(start))]


def to_len(x):
    """len(x) as an int64 variable."""
    return Val("int64", builtins.len(x))


# What a function run on Vals sees in place of the builtins, so that their results are typed too.
BUILTINS = {"int": to_int, "float": to_float, "complex": to_complex, "range": to_range,
            "enumerate": to_enumerate, "len": to_len}


class Val:
    """One number of a compiled type. `value` is a Python bool, int, float or complex."""

    __slots__ = ("type", "value")

    def __init__(self, ty, value):
        if ty not in TYPES:
            raise ValueError(f"no such type: {ty}")
        self.type = ty
        self.value = store(value, ty)

    def __repr__(self):
        return f"{self.type}({self.value!r})"

    def __bool__(self):
        return bool(self.value)

    def __int__(self):
        return int(self.value)

    def __float__(self):
        return float(self.value)

    def __complex__(self):
        return complex(self.value)

    def __index__(self):
        if not is_int(self.type):
            raise TypeError(f"{self.type} can't be an index")
        return int(self.value)

    def __hash__(self):
        return hash(self.value)

    def __format__(self, spec):
        return format(self.value, spec)

    def __str__(self):
        return str(self.value)

    def __divmod__(self, other):
        return binary("//", self, other), binary("%", self, other)

    def __rdivmod__(self, other):
        return binary("//", other, self), binary("%", other, self)

    def __round__(self, digits=None):
        value = round(self.value) if digits is None else round(self.value, int(digits))
        return to_int(value) if digits is None else Val(self.type, value)

    def __floor__(self):
        return to_int(math.floor(self.value))

    def __ceil__(self):
        return to_int(math.ceil(self.value))

    def __trunc__(self):
        return to_int(math.trunc(self.value))

    @property
    def real(self):
        """Real part: the float of the same width for a complex, itself otherwise."""
        return self._part("real")

    @property
    def imag(self):
        """Imaginary part."""
        return self._part("imag")

    def _part(self, name):
        ty = self.type
        if ty in COMPLEXES:
            ty = "float32" if ty == "complex64" else "float64"
        return Val(_computed(ty), getattr(self.value, name))

    def __neg__(self):
        return unary("-", self)

    def __pos__(self):
        return unary("+", self)

    def __invert__(self):
        return unary("~", self)

    def __abs__(self):
        return unary("abs", self)


def _add_operators():
    names = {"+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod",
             "**": "pow", "&": "and", "|": "or", "^": "xor", "<<": "lshift", ">>": "rshift"}
    for op, name in names.items():
        setattr(Val, f"__{name}__", lambda self, other, op=op: binary(op, self, other))
        setattr(Val, f"__r{name}__", lambda self, other, op=op: binary(op, other, self))
    compares = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}
    for op, name in compares.items():
        setattr(Val, f"__{name}__", lambda self, other, op=op: binary(op, self, other))


_add_operators()
