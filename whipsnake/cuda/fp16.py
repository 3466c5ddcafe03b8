"""float16 numbers, as CUDA's header of half-precision functions has them. These are plain
functions: kernels compile them, and they can be called from Python too."""

import math

import numpy as np

_f16, _f32 = np.float16, np.float32


def hadd(a, b):
    """a + b"""
    return _f16(_f32(a) + _f32(b))


def hsub(a, b):
    """a - b"""
    return _f16(_f32(a) - _f32(b))


def hmul(a, b):
    """a * b"""
    return _f16(_f32(a) * _f32(b))


def hdiv(a, b):
    """a / b"""
    return _f16(_f32(a) / _f32(b))


def hfma(a, b, c):
    """a * b + c"""
    return _f16(float(a) * float(b) + float(c))


def hneg(a):
    """-a"""
    return _f16(-_f32(a))


def habs(a):
    """The absolute value."""
    return _f16(abs(_f32(a)))


def hmin(a, b):
    """The lesser one; of a number and NaN the number."""
    x, y = _f32(a), _f32(b)
    return _f16(y if x != x or y < x else x)


def hmax(a, b):
    """The greater one; of a number and NaN the number."""
    x, y = _f32(a), _f32(b)
    return _f16(y if x != x or y > x else x)


def heq(a, b):
    """a == b"""
    return _f32(a) == _f32(b)


def hne(a, b):
    """a != b; false for NaN."""
    x, y = _f32(a), _f32(b)
    return x < y or x > y


def hgt(a, b):
    """a > b"""
    return _f32(a) > _f32(b)


def hge(a, b):
    """a >= b"""
    return _f32(a) >= _f32(b)


def hlt(a, b):
    """a < b"""
    return _f32(a) < _f32(b)


def hle(a, b):
    """a <= b"""
    return _f32(a) <= _f32(b)


def hsin(a):
    """The sine."""
    return _f16(math.sin(_f32(a)))


def hcos(a):
    """The cosine."""
    return _f16(math.cos(_f32(a)))


def hlog(a):
    """The natural logarithm."""
    return _f16(np.log(_f32(a)))


def hlog2(a):
    """The logarithm to base 2."""
    return _f16(np.log2(_f32(a)))


def hlog10(a):
    """The logarithm to base 10."""
    return _f16(np.log10(_f32(a)))


def hexp(a):
    """e ** a"""
    return _f16(np.exp(_f32(a)))


def hexp2(a):
    """2 ** a"""
    return _f16(np.exp2(_f32(a)))


def hexp10(a):
    """10 ** a"""
    return _f16(10.0 ** float(a))


def hsqrt(a):
    """The square root."""
    return _f16(np.sqrt(_f32(a)))


def hrsqrt(a):
    """1 / sqrt(a)"""
    return _f16(_f32(1) / np.sqrt(_f32(a)))


def hrcp(a):
    """1 / a"""
    return _f16(_f32(1) / _f32(a))


def hfloor(a):
    """The greatest whole number that is not more."""
    return _f16(np.floor(_f32(a)))


def hceil(a):
    """The least whole number that is not less."""
    return _f16(np.ceil(_f32(a)))


def hrint(a):
    """The nearest whole number, of two the even one."""
    return _f16(np.rint(_f32(a)))


def htrunc(a):
    """Without its fraction."""
    return _f16(np.trunc(_f32(a)))
