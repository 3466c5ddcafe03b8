"""Variables that may be None: what a condition tells about them.

PYTEST_DONT_REWRITE: an assert statement belongs to the programs.
"""

import numpy as np
import pytest

from support import check, compiled, needs_compiler


def length_if_there(n):
    x = None
    if n > 2:
        x = np.ones(n)
    if x is not None:
        return len(x)
    return -1


def leave_if_none(n):
    x = None
    if n > 2:
        x = np.ones(n)
    if x is None:
        return -1.0
    return x.sum() + x[0] + x.shape[0]


def conditional_expression(n):
    x = None
    if n > 2:
        x = 2.5
    return x + 1 if x is not None else 0.0


def by_truth(n):
    x = None
    if n > 2:
        x = 2.5
    if x:
        return x + 1
    return 0.0


def or_in_a_condition(n):
    x = None
    for i in range(n):
        if x is None or x < i:
            x = i
    return x


def and_in_a_condition(n):
    x = None
    for i in range(n):
        if x is not None and x > 3:
            return x * 2
        x = i
    return -1


def not_in_a_condition(n):
    best = None
    for i in range(n):
        if not best or i > best:
            best = i
    return best


def while_there(n):
    x = None
    if n > 2:
        x = np.ones(n)
    while x is not None:
        x[0] += 1
        if x[0] > 5:
            x = None
    return n


def after_an_assertion(n):
    x = None
    if n > 2:
        x = np.ones(n)
    y = len(x) if not (x is None) else 0
    assert x is not None
    for v in x: y += v
    return y


def filled_in(n):
    x = None
    if n > 2:
        x = np.ones(n)
    if x is None:
        x = np.zeros(2)
    return len(x)


def unpacked(n):
    x = None
    if n > 2:
        x = (1, 2.5)
    if x is not None:
        a, b = x
        return a + b
    return 0.0


def text(n):
    x = None
    if n > 2:
        x = "abc"
    if x is not None:
        return x + "d"
    return ""


def asked_twice(n):
    x = None
    if n > 2:
        x = np.ones(n)
    if x is None and n > 1:
        return 0
    if x is None:
        return 1
    return len(x)


def two_variables(n):
    x = y = None
    if n > 2:
        x = np.ones(n)
        y = np.zeros(n)
    if x is not None and y is not None:
        return (x + y).sum()
    return 0.0


def in_a_value(n):
    x = None
    if n > 2:
        x = np.ones(n)
    few = x is not None and len(x) < 5
    none = x is None or x.size == 0
    return few, none, (x is not None and x[0]) or 7.0


def result_of_a_call(n):
    def find(a, v):
        for i in range(len(a)):
            if a[i] == v:
                return i
        return None

    at = find(np.arange(5), n)
    if at is None:
        return -1
    return range(10)[at] + 1


def an_argument(x, y):
    if x is None:
        x = np.zeros(3)
    if y is not None:
        x = x + y
    return x.sum()


FUNCTIONS = [length_if_there, leave_if_none, conditional_expression, by_truth,
             or_in_a_condition, and_in_a_condition, not_in_a_condition, while_there,
             after_an_assertion, filled_in, unpacked, text,
             asked_twice, two_variables,
             in_a_value, result_of_a_call]


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_conditions_tell_that_a_variable_is_not_none(f):
    for n in (0, 1, 2, 3, 5, 9):
        check(f, n)


def test_arguments_that_may_be_none():
    for x in (None, np.ones(2)):
        for y in (None, 1.5):
            check(an_argument, x, y)


@needs_compiler
def test_what_no_condition_tells_is_refused():
    from whipsnake.errors import TypingError

    def f(n):
        x = None
        if n > 2:
            x = np.ones(n)
        if x is not None:
            n += len(x)
        return len(x)

    with pytest.raises(TypingError, match=r"if x is not None"):
        compiled(f)(3)


@needs_compiler
def test_a_variable_is_told_what_it_is():
    from whipsnake.errors import TypingError

    def f(n):
        x = None
        if n > 2:
            x = np.ones(n)
        if x is not None:
            return x.length
        return 0

    with pytest.raises(TypingError, match="it is not None here"):
        compiled(f)(3)
