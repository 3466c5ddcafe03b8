"""Loops whose checks on values are looked at strip by strip: whatever the length, wherever a fault
is, however the arrays overlap, the same is raised with the same elements written as by the plain
loop."""

import math
import re

import numpy as np
import pytest

from support import check, needs_compiler, njit

pytestmark = needs_compiler


def divide(a, b, out):
    for i in range(len(a)):
        out[i] = a[i] / b[i]


def both_needed(a, b, out):
    for i in range(len(a)):
        out[i] = math.log(a[i]) + math.sqrt(b[i]) / a[i]


def under_a_condition(a, b, out):
    for i in range(len(a)):
        if b[i] > 0.3:
            out[i] = a[i] / (b[i] - 0.5)
        else:
            out[i] = a[i]


def ahead(a, b, out):
    for i in range(len(a) - 1):
        out[i] = 1.0 / out[i + 1]


def behind(a, b, out):
    for i in range(1, len(a)):
        out[i] = 1.0 / out[i - 1]


def far_behind(a, b, out):
    for i in range(70, len(a)):
        out[i] = 1.0 / out[i - 70]


def sum_of_integers(a, b, out):
    count = 0
    for i in range(len(a)):
        count += int(a[i] / b[i])
    if len(out):
        out[0] = count


def two_stores(a, b, out):
    for i in range(len(a)):
        out[i] = a[i] / b[i]
        b[i] = out[i] / a[i]


def every_other(a, b, out):
    for i in range(len(a) // 2):
        out[2 * i] = a[2 * i] / b[2 * i + 1]


def power(a, b, out):
    for i in range(len(a)):
        out[i] = a[i] ** b[i]


def overflow(a, b, out):
    for i in range(len(a)):
        out[i] = math.exp(a[i] * 300.0) / b[i]


def caught(a, b, out):
    try:
        for i in range(len(a)):
            out[i] = a[i] / b[i]
    except ZeroDivisionError:
        if len(out):
            out[0] = -1.0


FUNCTIONS = [divide, both_needed, under_a_condition, ahead, behind, far_behind, sum_of_integers,
             two_stores, every_other, power, overflow, caught]  # fmt: skip
COMPILED = {f: njit(f) for f in FUNCTIONS}


class Plain:
    """An array whose elements are Python's floats, which raise where NumPy's do not."""

    def __init__(self, array):
        self.array = array

    def __len__(self):
        return len(self.array)

    def __getitem__(self, i):
        return self.array[i].item()

    def __setitem__(self, i, value):
        self.array[i] = value


def spoil(function, arrays, at):
    a, b, out = arrays
    if function is both_needed:
        a[at] = -1.0
    elif function is overflow:
        a[at] = 5.0
    elif function is power:
        a[at], b[at] = 0.0, -1.0
    elif function in (ahead, behind, far_behind):
        out[at] = 0.0
    else:
        b[at] = 0.5 if function is under_a_condition else 0.0


def make_arrays(function, size, fault, layout):
    rng = np.random.default_rng(size)
    arrays = [rng.random(size) + 0.1 for _ in range(3)]
    if fault is not None:
        spoil(function, arrays, fault)
    a, b, out = arrays
    if layout == "out is b":
        return a, b, b
    if layout == "out is a":
        return a, b, a
    if layout in ("out ahead of b", "out behind b"):
        both = np.concatenate([b, b])
        late, early = both[2 : size + 2], both[:size]
        return (a, early, late) if layout == "out ahead of b" else (a, late, early)
    if layout == "backwards":
        return a[::-1], b[::-1], out[::-1]
    return a, b, out


def outcome(function, arrays):
    try:
        with np.errstate(all="ignore"):
            function(*arrays)
    except (ArithmeticError, ValueError) as error:
        return type(error)
    return None


LAYOUTS = ["apart", "out is b", "out is a", "out ahead of b", "out behind b", "backwards"]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_strips(function, layout):
    raised = 0
    for size in (0, 5, 8, 15, 16, 17, 33, 63, 64, 72, 100, 200):
        for fault in {None, 0, 3, size - 1, size // 2, size - 9, 70}:
            if fault is not None and not 0 <= fault < size:
                continue
            expected = make_arrays(function, size, fault, layout)
            found = make_arrays(function, size, fault, layout)
            case = f"size {size}, fault {fault}"
            want = outcome(function, [Plain(array) for array in expected])
            assert outcome(COMPILED[function], found) is want, case
            raised += want is not None
            for x, y in zip(found, expected):
                np.testing.assert_allclose(x, y, rtol=1e-14, err_msg=case)
    assert raised > 3 or layout != "apart" or function is caught


def test_limits_far_away():
    """How far it is from the counter to its limit may be more than an integer holds."""

    def divide_from(a, b, out, i, n):
        while i < n:
            out[i] = a[i] / b[i]
            i += 1

    def total_from(a, b, i, n):
        total = 0
        while i < n:
            total += int(a[i] / b[i])
            i += 1
        return total

    a, b = np.arange(100.0) + 1.0, np.ones(100)
    for start, limit in ((5, -(2**63) + 2), (0, -(2**63)), (99, 2**63 - 1), (60, 90), (60, 75)):
        check(divide_from, a, b, np.zeros(100), start, limit)
        check(total_from, a, b, start, limit)


def test_sum_of_what_was_stored():
    """The loop reads what it has written an iteration before, beside a division."""

    def running(a, b, out, count):
        for i in range(1, len(a)):
            out[i] = a[i] / b[i]
            count += int(out[i - 1])
        return count

    rng = np.random.default_rng(2)
    a, b = rng.random(100) * 99.0, rng.random(100) + 0.1
    check(running, a, b, np.zeros(100), 0)
    check(running, a, b, a, 0)


def test_rows():
    """An inner loop over rows of two-dimensional arrays, converted from integers."""

    def index(near, red, out):
        for i in range(near.shape[0]):
            for j in range(near.shape[1]):
                n, r = float(near[i, j]), float(red[i, j])
                out[i, j] = (n - r) / (n + r)

    compiled = njit(index)
    rng = np.random.default_rng(1)
    near, red = (rng.integers(1, 999, (3, 150)).astype(np.uint16) for _ in range(2))
    out = np.zeros((3, 150))
    compiled(near, red, out)
    n, r = near.astype(float), red.astype(float)
    np.testing.assert_array_equal(out, (n - r) / (n + r))
    near[1, 100] = red[1, 100] = 0
    again = np.zeros((3, 150))
    with pytest.raises(ZeroDivisionError):
        compiled(near, red, again)
    np.testing.assert_array_equal(again.ravel()[:250], out.ravel()[:250])
    assert not again.ravel()[250:].any()


def test_no_scalar_rest():
    """Both passes are vector loops alone: a scalar copy for the rest would only cost compile time.
    What is left are the loop as it was and the copy with all checks."""

    @njit
    def scaled(a, b, out):
        for i in range(len(a)):
            out[i] = math.exp(a[i]) / b[i]

    scaled(np.ones(9), np.ones(9), np.empty(9))
    text, = scaled.inspect_llvm().values()
    assert len(re.findall(r"call[^\n]* <\d+ x double> @Sleef_\w*expd\d_", text)) == 1
    assert len(re.findall(r"call[^\n]* double @Sleef_\w*expd1_", text)) == 2
