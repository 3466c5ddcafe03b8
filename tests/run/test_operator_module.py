"""The functions of the module operator."""

import operator

import numpy as np
import pytest

from support import check, check_raises, make

ARITHMETIC = "add sub mul truediv floordiv mod pow lshift rshift and_ or_ xor".split()
COMPARISONS = "lt le eq ne ge gt".split()
UNARY = "neg pos invert inv not_ truth abs".split()


def call(name, params):
    return make(f"def f({params}):\n    return operator.{name}({params})", operator=operator)


@pytest.mark.parametrize("name", ARITHMETIC + COMPARISONS)
def test_binary(name):
    check(call(name, "a, b"), 13, 3)
    check(call(name, "a, b"), -13, 3)
    if name not in ("lshift", "rshift", "and_", "or_", "xor"):
        check(call(name, "a, b"), 2.5, 2)


@pytest.mark.parametrize("name", ["i" + name.rstrip("_") for name in ARITHMETIC])
def test_in_place_gives_the_result(name):
    check(call(name, "a, b"), 13, 3)


@pytest.mark.parametrize("name", UNARY)
def test_unary(name):
    check(call(name, "a"), 5)
    check(call(name, "a"), 0)


def test_sequences():
    def f(t, a, i):
        operator.setitem(a, i, 7.5)
        return (operator.getitem(t, 1), operator.getitem(a, i), operator.contains(t, i),
                operator.concat(t, (1, 2)), operator.is_(t, None), operator.is_not(t, None))

    check(f, (1, 2.5), np.zeros(3), 1)


def test_matmul():
    def f(a, b):
        return operator.matmul(a, b)

    check(f, np.arange(4.0).reshape(2, 2), np.arange(4.0).reshape(2, 2))


def test_passed_on():
    def f(n):
        def fold(op, start):
            total = start
            for i in range(1, n):
                total = op(total, i)
            return total

        return fold(operator.add, 0), fold(operator.mul, 1)

    check(f, 6)


def test_division_by_zero():
    check_raises(ZeroDivisionError, "by zero", call("floordiv", "a, b"), 1, 0)
