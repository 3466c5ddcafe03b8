"""A fuzzer of arguments: random shapes, strides and layouts, objects that make no sense, wrong
counts. Results are those of plain Python on copies; a refusal says what is wrong; nothing crashes.
The seed is another one in each run, which the head of the output tells.

    WHIPSNAKE_FUZZ_N=5000 WHIPSNAKE_FUZZ_SEED=70000 pytest tests/faults/test_arguments.py
"""

import os
import sys

import numpy as np
import pytest
from arguments import overlapping_pair, odd_objects, random_array

from support import assert_same_elements, check, clone, compiled, errors, njit

N = int(os.environ.get("WHIPSNAKE_FUZZ_N", "500"))
SEED = int(os.environ["WHIPSNAKE_FUZZ_SEED"])
REFUSALS = (TypeError, ValueError, OverflowError)


# -- what arrays are passed to ------------------------------------------------------------------

def facts(a):
    return a.shape, a.size, a.ndim


def same(a):
    return a


def copied(a):
    return a.copy()


def turned(a):
    return a.T


def first_and_last(a):
    return a[0], a[-1]


def halves(a, i):
    return a[:i], a[i::2], a[::-1]


def element(a, i):
    return a[i]


def total(a):
    s = a.size
    for i in range(len(a)):
        s += a[i] != 0
    return s


def fill(a, i):
    a[i] = 1
    a[i:] = 0
    return a


def grid(a):
    s = 0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            s += (a[i, j] != 0) * (i + 2 * j)
    return s, a[0, -1], a[:, 1:]


def put_grid(a, i, j):
    a[i, j] = a[j, i]
    return a


def move(a, b):
    for i in range(min(len(a), len(b))):
        a[i] = b[i] + 1


def assign(a, b):
    a[: len(b)] = b[: len(a)]
    return a, b


def assign_copied(a, b):
    a[: len(b)] = b[: len(a)].copy()
    return a, b


ANY = [facts, same, copied, turned]
FLAT = [first_and_last, total]


def one_case(rng):
    """(function, arguments) drawn from all that is above."""
    kind = int(rng.integers(6))
    i, j = int(rng.integers(-6, 7)), int(rng.integers(-6, 7))
    if kind == 0:
        return ANY[int(rng.integers(len(ANY)))], [random_array(rng)]
    if kind == 1:
        return FLAT[int(rng.integers(len(FLAT)))], [random_array(rng, dims=[1])]
    if kind == 2:
        func = [halves, element, fill][int(rng.integers(3))]
        writable = func is fill or None
        return func, [random_array(rng, dims=[1], writable=writable), i]
    if kind == 3:
        return grid, [random_array(rng, dims=[2])]
    if kind == 4:
        return put_grid, [random_array(rng, dims=[2], writable=True), i, j]
    return move, overlapping_pair(rng)


def describe(args):
    return [f"{a.dtype}{a.shape} strides {a.strides} flags {a.flags.num}"
            if isinstance(a, np.ndarray) else a for a in args]


@pytest.mark.parametrize("block", range(max(1, N // 50)))
def test_arrays_of_every_layout(block):
    for number in range(50):
        seed = SEED + block * 50 + number
        func, args = one_case(np.random.default_rng(seed))
        try:
            check(func, *args)
        except Exception as problem:
            where = f"seed {seed}: {func.__name__}{describe(args)}"
            raise AssertionError(f"{where}\n{type(problem).__name__}: {problem}") from None


@pytest.mark.parametrize("seed", range(SEED, SEED + max(20, N // 10)))
def test_overlapping_assignment(seed):
    """As if the source were copied first. (NumPy 2.4 gets some one-dimensional ones wrong.)"""
    args = overlapping_pair(np.random.default_rng(seed))
    other = clone(tuple(args))
    compiled(assign)(*args)
    assign_copied(*other)
    for got, want in zip(args, other):
        assert_same_elements(got, want)


# -- objects ------------------------------------------------------------------------------------

def plus_one(x):
    return x + 1


def length(x):
    return len(x)


def second(x):
    return x[1]


def truth(x):
    return 1 if x else 0


def pair(x):
    return x, x


def compared(x):
    return x == x


OBJECT_FUNCTIONS = [same, plus_one, length, second, truth, pair, compared, facts]


def refusal(fast, *args, **kwargs):
    """The refusal as text, in one of the classes that a refusal may have; None: it was taken.
    What compiled code raises by itself (an index) is not a refusal."""
    try:
        fast(*args, **kwargs)
    except (*REFUSALS, errors.CompileError) as error:
        assert not isinstance(error, errors.InternalError), error
        return str(error)
    except IndexError:
        return None
    return None


def is_clear(text):
    """In words of ours: a sentence, none of the messages that only the C API understands."""
    first = text.split("\n")[0]
    vague = ("bad argument", "an integer is required", "cannot fit", "internal", "NULL")
    return len(first) > 12 and not any(word in first for word in vague)


@pytest.mark.parametrize("func", OBJECT_FUNCTIONS, ids=lambda f: f.__name__)
def test_odd_objects(func):
    fast = compiled(func)
    for name, obj in odd_objects().items():
        before = sys.getrefcount(obj)
        first, again = refusal(fast, obj), refusal(fast, obj)
        assert first is None or is_clear(first), f"{name}: {first}"
        assert (first is None) == (again is None), f"{name}: {first} and then {again}"
        for _ in range(20):
            refusal(fast, obj)
        assert sys.getrefcount(obj) <= before + 8, f"{name}: references are kept"


def test_odd_objects_for_an_explicit_signature():
    for signature in ("float64(float64)", "int64(int64)", "float64(float64[:])",
                      "complex64(complex64)", "uint8(uint8)", "boolean(boolean)"):
        fast = njit(signature)(lambda x: x) if "[:]" not in signature else \
            njit(signature)(lambda x: x[0])
        for name, obj in odd_objects().items():
            text = refusal(fast, obj)
            assert text is None or is_clear(text), f"{signature}, {name}: {text}"


def with_defaults(a, b=2, *rest, c, d=4):
    return a + b + len(rest) + c + d


COUNTS = [((), {}), ((1,), {}), ((1, 2), {"c": 3}), ((1,), {"b": 2, "c": 3}), ((), {"c": 1}),
          ((1, 2, 3, 4), {"c": 5}), ((1,), {"c": 2, "e": 3}), ((1, 2), {"b": 3, "c": 4}),
          ((1,), {"a": 2, "c": 3}), (tuple(range(50)), {"c": 1}), ((), {"a": 1, "c": 2, "d": 3}),
          ((1,), {"c": 2, "": 3}), ((1,), {"c": 2, "\u00e4": 3})]


@pytest.mark.parametrize("args, kwargs", COUNTS)
def test_wrong_counts_and_keywords(args, kwargs):
    check(with_defaults, *args, kwargs=kwargs)


def test_calls_through_the_slot():
    fast = compiled(with_defaults)
    assert fast.__call__(1, c=2) == fast(*(1,), **{"c": 2}) == 9
    with pytest.raises(TypeError, match="keywords must be strings|must be str"):
        fast(1, **{1: 2})
    with pytest.raises(TypeError):
        type(fast)()
    with pytest.raises(TypeError, match="is not a Python function"):
        type(fast)(len)
