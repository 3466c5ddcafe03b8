"""Generalized ufuncs from functions that fill arrays: against NumPy on all layouts of arguments."""

import numpy as np
import pytest

import support
from leaks import assert_no_leak
from support import needs_compiler, njit

pytestmark = needs_compiler

if not support.PLAIN:
    from whipsnake import errors, guvectorize


def row_sum(x, out):
    s = x[0] * 0
    for i in range(x.shape[0]):
        s += x[i]
    out[0] = s


def product(a, b, c):
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            s = a[i, 0] * 0
            for k in range(a.shape[1]):
                s += a[i, k] * b[k, j]
            c[i, j] = s


@njit
def fill_first(out, value):
    out[0] = value


@pytest.fixture(scope="module")
def summed():
    return guvectorize(["void(float64[:], float64[:])", "void(int64[:], int64[:])"],
                       "(n)->()")(row_sum)


@pytest.fixture(scope="module")
def multiplied():
    return guvectorize(["void(float64[:, :], float64[:, :], float64[:, :])"],
                       "(m,n),(n,p)->(m,p)")(product)


@pytest.mark.parametrize("x", [
    np.arange(5.0), np.arange(12.0).reshape(3, 4), np.arange(12.0).reshape(3, 4).T,
    np.arange(60.0).reshape(3, 4, 5)[:, ::2, ::-1], np.ones((0, 4)), np.arange(4),
    np.broadcast_to(np.arange(3.0), (4, 3)), np.arange(8, dtype=np.int8).reshape(2, 4),
    [[1, 2], [3, 4]], np.asfortranarray(np.arange(24.0).reshape(2, 3, 4))])
def test_sums(summed, x):
    got, want = summed(x), np.sum(x, axis=-1)
    assert np.array_equal(got, want) and got.shape == want.shape


def test_products(multiplied):
    a, b = np.random.RandomState(3).rand(2, 1, 3, 4), np.random.RandomState(4).rand(5, 4, 2)
    assert np.allclose(multiplied(a, b), a @ b)
    turned = a.transpose(0, 1, 3, 2)
    assert np.allclose(multiplied(turned, b[:, :3]), turned @ b[:, :3])
    out = np.zeros((2, 5, 2, 3))
    multiplied(a, b, out.transpose(0, 1, 3, 2))
    assert np.allclose(out.transpose(0, 1, 3, 2), a @ b)
    with pytest.raises(ValueError, match="mismatch in its core dimension"):
        multiplied(a, a)


def test_axes_and_keywords(summed, multiplied):
    a = np.arange(24.0).reshape(2, 3, 4)
    assert np.array_equal(summed(a, axis=0), a.sum(0))
    assert np.array_equal(summed(a, axis=1, keepdims=True), a.sum(1, keepdims=True))
    assert np.array_equal(summed(a, axes=[(1,), ()]), a.sum(1))
    assert np.allclose(multiplied(a, a, axes=[(2, 1), (1, 2), (0, 1)]),
                       np.matmul(a, a, axes=[(2, 1), (1, 2), (0, 1)]))
    out = np.zeros(2)
    assert summed(a[:, 0], out=out) is out and np.array_equal(out, a[:, 0].sum(1))


def test_an_output_that_is_an_input(multiplied):
    """NumPy copies what overlaps, but not one array for both."""
    rng = np.random.default_rng(3)
    for m in rng.random((4, 4)), rng.random((3, 5, 5)):
        square, other = m.swapaxes(-1, -2)[..., :3, :3], rng.random((3, 3))
        expected = square @ square, other @ square
        for k, first in enumerate((square, other)):
            for call in (lambda a, b: multiplied(a, b, b), lambda a, b: multiplied(a, b, out=b),
                         lambda a, b: multiplied(a, b, b[..., :])):
                b = square.copy()
                call(b if first is square else first, b)
                np.testing.assert_allclose(b, expected[k])


def test_an_input_whose_axes_mean_something_else():
    """x[j] is an input of all iterations i, x[i, j] their output."""
    summed = guvectorize(["void(float64[:], float64[:], float64[:])"], "(n),(m)->()")(
        lambda a, b, out: fill_first(out, a[0] + a[1] + b[0]))
    x = np.arange(4.0).reshape(2, 2)
    expected = x.sum(axis=1)[None, :] + np.ones((2, 2))
    summed(x, np.ones((2, 2, 3)), out=x)
    assert x.tolist() == expected.tolist()


def test_numbers_and_several_outputs():
    @guvectorize(["void(float64[:], float64, float64[:], float64[:])"], "(n),()->(n),()")
    def scaled(x, k, y, largest):
        largest[0] = x[0] * k
        for i in range(x.size):
            y[i] = x[i] * k
            largest[0] = max(largest[0], y[i])

    x, k = np.arange(12.0).reshape(3, 4), np.array([1.0, -1.0, 2.0])
    y, largest = scaled(x, k)
    assert np.array_equal(y, x * k[:, None]) and np.array_equal(largest, (x * k[:, None]).max(1))
    assert (scaled.nin, scaled.nout, scaled.signature) == (2, 2, "(n),()->(n),()")


def test_new_and_fixed_dimensions():
    @guvectorize(["void(float64[:], int64[:], float64[:])"], "(n),(m)->(m)")
    def pick(x, k, out):
        for i in range(k.size):
            out[i] = x[k[i]]

    assert np.array_equal(pick(np.arange(10.0) * 2, [3, 1]), [6, 2])

    @guvectorize(["void(float64[:], float64[:], float64[:])"], "(3),(3)->(3)")
    def cross(a, b, c):
        c[0] = a[1] * b[2] - a[2] * b[1]
        c[1] = a[2] * b[0] - a[0] * b[2]
        c[2] = a[0] * b[1] - a[1] * b[0]

    a, b = np.random.RandomState(5).rand(2, 7, 3)
    assert np.allclose(cross(a, b), np.cross(a, b))
    with pytest.raises(ValueError):
        cross(a[:, :2], b)

    @guvectorize("(n)->(m)")
    def ends(x, out):
        out[0], out[out.size - 1] = x[0], x[x.size - 1]

    assert ends(np.arange(10.0), np.zeros(2)).tolist() == [0, 9]


def test_without_outputs():
    @guvectorize(["void(float64[:], float64[:])"], "(n),(k)")
    def copy_first(x, y):
        for i in range(y.size):
            y[i] = x[0]

    y = np.zeros((2, 3))
    assert copy_first(np.array([[1.0, 2], [3, 4]]), y) == () and y.tolist() == [[1] * 3, [3] * 3]
    assert (copy_first.nin, copy_first.nout) == (2, 0)


def test_without_signatures():
    f = guvectorize("(n)->()")(row_sum)
    for dtype in ("i", "l", "f", "d", "D"):
        x, out = np.arange(12).reshape(3, 4).astype(dtype), np.zeros(3, dtype)
        assert f(x, out) is out and np.array_equal(out, x.sum(1))
    assert f.types == ["i->i", "l->l", "f->f", "d->d", "D->D"]
    with pytest.raises(TypeError, match=r"pass an array for them, as in row_sum\(x, out\)"):
        f(np.arange(3.0))


@pytest.mark.parametrize("n", [1, 600])
def test_exceptions(n):
    @guvectorize(["void(float64[:], float64[:])"], "(n)->()")
    def picky(x, out):
        if x[0] < 0:
            raise ValueError("below zero")
        out[0] = x[3]

    assert np.array_equal(picky(np.ones((n, 4))), np.ones(n))
    with pytest.raises(ValueError, match="below zero"):
        picky(-np.ones((n, 4)))
    with pytest.raises(IndexError):
        picky(np.ones((n, 2)))
    assert np.array_equal(picky(np.ones((n, 4))[:, ::-1]), np.ones(n))
    assert_no_leak(lambda: picky(-np.ones((n, 4))), (picky,))
    assert_no_leak(lambda: picky(np.ones((n, 4))), (picky,))


def test_in_compiled_code(summed):
    compiled = njit(lambda x, out: summed(x, out))
    x, out = np.arange(5.0), np.zeros(1)
    compiled(x, out)
    assert out[0] == 10
    with pytest.raises(errors.UnsupportedError, match="a loop over generalized ufuncs"):
        njit(lambda x, out: summed(x, out))(np.ones((2, 3)), np.zeros(2))


def test_refused():
    with pytest.raises(ValueError, match="'n' names none"):
        guvectorize("n")
    with pytest.raises(TypeError, match="takes signatures and a layout"):
        guvectorize(row_sum)
    with pytest.raises(TypeError, match="has 2 parameters, and the layout"):
        guvectorize("(n),(n)->()")(row_sum)
    with pytest.raises(errors.TypingError, match="an output, so an array"):
        guvectorize(["void(float64[:], float64)"], "(n)->()")(row_sum)
    with pytest.raises(errors.TypingError, match="has 1 dimension in the layout"):
        guvectorize(["void(float64[:, :], float64[:])"], "(n)->()")(row_sum)
    with pytest.raises(errors.TypingError, match="returns nothing, not float64"):
        guvectorize(["float64(float64[:], float64[:])"], "(n)->()")(row_sum)
    with pytest.raises(ValueError):
        guvectorize("(n->()")(row_sum)


# -- on several threads ---------------------------------------------------------------------------


@pytest.fixture
def threads():
    import whipsnake

    with whipsnake.parallel_chunksize(7):
        yield whipsnake._core.set_threads
    whipsnake._core.set_threads(0)


def test_parallel(threads):
    one, many = guvectorize("(m,n),(n,p)->(m,p)")(product), \
        guvectorize("(m,n),(n,p)->(m,p)", target="parallel")(product)
    r = np.random.default_rng(1)
    a, b = r.normal(size=(50, 3, 4, 5)), r.normal(size=(50, 1, 5, 2))
    want = one(a, b, np.zeros((50, 3, 4, 2)))
    for n in range(1, 9):
        threads(n)
        np.testing.assert_array_equal(many(a, b, np.zeros((50, 3, 4, 2))), want)
        np.testing.assert_array_equal(
            many(a[::-1, :, :, ::1], b, np.zeros((50, 3, 4, 2))), one(
                a[::-1], b, np.zeros((50, 3, 4, 2))))
        turned = np.asfortranarray(a)
        np.testing.assert_array_equal(many(turned, b, np.zeros((50, 3, 4, 2))), want)


def test_parallel_runs_on_other_threads(threads):
    import whipsnake

    @guvectorize("(n)->()", target="parallel")
    def who(x, out):
        s = 0.0
        for _ in range(200):
            for v in x:
                s = s * 0.5 + v
        out[0] = whipsnake.get_thread_id() + 0 * s

    threads(4)
    for _ in range(50):
        if set(who(np.ones((300, 100)), np.zeros(300))) != {0}:
            return
    pytest.fail("no other thread took part in 50 calls")


def test_parallel_raises_what_the_first_core_raises(threads):
    @guvectorize("(n)->()", target="parallel")
    def checked(x, out):
        if x[0] < 0:
            raise ValueError("negative", x[0])
        out[0] = x[1]

    x = np.ones((500, 2))
    x[[77, 400], 0] = -77, -400
    for n in range(1, 9):
        threads(n)
        with pytest.raises(ValueError) as info:
            checked(x, np.zeros(500))
        assert info.value.args == ("negative", -77.0)
        assert checked(abs(x), np.zeros(500)).sum() == 500


def test_parallel_with_one_place_for_all_runs_in_order(threads):
    @guvectorize("(n),(m)", target="parallel")
    def add_up(x, s):
        s[0] += x[0]

    threads(4)
    s = np.zeros(1)
    add_up(np.arange(1000.0).reshape(1000, 1), s)
    assert s[0] == np.arange(1000).sum()
