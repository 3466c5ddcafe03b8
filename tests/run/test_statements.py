"""Each form of statement and expression that is not a loop or a call."""

import collections

import numpy as np
import pytest

from support import check, make, on

Point = collections.namedtuple("Point", "x y")


@on((3, 4), (-1, 0), (2.5, 1))
def test_assignment_chained(a, b):
    x = y = a + b
    x += 1
    return x, y


@on(5, -7)
def test_assignment_augmented(n):
    x = n
    x += 3
    x -= 1
    x *= 2
    x //= 3
    x %= 11
    x <<= 2
    x |= 1
    x &= 0xFF
    x ^= 0x0F
    x >>= 1
    x **= 2
    y = x * 1.0
    y /= 4
    return x, y


@on(np.arange(6.0), np.arange(6))
def test_assignment_augmented_subscript(a):
    a[0] += 2
    a[-1] *= 3
    a[1:3] = 7
    i = 2
    a[i] -= a[i + 1]


def test_augmented_subscript_evaluates_its_index_once():
    def program(a, log):
        def next_index(log):
            log[0] += 1
            return log[0]

        a[next_index(log)] += 10

    check(program, np.zeros(5), np.zeros(1, np.int64))


@on(3)
def test_assignment_annotated(n):
    x: int = n
    y: float
    y = x * 0.5
    return y


@on((1, 2.5), (0, -0.0))
def test_swap(a, b):
    a, b = b, a
    return a, b


@on((1, 2, 3), (True, 2, 0.5))
def test_rotate_of_three(a, b, c):
    a, b, c = c, a, b
    return a, b, c


@on(((1, 2.5, 3, 4),), ((1, 2),), ((1, 2, 3),))
def test_unpacking_with_star(t):
    first, *rest, last = t
    return first, len(rest), last


@on((((1, 2), (3.5, True)),))
def test_unpacking_nested(t):
    (a, b), (c, d) = t
    return d, c, b, a


@on((np.array([4.0, 5.0, 6.0]),), (np.array([1, 2, 3]),))
def test_unpacking_an_array(a):
    x, y, z = a
    return x + 10 * y + 100 * z


@on((np.array([4.0, 5.0]),), (np.arange(4.0),))
def test_unpacking_an_array_of_another_length(a):
    x, y, z = a
    return x + y + z


@on((3, 7), (7, 3), (5, 5))
def test_if_elif_else(a, b):
    if a < b:
        r = -1
    elif a > b:
        r = 1
    else:
        r = 0
    return r


@on(-5, 0, 5, 12, 100)
def test_nested_ifs_with_returns(x):
    if x < 0:
        return -1
    if x < 10:
        if x == 0:
            return 0
        elif x % 2:
            return 1
        return 2
    else:
        if x > 50:
            return 4
    return 3


@on((1, 2, 3), (3, 2, 1), (1, 1, 2), (2.5, 3, 2.75))
def test_chained_comparison(a, b, c):
    return a < b < c, a <= b <= c, a < b > c, a == b != c, a < b <= c < 100


@on((0, np.zeros(3, np.int64)), (1, np.zeros(3, np.int64)))
def test_chained_comparison_evaluates_once_and_stops_early(x, log):
    def seen(v, log):
        log[v] += 1
        return v

    return x > seen(0, log) < seen(2, log)


@on((0, 5), (3, 5), (0, 0), (-1, 0))
def test_and_or_have_python_values(a, b):
    return a and b, a or b, not a, a and b or 7, a or b and 9


@on((0.0, 5.0), (3.0, 5.0), (0.0, -0.0), (float("nan"), 1.0))
def test_and_or_on_floats(a, b):
    return a and b, a or b


@on((0, np.zeros(2, np.int64)), (1, np.zeros(2, np.int64)))
def test_short_circuit(x, log):
    def count(log):
        log[0] += 1
        return True

    if x and count(log):
        log[1] = 1
    if x or count(log):
        log[1] += 2


@on(3, -3, 0)
def test_conditional_expression(x):
    return (1 if x > 0 else -1) if x else 0


@on(4, 10)
def test_walrus(n):
    if (half := n // 2) > 3:
        return half * 10
    return half


@on(100)
def test_walrus_in_a_while(n):
    count = 0
    while (n := n // 3) > 0:
        count += n
    return count, n


@on(3)
def test_pass_and_docstring(x):
    """This text is not code."""
    if x > 100:
        pass
    else:
        pass
    return x


@on(1)
def test_no_return_gives_none(x):
    x + 1


@on(1, 2)
def test_bare_return(x):
    if x == 1:
        return
    return


@on((3, 4))
def test_del_of_a_variable(a, b):
    c = a * b
    a = c + 1
    del c
    return a


@on((1, True), (1, False))
def test_reading_a_variable_that_was_never_set(x, flag):
    if flag:
        y = x + 1
    return y


@on((5, True), (5, False))
def test_reading_a_deleted_variable(x, flag):
    y = x
    if flag:
        del y
    return y


@on(0, 3)
def test_reading_a_loop_variable_after_an_empty_loop(n):
    for i in range(n):
        pass
    return i


@on((1, 2.5, True), (0, -1.0, False))
def test_variables_change_type(a, b, c):
    x = a
    x = x * 1.0
    x = x + b
    y = c
    y = y + 1
    return x, y


@on((5, True), (5, False), as_type=float)
def test_int_and_float_unify(n, flag):
    if flag:
        x = n
    else:
        x = n + 0.5
    return x


@on((5, True), (5, False))
def test_value_and_none_unify(n, flag):
    if flag:
        return n
    return None


@on((5, True), (5, False))
def test_an_optional_is_asked_and_used(n, flag):
    best = None
    if flag:
        best = n
    if best is None:
        return -1
    return best + 1


@on((None, 3), (4, 3))
def test_an_optional_argument(x, y):
    if x is not None:
        return x + y
    return y


@on((1, 1), (1, 2))
def test_is_and_is_not(a, b):
    x = None
    return x is None, x is not None, (a is None) or (b is None)


@on(((1, 2, 3), 2), ((1, 2, 3), 5), ((1.0, 2.0), 2), ((1, 2.5), 2.5))
def test_in_a_tuple(t, x):
    return x in t, x not in t


@on((10, 3), (10, 4), (10, 10), (10, -2), (0, 0))
def test_in_a_range(n, x):
    return x in range(n), x in range(1, n, 2), x in range(n, 0, -3), x not in range(2)


@on(7)
def test_literals(n):
    return (0x1F, 0b101, 0o17, 1_000_000, 1e3, .5, 5., 1e-5, 2j, 1.5e2j, True, None, -n,
            10**9)


@on((17, 5), (-17, 5), (17, -5))
def test_expressions_keep_their_order(a, b):
    return a - b - 1, a // b // 2, 2 ** 3 ** 1, -a ** 2, a - b * 2 + 1, (a, b)[a > b], ~a & b


@on(((3, 4),))
def test_tuples_are_indexed_sliced_and_joined(t):
    u = t + (5, 6.5)
    return u[0], u[-1], u[1:3], u[::2], len(u), t * 2, (t, u)[0]


@on(((1, 2), (1, 2)), ((1, 2), (1, 3)), ((1, 2), (1, 2.0)), ((3, 0), (1, 9)))
def test_tuples_compare(a, b):
    return a == b, a != b, a < b, a <= b, a > b, a >= b


@on((Point(1, 2.5),), (Point(3, 4),))
def test_named_tuples(p):
    q = Point(p.y, p.x)
    r = Point(x=p.x * 2, y=q.x)
    return q, r, p.x + p[1], len(p)


@on(((1, (2.0, (True, None))),))
def test_nested_tuples(t):
    a, (b, (c, d)) = t
    return ((a, b), (c, (d, b))), t


@on((3, 0), (3, 1), (3, 2))
def test_tuple_with_an_index_known_at_run_time(n, i):
    t = (n, n * 2, n * 3)
    return t[i], t[-1 - i]


@on((np.arange(10.0), 2, 8, 3), (np.arange(10.0), 8, 2, -2))
def test_slices_as_values(a, start, stop, step):
    s = slice(start, stop, step)
    return a[s].sum(), s.start, s.stop, s.step


@on((3.5, 2), (1, 2j))
def test_parts_of_numbers(x, y):
    return x.real, x.imag, y.real, y.imag, x.conjugate(), y.conjugate()


@on(True, False)
def test_bool_arithmetic(b):
    return b + b, b * 3, b - 1, -b, b & True, b | False, b ^ True, b == 1, b < 2, b / 2, b // 1


def test_a_long_chain_of_branches():
    source = ["def f(x):\n", "    r = 0\n"]
    for i in range(60):
        source.append(f"    {'if' if i == 0 else 'elif'} x == {i}:\n        r = x * {i} + 1\n")
    source.append("    else:\n        r = -1\n    return r\n")
    from support import make
    program = make("".join(source))
    for x in (0, 1, 30, 59, 60, -1):
        check(program, x)


def test_a_deeply_nested_expression():
    from support import make
    check(make("def f(x):\n    return " + "(" * 60 + "x" + " + 1)" * 60 + "\n"), 3)
    check(make("def f(x):\n    return " + "-" * 51 + "x\n"), 3)


def test_is_none_of_any_value_that_may_be_none():
    def pick(a, n):
        x = None
        if n > 1:
            x = a
        return x is None, x is not None, None is x

    for a in (np.ones(3), (1, 2.5), "text", 3.5, 1j):
        for n in (1, 2):
            check(pick, a, n)


RAISES_ALWAYS = """
    @njit
    def h(a):
        if True and 3.25 < 1e3:
            raise ValueError("code", len(a))
        return 1

    @njit
    def f(a, n, c):
        if c > 2:
            {}
        return n
"""


@pytest.mark.parametrize("statement", [
    "a[n if c else c] = h(a)",
    "a[n if c else c] = (5 - h(a)) % 7",
    "a[n if c else c] += h(a) if c else h(a)",
    "x = h(a) if c else h(a); a[0] = x",
    "x = 1; g = lambda: x; x = h(a) if c else h(a); n = g()",
    "x = h(a) if c else h(a); g = lambda: x; x = 7; n = g()",
    "return h(a) if c else h(a)",
    "return a[n if c else c:h(a)][0]",
    "raise (h(a) if c else h(a)) from None",
    "raise ValueError(1) from (h(a) if c else h(a))",
    "while h(a) if c else h(a): n = 5",
    "for i in range(3): h(a); n += i",
    "for x in (a, c): n += c; h(a); n += c",
    "while n < 9: h(a); n += 1; continue",
])
def test_what_needs_a_result_that_never_comes(statement):
    """The value is computed in one block and used in another, which is reached by no call."""
    f = make(RAISES_ALWAYS.format(statement))
    for c in (1, 3):
        check(f, np.array([1, 2, 3]), 1, c)
