"""match statements on values and tuples."""

import collections
import enum

from support import on

Point = collections.namedtuple("Point", "x y")


class Op(enum.IntEnum):
    ADD = 1
    MUL = 2


LIMIT = 5


@on(0, 1, 2, 3, -1, 200)
def test_literals(x):
    match x:
        case 0:
            return 10
        case 1 | 2:
            return 20
        case -1:
            return 30
        case _:
            return 40


@on((1, 0), (0, 2), (0, 0), (3, 4))
def test_tuples(x, y):
    match (x, y):
        case (0, 0):
            return 0
        case (0, b):
            return b
        case (a, 0):
            return -a
        case (a, b):
            return a * 10 + b


@on(1, 2, 3)
def test_dotted_constants(op):
    match op:
        case Op.ADD:
            return "add" == "add", 1
        case Op.MUL:
            return True, 2
    return False, 0


@on(3, 7, 50)
def test_guards(x):
    match x:
        case n if n < 5:
            return n
        case n if n < 10:
            return n * 100
    return -1


@on(((1, 2, 3, 4),), ((1, 2),), ((5,),))
def test_star_patterns(t):
    match t:
        case (first, *rest):
            return first, len(rest)


@on(((1, (2, 3)),), ((0, (2, 0)),))
def test_nested_patterns(t):
    match t:
        case (0, (a, 0)):
            return a
        case (a, (b, c)):
            return a + b * 10 + c * 100


@on((1, 2.5), (2, -1.0))
def test_capture_and_as(x, y):
    match (x, y):
        case (1 as a, b):
            return a + b
        case (a, b) as whole:
            return a * b + whole[0]


@on((None, 3), (4, 3))
def test_none(x, y):
    match x:
        case None:
            return y
        case _:
            return x + y


@on(True, False)
def test_bools(b):
    match b:
        case True:
            return 1
        case False:
            return 0


@on(((1, 2),), ((1, 2, 3),), (5,))
def test_length_and_kind_decide(t):
    match t:
        case (a, b):
            return a + b
        case (a, b, c):
            return a * b * c
        case _:
            return -1


@on(Point(0, 3), Point(2, 3))
def test_named_tuples_as_sequences(p):
    match p:
        case (0, y):
            return y
        case (x, y):
            return x * y


@on(10)
def test_match_in_a_loop(n):
    total = 0
    for i in range(n):
        match i % 4:
            case 0:
                continue
            case 1:
                total += 1
            case 2 if i > 5:
                total += 100
            case 3:
                if i > 8:
                    break
                total += 10
    return total


@on(0, 1, 2, 3, 4, 5)
def test_a_little_machine(code):
    program = (0, code, 1, 2, 0, 3)
    stack = 1
    for instruction in program:
        match instruction:
            case 0:
                stack += 5
            case 1:
                stack *= 3
            case 2:
                stack -= 1
            case 3 | 4:
                stack = -stack
            case _:
                return -1000
    return stack
