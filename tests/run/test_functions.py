"""Calls: defaults, keywords, *args, inner functions, recursion, functions as values."""

import math

import numpy as np
import pytest

from support import check, compiled, jit, make, needs_compiler, njit, on


@njit
def square(x):
    return x * x


@njit
def hypotenuse(a, b):
    return math.sqrt(square(a) + square(b))


@on((3, 4), (1.5, 2.0), (3, 4.0))
def test_calls_of_compiled_functions(a, b):
    return hypotenuse(a, b) + square(b)


def plain_helper(x):
    return x + 1


@njit
def scale(x, factor=2, offset=0.5):
    return x * factor + offset


@on(3, 2.5)
def test_defaults_and_keywords_inside(x):
    return (scale(x), scale(x, 3), scale(x, offset=1), scale(x, factor=4),
            scale(factor=5, x=x), scale(x, 1, 2))


def power_sum(x, n=3, *, scale=1.0):
    total = 0.0
    for i in range(n):
        total += scale * x ** i
    return total


@pytest.mark.parametrize("args, kwargs", [
    ((2.0,), {}), ((2.0, 4), {}), ((2.0,), {"n": 2}), ((), {"x": 2.0}), ((2.0,), {"scale": 3.0}),
    ((), {"scale": 0.5, "n": 5, "x": 1.5}),
])
def test_defaults_and_keywords_from_python(args, kwargs):
    check(power_sum, *args, kwargs=kwargs)


@pytest.mark.parametrize("args, kwargs", [
    ((), {}), ((1.0, 2, 3), {}), ((1.0,), {"x": 2.0}), ((1.0,), {"nope": 1}),
    ((1.0, 2), {"n": 3}),
])
def test_wrong_calls_raise_type_errors_as_python_does(args, kwargs):
    with pytest.raises(TypeError):
        power_sum(*args, **kwargs)
    with pytest.raises(TypeError):
        compiled(power_sum)(*args, **kwargs)


def none_default(x, y=None):
    if y is None:
        return x
    return x + y


def test_none_as_a_default():
    check(none_default, 3)
    check(none_default, 3, 4)
    check(none_default, 3, None)


def positional_only(a, b, /, c):
    return a - b * c


def test_positional_only_parameters():
    check(positional_only, 1, 2, 3)
    check(positional_only, 1, 2, kwargs={"c": 3})


@njit
def total_of(*values):
    total = 0.0
    for v in values:
        total += v
    return total


@on((1, 2.5), (3, 4.0))
def test_star_arguments_inside(a, b):
    t = (a, b, a)
    return total_of(), total_of(a), total_of(a, b, 1), total_of(*t), total_of(b, *t)


def first_and_count(first, *rest):
    return first, len(rest), rest


def test_star_arguments_from_python():
    check(first_and_count, 1)
    check(first_and_count, 1, 2, 3)
    check(first_and_count, 1, 2.5, True)


@on(4)
def test_inner_function(n):
    def cube(x):
        return x * x * x

    return cube(n) + cube(2.5)


@on((4, 3), (4.5, 2))
def test_inner_function_that_captures(n, k):
    def times(x):
        return x * k + n

    return times(1) + times(times(2))


@on(3)
def test_inner_function_sees_the_variable_not_a_copy(n):
    k = 1

    def current():
        return k

    a = current()
    k = 10 + n
    return a, current()


@on(5)
def test_inner_function_writes_a_captured_variable(n):
    count = 0

    def bump(k):
        nonlocal count
        count += k
        return count

    for i in range(n):
        bump(i)
    return count, bump(100), count


@on(3)
def test_inner_function_of_an_inner_function(n):
    def outer(a):
        def inner(b):
            return a * b + n
        return inner(a + 1)

    return outer(2)


@njit
def apply_twice(f, x):
    return f(f(x))


@on(3, 2.5)
def test_inner_function_passed_on(x):
    def add(y):
        return y + x

    return apply_twice(add, 1.5)


@on(3)
def test_lambda(n):
    add = lambda x, y=2: x + y * n
    return add(1), add(1, 5)


@on(10, 1, 0)
def test_recursive_inner_function(n):
    def fact(k):
        if k <= 1:
            return 1
        return k * fact(k - 1)

    return fact(n)


@njit
def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


@njit
def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


@njit
def is_even(n):
    return True if n == 0 else is_odd(n - 1)


@njit
def is_odd(n):
    return False if n == 0 else is_even(n - 1)


@njit
def binary_search(a, x, low, high):
    if low >= high:
        return -1
    middle = (low + high) // 2
    if a[middle] == x:
        return middle
    if a[middle] < x:
        return binary_search(a, x, middle + 1, high)
    return binary_search(a, x, low, middle)


def test_recursion():
    check(fib, 15)
    check(ackermann, 2, 3)
    for n in (0, 1, 7, 10):
        check(is_even, n)
        check(is_odd, n)
    for x in (0, 7, 8, 99):
        check(binary_search, np.arange(0, 100, 7), x, 0, 15)


@njit
def down_float(n):
    if n == 0:
        return 0.5
    return down_float(n - 1) + n


@njit
def three_a(n):
    return 0 if n <= 0 else three_b(n - 1) + 1


@njit
def three_b(n):
    return 0 if n <= 0 else three_c(n - 1) + 10


@njit
def three_c(n):
    return 0 if n <= 0 else three_a(n - 1) + 100


def test_recursion_whose_type_comes_from_the_other_branch():
    check(down_float, 5)
    check(three_a, 10)
    check(three_c, 7)


@njit
def quicksort(a, low, high):
    if low < high:
        pivot = a[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while a[i] < pivot:
                i += 1
            while a[j] > pivot:
                j -= 1
            if i <= j:
                a[i], a[j] = a[j], a[i]
                i += 1
                j -= 1
        quicksort(a, low, j)
        quicksort(a, i, high)


def test_recursion_over_an_array():
    data = np.random.RandomState(3).permutation(200).astype(np.float64)
    check(quicksort, data, 0, len(data) - 1)


@njit
def runaway(n):
    return runaway(n + 1) + 1


@needs_compiler
def test_runaway_recursion_raises():
    with pytest.raises(RecursionError):
        runaway(0)
    assert fib(10) == 55


@njit
def integrate(f, a, b, n):
    h = (b - a) / n
    total = 0.0
    for i in range(n):
        total += f(a + (i + 0.5) * h)
    return total * h


@njit
def parabola(x):
    return x * x


@on((0.0, 1.0, 100))
def test_functions_as_arguments_inside(a, b, n):
    return integrate(parabola, a, b, n) + integrate(math.sin, a, b, n)


def test_functions_as_arguments_from_python():
    check(integrate, parabola, 0.0, 2.0, 50)
    check(integrate, math.exp, 0.0, 2.0, 50)


STEPS = (square, parabola, njit(plain_helper))


@on(3, 1.5)
def test_a_tuple_of_functions(x):
    total = x * 0
    for f in STEPS:
        total += f(x)
    return total


@on((3, True), (3, False))
def test_choosing_a_function(x, flag):
    f = square if flag else fib
    return f(x)


@on(2.0)
def test_undecorated_helper_functions_are_compiled_along(x):
    return plain_helper(x) * plain_helper(x)


@on((3, 4))
def test_calls_inside_calls(a, b):
    return square(square(a) + square(square(b)))


@on(np.arange(5.0))
def test_a_callee_that_writes_an_array(a):
    fill_first(a, 9.0)
    return a.sum()


@njit
def fill_first(a, x):
    a[0] = x


@njit
def split(x):
    return x // 10, x % 10


@on(57, -3)
def test_several_results(n):
    tens, ones = split(n)
    return ones * 10 + tens


def test_a_method():
    class Walker:
        step = 3

        def __init__(self, k):
            self.k = k

        @staticmethod
        @njit
        def double(x):
            return 2 * x

    assert Walker(1).double(4) == 8 and Walker.double(2.5) == 5.0


@needs_compiler
def test_compiled_functions_bind_as_methods():
    @njit
    def describe(self, x):
        return x + 1

    class Number(int):
        pass

    Number.describe = describe
    assert Number(4).describe(1) == 2
    assert describe.__get__(5, int)(2) == 3


def test_many_functions_that_call_each_other():
    lines = ["@njit\ndef f0(x):\n    return x + 1\n"]
    for i in range(1, 40):
        lines.append(f"@njit\ndef f{i}(x):\n    return f{i - 1}(x) * 2 - {i}\n")
    check(make("\n".join(lines), "f39"), 3)


def test_64_arguments():
    names = ", ".join(f"a{i}" for i in range(64))
    check(make(f"def f({names}):\n    return a0 + a63 * 2 + a31\n"), *range(64))
    check(make(f"def f({names}):\n    return ({names})\n"), *[i * 0.5 for i in range(64)])


def test_jit_is_njit():
    assert jit(lambda x: x + 1)(2) == 3
