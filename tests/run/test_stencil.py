"""stencil: against NumPy's own shifted and padded arrays, from Python and from compiled code."""

import pickle
import re
from typing import Any, NamedTuple

import numpy as np
import pytest

from support import PLAIN, check, run_python

if PLAIN:
    pytest.skip("needs whipsnake itself, not the plain stand-in", allow_module_level=True)

import whipsnake
from whipsnake import njit, stencil
from whipsnake.errors import NumbaValueError, TypingError

FAR = 2


@pytest.fixture
def threads():
    with whipsnake.parallel_chunksize(3):
        yield whipsnake._core.set_threads
    whipsnake._core.set_threads(0)


# -- one axis -------------------------------------------------------------------------------------


@stencil
def smooth(a):
    return (a[-1] + a[0] + a[1]) / 3


@stencil
def ahead(a):
    return a[FAR] - a[0]


@stencil
def behind(a):
    return a[-FAR * 2 + 1]


def line(n=20):
    return np.random.default_rng(n).normal(size=n)


def test_one_axis():
    a = line()
    want = np.zeros(20)
    want[1:-1] = (a[:-2] + a[1:-1] + a[2:]) / 3
    np.testing.assert_array_equal(smooth(a), want)
    np.testing.assert_array_equal(ahead(a), np.append(a[2:] - a[:-2], [0, 0]))
    np.testing.assert_array_equal(behind(a), np.append([0, 0, 0], a[:-3]))
    assert (smooth.neighborhood, ahead.neighborhood, behind.neighborhood) == (
        ((-1, 1),), ((0, 2),), ((-3, 0),))


@pytest.mark.parametrize("n", range(5))
def test_arrays_smaller_than_the_neighborhood(n):
    a = np.arange(1.0, n + 1)
    want = [0.0] * n
    for i in range(1, n - 1):
        want[i] = (a[i - 1] + a[i] + a[i + 1]) / 3
    assert smooth(a).tolist() == want
    assert behind(a).tolist() == [0, 0, 0, 1][:n]
    assert ahead(a).tolist() == ([2.0] * (n - 2) + [0.0, 0.0])[-n or 4:]


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float32", "float64",
                                   "complex64", "complex128"])  # fmt: skip
def test_what_comes_in_and_goes_out(dtype):
    same = stencil(lambda a: a[-1])
    a = (np.arange(7) % 3).astype(dtype)
    got = same(a)
    assert got.dtype == a.dtype
    np.testing.assert_array_equal(got, np.append([0], a[:-1]).astype(dtype))


# -- several axes, and what is behind the edges ---------------------------------------------------


def cross(a):
    return a[-1, 0] + 2 * a[2, 1] - a[0, -3] * a[0, 0]


PADS = {"nearest": "edge", "wrap": "wrap", "reflect": "symmetric"}
LAYOUTS = {"C": lambda a: a, "F": np.asfortranarray,
           "A": lambda a: np.repeat(np.repeat(a, 2, 0), 2, 1)[::2, 1::2]}


def cross_everywhere(a, pad):
    p = np.pad(a, 3, mode=pad)
    n, m = a.shape

    def at(i, j):
        return p[3 + i:3 + i + n, 3 + j:3 + j + m]

    return at(-1, 0) + 2 * at(2, 1) - at(0, -3) * at(0, 0)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", [(12, 9), (3, 4), (2, 30), (4, 4), (5, 1)])
@pytest.mark.parametrize("mode", PADS)
def test_modes(mode, shape, layout):
    a = LAYOUTS[layout](np.random.default_rng(3).normal(size=shape))
    np.testing.assert_array_equal(stencil(mode)(cross)(a), cross_everywhere(a, PADS[mode]))


@pytest.mark.parametrize("shape", [(12, 9), (3, 4), (2, 30), (4, 5), (0, 7), (7, 0)])
@pytest.mark.parametrize("cval", [None, 0.0, 7.5, -1])
def test_constant(shape, cval):
    a = np.random.default_rng(3).normal(size=shape)
    s = stencil(cross) if cval is None else stencil("constant", cval=cval)(cross)
    want = np.full(shape, float(cval or 0))
    if min(shape) > 3:
        want[1:-2, 3:-1] = cross_everywhere(a, "edge")[1:-2, 3:-1]
    np.testing.assert_array_equal(s(a), want)


def seven(a):
    return (a[0, 0, 0] + a[1, 0, 0] + a[-1, 0, 0] + a[0, 1, 0] + a[0, -1, 0] + a[0, 0, 1]
            + a[0, 0, -2])


def nine(a):
    return a[0, 0, 0, 1] - a[1, 0, 0, 0] * a[0, -1, 0, 0] + a[0, 0, 2, 0]


@pytest.mark.parametrize("mode", PADS)
def test_three_and_four_axes(mode):
    a = np.random.default_rng(4).normal(size=(5, 6, 7))
    p = np.pad(a, 2, mode=PADS[mode])
    want = np.empty_like(a)
    for i, j, k in np.ndindex(a.shape):
        want[i, j, k] = seven.__call__(_Seen(p, (i + 2, j + 2, k + 2)))
    np.testing.assert_array_equal(stencil(mode)(seven)(a), want)
    inside = np.zeros_like(a)
    inside[1:-1, 1:-1, 2:-1] = want[1:-1, 1:-1, 2:-1]
    np.testing.assert_array_equal(stencil(seven)(a), inside)
    a = np.random.default_rng(4).normal(size=(3, 4, 5, 3))
    p = np.pad(a, 2, mode=PADS[mode])
    want = np.empty_like(a)
    for at in np.ndindex(a.shape):
        want[at] = nine(_Seen(p, tuple(i + 2 for i in at)))
    np.testing.assert_array_equal(stencil(mode)(nine)(a), want)


class _Seen:
    def __init__(self, a, at):
        self.a, self.at = a, at

    def __getitem__(self, d):
        return self.a[tuple(i + k for i, k in zip(self.at, d, strict=True))].item()


# -- neighborhood, other arguments ----------------------------------------------------------------


@stencil(neighborhood=((-2, 2), (-1, 1)))
def box(a, w):
    s = 0.0
    for i in range(-2, 3):
        for j in range(-1, 2):
            s += a[i, j] * w
    return s


def test_neighborhood():
    a = np.random.default_rng(5).normal(size=(9, 8))
    want = np.zeros_like(a)
    for i in range(2, 7):
        for j in range(1, 7):
            s = 0.0
            for v in a[i - 2:i + 3, j - 1:j + 2].ravel():
                s += v * 0.5
            want[i, j] = s
    np.testing.assert_array_equal(box(a, 0.5), want)


def test_neighborhood_that_is_too_small():
    s = stencil(neighborhood=((0, 0),))(lambda a, k: a[k])
    assert s(np.arange(4.0), 0).tolist() == [0, 1, 2, 3]
    with pytest.raises(IndexError, match="neighborhood"):
        s(np.arange(4.0), -1)
    with pytest.raises(IndexError):
        s(np.arange(4.0), 1)


def test_neighborhood_larger_than_the_subscripts():
    s = stencil(neighborhood=((-3, 2),))(lambda a: a[1])
    assert s(np.arange(8.0)).tolist() == [0, 0, 0, 4, 5, 6, 0, 0]
    s = stencil(neighborhood=((1, 3),))(lambda a: a[1])
    assert s(np.arange(6.0)).tolist() == [1, 2, 3, 0, 0, 0]


@stencil(standard_indexing=("weights",))
def weighted(a, b, weights, scale):
    return (a[-1] * weights[0] + b[0] * weights[1] + a[1] * weights[-1]) * scale


@njit
def weighted_compiled(a, b, weights, scale):
    return weighted(a, b, weights, scale).sum()


def test_several_arrays_and_others():
    a, b, w = line(30), line(33), line(3)
    want = np.zeros(30)
    want[1:-1] = (a[:-2] * w[0] + b[1:29] * w[1] + a[2:] * w[2]) * 2.5
    np.testing.assert_array_equal(weighted(a, b, w, 2.5), want)
    assert weighted_compiled(a, b, w, 2.5) == pytest.approx(want.sum())
    with pytest.raises(ValueError, match=r"\(29,\), less than that of the first, \(30,\)"):
        weighted(a, b[:29], w, 2.5)
    with pytest.raises(IndexError):
        weighted(a, b, w[:1], 2.5)


# -- out ------------------------------------------------------------------------------------------


def test_out():
    a = line()
    out = np.full(20, 9.0)
    assert smooth(a, out=out) is out
    assert out[0] == out[-1] == 9
    np.testing.assert_array_equal(out[1:-1], smooth(a)[1:-1])
    stencil("constant", cval=4)(lambda a: a[-1])(a, out=out)
    np.testing.assert_array_equal(out, np.append([4], a[:-1]))
    narrow = np.zeros(20, np.float32)
    smooth(a, out=narrow)
    np.testing.assert_array_equal(narrow, smooth(a).astype(np.float32))
    with pytest.raises(ValueError, match=r"out has the shape \(19,\)"):
        smooth(a, out=out[1:])


def test_out_may_be_what_is_read(threads):
    want = line()
    for i in range(1, 19):
        want[i] = (want[i - 1] + want[i] + want[i + 1]) / 3
    for s in (smooth, stencil(parallel=True)(smooth.py_func)):
        for n in (1, 4):
            threads(n)
            a = line()
            s(a, out=a)
            np.testing.assert_array_equal(a, want)


# -- compiled callers, threads --------------------------------------------------------------------


@njit
def jacobi(a, n):
    b = a.copy()
    for _ in range(n):
        cross_of_four(a, out=b)
        a, b = b, a
    return a


@stencil
def cross_of_four(a):
    return 0.25 * (a[-1, 0] + a[1, 0] + a[0, -1] + a[0, 1])


def test_called_from_compiled_code():
    a = np.random.default_rng(6).normal(size=(15, 14))
    want = a.copy()
    for _ in range(5):
        old = want.copy()
        want[1:-1, 1:-1] = 0.25 * (old[:-2, 1:-1] + old[2:, 1:-1] + old[1:-1, :-2]
                                   + old[1:-1, 2:])
    np.testing.assert_array_equal(jacobi(a.copy(), 5), want)


@njit
def square(x):
    return x * x


def test_kernels_call_functions_and_raise():
    s = stencil(lambda a: square(a[0]) + np.sqrt(a[1]))
    assert s(np.array([1.0, 4.0, 9.0])).tolist() == [3, 19, 0]

    @stencil
    def ratio(a):
        return a[0] / a[1]

    with pytest.raises(ZeroDivisionError):
        ratio(np.array([1.0, 0.0]))
    assert stencil(error_model="numpy")(ratio.py_func)(np.array([1.0, 0.0])).tolist() == [np.inf, 0]


def regions(f):
    """How many loops were made for several threads."""
    text, = f.inspect_llvm().values()
    return len(set(re.findall(r"define .*@.*\.(region\d+)", text)))


@pytest.mark.parametrize("mode", ["constant", *PADS])
def test_threads(threads, mode):
    own, plain = stencil(mode, parallel=True)(cross), stencil(mode)(cross)
    caller = njit(parallel=True)(lambda a: plain(a))
    quiet = njit(lambda a: plain(a))
    a = np.random.default_rng(7).normal(size=(40, 30))
    want = plain(a)
    for n in range(1, 9):
        threads(n)
        np.testing.assert_array_equal(own(a), want)
        np.testing.assert_array_equal(caller(a), want)
        np.testing.assert_array_equal(quiet(a), want)
    assert regions(own._device_function) and regions(caller)
    assert not regions(quiet)


def test_prange_in_functions_that_are_put_in_place(threads):
    @njit(parallel=True)
    def fill(a):
        for i in whipsnake.prange(len(a)):
            a[i] = i

    @njit(parallel=True)
    def f(n):
        a = np.empty(n)
        fill(a)
        return a

    threads(3)
    np.testing.assert_array_equal(f(100), np.arange(100))
    assert regions(f)


def test_vector_code():
    a = np.zeros((40, 40))
    cross_of_four(a)
    text, = cross_of_four._device_function.inspect_asm().values()
    assert any(line.lstrip().startswith(("vaddpd", "addpd")) for line in text.splitlines())


# -- the object -----------------------------------------------------------------------------------


def test_object():
    assert smooth.__name__ == "smooth"
    assert repr(smooth) == "<stencil smooth>"
    assert pickle.loads(pickle.dumps(smooth))(line()).tolist() == smooth(line()).tolist()
    assert stencil(njit(lambda a: a[1])).neighborhood == ((0, 1),)


PROGRAM = """
import numpy as np
from whipsnake import njit, stencil
@stencil
def s(a):
    return (a[-1, 0] + a[0, 1]) / 2
@njit
def f(a):
    return s(a)
a = np.arange(12.0).reshape(3, 4)
print(f(a).tolist(), stencil("wrap")(lambda a: a[-1])(np.arange(3)).tolist())
out = np.ones((3, 4))
s(a, out=out)
print(out.tolist())
"""


@pytest.mark.parametrize("how", ["", "1", "ir"])
def test_without_compiling(tmp_path, how):
    (tmp_path / "program.py").write_text(PROGRAM)
    out = run_python("import program", env={"WHIPSNAKE_DISABLE_JIT": how}, cwd=tmp_path).stdout
    assert out == ("[[0.0, 0.0, 0.0, 0.0], [2.5, 3.5, 4.5, 0.0], [6.5, 7.5, 8.5, 0.0]] [2, 0, 1]\n"
                   "[[1.0, 1.0, 1.0, 1.0], [2.5, 3.5, 4.5, 1.0], [6.5, 7.5, 8.5, 1.0]]\n")


# -- errors ---------------------------------------------------------------------------------------


def no_constant(a):
    s = 0.0
    for i in range(3):
        s += a[i]
    return s


def writes(a):
    a[0] = 1
    return a[0]


def mixed(a):
    return a[0] + a[0, 1]


def at_a_float(a):
    return a[1.5]


@pytest.mark.parametrize("kernel, message, line", [
    (no_constant, "neighborhood=", "        s += a[i]\n"),
    (writes, "cannot write", "    a[0] = 1\n"),
    (mixed, "another number of axes", "    return a[0] + a[0, 1]\n"),
    (at_a_float, "neighborhood=", "    return a[1.5]\n"),
])  # fmt: skip
def test_kernels_that_are_refused(kernel, message, line):
    with pytest.raises(TypingError, match=message) as info:
        stencil(kernel)
    assert line in str(info.value)
    assert f'{__file__}"' in str(info.value)
    assert "^" in str(info.value)


@pytest.mark.parametrize("make, message", [
    (lambda: stencil("wild"), "mode is one of"),
    (lambda: stencil(standard_indexing="b")(lambda a: a[0]), "no parameter"),
    (lambda: stencil(standard_indexing=["a"])(lambda a: a[0]), "first argument"),
    (lambda: stencil(neighborhood=3)(lambda a: a[0]), "tuple of pairs"),
    (lambda: stencil(neighborhood=((1, 0),))(lambda a: a[0]), "tuple of pairs"),
    (lambda: stencil(lambda a, k=3: a[0]), "plain ones"),
    (lambda: stencil(lambda: 3), "at least one"),
    (lambda: stencil(lambda a: 3.0), "no subscript"),
])  # fmt: skip
def test_options_that_are_refused(make, message):
    with pytest.raises(NumbaValueError, match=message):
        make()


def test_unknown_options_and_objects():
    with pytest.raises(TypeError, match="no option wild"):
        stencil(wild=3)(lambda a: a[0])
    with pytest.raises(TypeError, match="takes a Python function"):
        stencil(3)


@pytest.mark.parametrize("args, out, message", [
    ((np.zeros((3, 3)),), None, "as many axes as its first array"),
    ((3.0,), None, "first argument of a stencil is an array"),
    ((), None, "first argument of a stencil is an array"),
    ((np.zeros(3), 4), None, "as many arguments as its kernel"),
    ((np.zeros(3),), np.zeros((3, 3)), "out has as many axes"),
])  # fmt: skip
def test_arguments_that_are_refused(args, out, message):
    with pytest.raises(TypingError, match=message) as info:
        smooth(*args, out=out)
    assert "in smooth" in str(info.value) and "prelude" not in str(info.value)

    @njit
    def f(args, out):
        return smooth(*args, out=out)

    with pytest.raises(TypingError, match=message) as info:
        f(args, out)
    assert "return smooth(*args, out=out)" in str(info.value)
    assert "prelude" not in str(info.value)


def test_kernels_whose_types_do_not_fit():
    with pytest.raises(TypingError, match="has to return a number"):
        stencil(lambda a: (a[0], 1))(np.zeros(3))

    @stencil
    def unknown(a):
        return a[0] + nobody_knows  # noqa: F821

    with pytest.raises(whipsnake.errors.NotDefinedError, match="nobody_knows") as info:
        unknown(np.zeros(3))
    assert "prelude" not in str(info.value)


class Backwards(NamedTuple):
    array: Any
    n: int

    def __getitem__(self, i):
        return self.array[self.n - 1 - i]


def test_named_tuples_may_have_subscripts_of_their_own():
    def f(a):
        b = Backwards(a, len(a))
        x, n = b
        return b[0], b[2], b.n, n, x[0]

    check(f, np.arange(5.0))
