"""Arrays: subscripts in every form, views, attributes, creation, reductions, products."""

import numpy as np
import pytest

import values
from support import check, check_raises, compiled, make, needs_compiler, on

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
          "float32", "float64", "complex64", "complex128"]
A3 = np.arange(24.0).reshape(2, 3, 4)
A2 = np.arange(12.0).reshape(3, 4)
A1 = np.arange(10.0)


@pytest.mark.parametrize("dtype", DTYPES)
def test_elements_of_every_dtype(dtype):
    def copy_reversed(a, b):
        for i in range(len(a)):
            b[len(a) - 1 - i] = a[i]
        return a[0], a[-1]

    data = values.filled((7,), dtype)
    check(copy_reversed, data, np.zeros(7, dtype))


@pytest.mark.parametrize("dtype", DTYPES)
def test_edge_values_go_in_and_out(dtype):
    def store(a, i, x):
        a[i] = x
        return a[i]

    for x in values.values_of(dtype):
        check(store, np.zeros(3, dtype), 1, values.argument(dtype, x))


@pytest.mark.parametrize("dtype", ["float64", "int8", "complex64"])
@pytest.mark.parametrize("shape", [(5,), (3, 4), (2, 3, 4)])
def test_every_layout(shape, dtype):
    source = {
        1: "for i in range(a.shape[0]):\n        b[i] = a[i]",
        2: "for i in range(a.shape[0]):\n        for j in range(a.shape[1]):\n"
           "            b[i, j] = a[i, j]",
        3: "for i in range(a.shape[0]):\n        for j in range(a.shape[1]):\n"
           "            for k in range(a.shape[2]):\n                b[i, j, k] = a[i, j, k]",
    }[len(shape)]
    func = make(f"def f(a, b):\n    {source}\n    return a.shape, a.strides, a.size\n")
    for name, array in values.layouts(shape, dtype):
        check(func, array, np.zeros(shape, dtype))
        if array.flags.writeable:
            check(func, values.filled(shape, dtype), array)


def test_layouts_share_a_function():
    def total(a):
        s = 0.0
        for row in a:
            for x in row:
                s = s * 1.01 + x
        return s

    for _, array in values.layouts((4, 5)):
        check(total, array)


def test_zero_size_and_zero_dimensional_arrays():
    def facts(a):
        return a.size, a.ndim, a.shape, a.nbytes

    def content(a):
        return a[()]

    for shape in [(), *values.EMPTY_SHAPES]:
        check(facts, np.zeros(shape))
    check(content, np.array(2.5))
    check(content, np.array(7, np.int16))


def test_writing_a_read_only_array_is_refused():
    def write(a):
        a[0] = 1.0

    with pytest.raises(Exception):
        write(values.read_only(np.zeros(3)))
    with pytest.raises(Exception, match="read-?only"):
        compiled(write)(values.read_only(np.zeros(3)))


@on((A1, 3), (A1, -1), (A1, np.int8(-3)), (A1, np.uint8(9)), (A1, np.uint64(2)), (A1, 10),
    (A1, -11), (A1, 2**62), (A1, -2**63))
def test_an_integer_of_any_type(a, i):
    return a[i]


@needs_compiler
def test_a_large_unsigned_index_does_not_turn_negative():
    with pytest.raises(IndexError):
        compiled(lambda a, i: a[i])(A1, np.uint64(2**64 - 1))


@on((A2, 1, 2), (A2, -1, -4), (A2, 3, 0), (A2, 0, 4), (A2, -4, 0), (A2, 5, 5))
def test_two_integers(a, i, j):
    return a[i, j], a[i][j]


@on((A3, 1, 2, 3), (A3, (-1), 0, -4), (A3, 1, 3, 0), (A3, 1, 0, 4))
def test_a_tuple_as_index(a, i, j, k):
    index = (i, j, k)
    return a[index] + a[i, j, k]


SLICES = ["[:]", "[2:]", "[:3]", "[1:8:2]", "[::-1]", "[7:1:-2]", "[-3:]", "[:-3]", "[5:2]",
          "[100:]", "[-100:100]", "[::100]", "[3:3]", "[None:4]", "[...]", "[..., 2]", "[None]",
          "[:, None]", "[np.newaxis, 1:3]", "[0]", "[-1]"]


@pytest.mark.parametrize("subscript", SLICES)
def test_slices_of_a_vector_are_views(subscript):
    func = make(f"def f(a):\n    return a{subscript}\n")
    for _, array in values.layouts((10,)):
        check(func, array)


@pytest.mark.parametrize("subscript", [
    "[0]", "[-1]", "[:, 1]", "[1, :]", "[1:3]", "[:, ::2]", "[::-1, ::-1]", "[..., 0]", "[0, ...]",
    "[...]", "[None, 1]", "[:, None, 2]", "[1:, 1:3]", "[:2, -1]", "[1][2:]", "[1:][0]", "[:0]",
    "[2, None, 1:]", "[..., None]",
])
def test_subscripts_of_a_matrix(subscript):
    func = make(f"def f(a):\n    return a{subscript}\n")
    for _, array in values.layouts((3, 4)):
        check(func, array)


@pytest.mark.parametrize("subscript", ["[1]", "[:, 1]", "[..., 1]", "[1, ..., 2]", "[0, 1:, ::2]",
                                       "[:, None, 1, :]", "[1, 2]", "[..., ::-1, :]"])
def test_subscripts_of_a_cube(subscript):
    func = make(f"def f(a):\n    return a{subscript}\n")
    check(func, A3)
    check(func, np.asfortranarray(A3))
    check(func, A3.transpose(2, 0, 1).copy().transpose(1, 2, 0))


@on((A1, 2, 7, 2), (A1, -3, 100, 1), (A1, 8, 1, -3), (A1, 0, 0, 1), (A1, 5, 2, 1),
    (A1, -100, -200, -1))
def test_slice_bounds_known_at_run_time(a, start, stop, step):
    b = a[start:stop:step]
    return b, b.size


@on((A1, 0))
def test_a_slice_step_of_zero(a, step):
    return a[::step]


@on((A1, 1.5), (np.arange(4), 7), (A2, -1.0))
def test_assigning_a_scalar_to_slices(a, x):
    a[1:3] = x
    a[::-2] = x * 2


@on((np.zeros(6), np.arange(3.0)), (np.zeros((3, 6)), np.arange(3.0)), (np.zeros(6), np.ones(1)))
def test_assigning_an_array_to_a_slice(a, b):
    a[..., 0:6:2] = b


@on((np.zeros(6), np.arange(4.0)))
def test_assigning_an_array_of_another_length(a, b):
    a[1:3] = b


def test_assigning_overlapping_slices():
    def shift(a):
        a[1:] = a[:-1]

    def back(a):
        a[:-2] = a[2:]

    def turn(a):
        a[:] = a[::-1]

    for f in (shift, back, turn):
        check(f, np.arange(10.0))


@on(A2, np.asfortranarray(A2))
def test_writing_through_a_view(a):
    row = a[1]
    row[2] = 100.0
    column = a[:, 0]
    column[:] = -1.0
    corner = a[1:, 2:][::-1]
    corner[0, 0] = 55.0
    return a[1, 2]


@on((A1, A1 > 4), (A1, np.zeros(10, bool)), (A1, np.ones(10, bool)))
def test_reading_by_a_boolean_array(a, mask):
    return a[mask]


@on((A1, A1 > 4), (A1, np.zeros(10, bool)))
def test_writing_by_a_boolean_array(a, mask):
    a[mask] = -1.0


@on((A1, np.ones(7, bool)))
def test_a_boolean_array_of_another_length(a, mask):
    return a[mask]


@on((A1, np.array([3, 0, -1, 3])), (A1, np.array([], np.int64)), (A1, np.array([2], np.uint8)),
    (A1, np.array([3, 10])), (A1, np.array([-11])), (A2, np.array([2, 0])))
def test_reading_by_an_integer_array(a, index):
    return a[index]


@on((A1, np.array([3, 0, -1]), 5.0), (A1, np.array([3, 10]), 5.0))
def test_writing_a_scalar_by_an_integer_array(a, index, x):
    a[index] = x


@on((A1, np.array([3, 0, -1]), np.array([1.0, 2.0, 3.0])))
def test_writing_an_array_by_an_integer_array(a, index, b):
    a[index] = b


def test_messages_name_index_axis_and_size():
    def get2(a, i, j):
        return a[i, j]

    def set2(a, i, j):
        a[i, j] = 1.0

    for f in (get2, set2):
        check_raises(IndexError, "index 3 is out of bounds for axis 0 with size 3", f, A2, 3, 0)
        check_raises(IndexError, "index -5 is out of bounds for axis 1 with size 4", f, A2, 0, -5)
        check_raises(IndexError, "index 0 is out of bounds for axis 1 with size 0", f,
                     np.zeros((3, 0)), 0, 0)


@on(A1, A2, A3, np.asfortranarray(A2), A2[::2, ::-1], np.array(1.5))
def test_attributes(a):
    return (a.shape, a.strides, a.size, a.ndim, a.itemsize, a.nbytes, a.dtype == np.float64)


@on(A2, A3, A1, np.asfortranarray(A2))
def test_transposed(a):
    return a.T


@on(np.array([1 + 2j, 3 - 4j]), np.array([[1 + 2j]], np.complex64))
def test_real_and_imaginary_parts_are_views(z):
    z.real[0] = 10.0
    return z.real, z.imag


@on(A1, np.arange(3))
def test_parts_of_a_real_array(a):
    return a.real, a.imag


@on(A2, A2.T, A2[:, ::2])
def test_reading_flat(a):
    total = 0.0
    for i, x in enumerate(a.flat):
        total += i * x
    return total, a.flat[5]


@on(A2, A1)
def test_writing_flat(a):
    a.flat[3] = 99.0


@on(A1, np.zeros(3, np.int16))
def test_dtype_as_a_value(a):
    b = np.zeros(2, a.dtype)
    b[0] = 3
    return b, a.dtype == b.dtype, a.dtype.itemsize


CREATORS = [
    "np.zeros(n)", "np.ones(n)", "np.zeros((n, 3))", "np.ones((2, n), np.int32)",
    "np.zeros(n, dtype=np.complex64)", "np.zeros(n, np.bool_)", "np.full(n, 2.5)",
    "np.full((n, 2), 7)", "np.full(n, 7, np.float32)", "np.full(n, True)", "np.zeros(0)",
    "np.zeros((n, 0))", "np.ones(n, np.uint8)", "np.zeros(n, dtype='f4')",
    "np.arange(n)", "np.arange(1, n)", "np.arange(1, n, 2)", "np.arange(n, 0, -1)",
    "np.arange(0.5, n)", "np.arange(0, 1, 0.1)", "np.arange(n, dtype=np.float32)",
    "np.arange(5, 1)", "np.arange(10.0, 0.0, -3.5)", "np.arange(n + 0.5)",
    "np.linspace(0, 1, n)", "np.linspace(-1.5, 2.5, 7)", "np.linspace(3, 3, 4)",
    "np.linspace(0, 1, 1)", "np.linspace(0, 1, 0)", "np.linspace(5, -5, 50)",
    "np.linspace(0, 1, n, endpoint=False)",
    "np.eye(n)", "np.eye(2, n)", "np.eye(n, k=1)", "np.eye(n, n, -2, np.int64)", "np.identity(n)",
]


@pytest.mark.parametrize("expression", CREATORS)
def test_creation(expression):
    func = make(f"def f(n):\n    return {expression}\n")
    for n in (4, 1, 0):
        check(func, n)


@on(A2, np.asfortranarray(A2), A2[::2, 1:], np.arange(3, dtype=np.int8), np.array(1.5))
def test_like(a):
    e = np.empty_like(a)
    return np.zeros_like(a), np.ones_like(a), np.full_like(a, 3), e.shape


@on((3, np.arange(3)))
def test_empty_has_shape_and_dtype(n, a):
    b = np.empty((n, 2), np.float32)
    b[:] = 1.5
    c = np.empty(n, a.dtype)
    for i in range(n):
        c[i] = i
    return b, c


@on(-1, 3)
def test_a_negative_size(n):
    return np.zeros(n)


METHODS = [
    "a.copy()", "a.astype(np.float32)", "a.astype(np.int64)", "a.astype(np.complex128)",
    "a.astype(np.bool_)", "a.ravel()", "a.transpose()", "np.transpose(a)", "a.flatten()",
    "np.copy(a)", "a.reshape(-1)", "a.reshape(a.size)", "a.reshape((1, a.size))",
    "a.reshape(1, -1)", "np.reshape(a, (a.size, 1))", "np.ravel(a)", "a[:, ::-1].copy()",
]


@pytest.mark.parametrize("expression", METHODS)
def test_methods_that_make_arrays(expression):
    func = make(f"def f(a):\n    return {expression}\n")
    for name, array in values.layouts((3, 4)):
        check(func, array)
    check(func, np.zeros((0, 4)))


@on((A2, 2, 6), (A2, 12, 1), (A2, 5, 2), (A2, -1, 3), (A2, -1, 5))
def test_reshape_to_sizes_known_at_run_time(a, n, m):
    return a.reshape(n, m)


@on(A3)
def test_transpose_with_axes(a):
    return a.transpose(2, 0, 1), a.transpose((1, 0, 2)), np.transpose(a, (0, 2, 1))


@on((A2, 2.5), (np.zeros(4, np.int8), 3), (A2[:, ::2], -1))
def test_fill(a, x):
    a.fill(x)


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint8", "uint64", "float64", "bool",
                                   "complex128"])
@pytest.mark.parametrize("name", ["sum", "prod", "min", "max", "mean", "argmin", "argmax"])
def test_reductions(name, dtype):
    if dtype == "complex128" and name not in ("sum", "prod", "mean"):
        pytest.skip("not for complex numbers here")
    method = make(f"def f(a):\n    return a.{name}()\n")
    function = make(f"def f(a):\n    return np.{name}(a)\n")
    for func in (method, function):
        for array in (values.filled((9,), dtype), values.filled((3, 4), dtype),
                      np.asfortranarray(values.filled((3, 4), dtype)),
                      values.filled((9,), dtype)[::-2]):
            check(func, array, ulp=1 if name in ("mean", "prod") else 0)


@pytest.mark.parametrize("name", ["min", "max", "argmin", "argmax"])
def test_reductions_of_nothing_raise(name):
    check(make(f"def f(a):\n    return a.{name}()\n"), np.zeros(0))


@pytest.mark.parametrize("name", ["min", "max", "argmin", "argmax", "sum"])
def test_reductions_with_nan(name):
    func = make(f"def f(a):\n    return a.{name}()\n")
    for where in (0, 5, 99):
        a = np.arange(100.0)[::-1].copy()
        a[where] = np.nan
        check(func, a)


@on(np.zeros(0))
def test_sum_and_prod_of_nothing(a):
    return a.sum(), a.prod()


def test_sums_are_pairwise():
    def total(a):
        return a.sum(), np.sum(a), a.mean()

    a = np.full(1_000_000, 0.1)
    got = compiled(total)(a)
    exact = 0.1 * 1_000_000
    assert abs(got[0] - exact) < 1e-9 and abs(got[1] - exact) < 1e-9
    assert abs(got[2] - 0.1) < 1e-15


@needs_compiler
def test_float32_sums_stay_float32():
    a = np.full(100_000, 0.1, np.float32)
    got = compiled(lambda a: a.sum())(a)
    assert got == float(np.float32(got)) and abs(got - 10000) < 1


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128"])
def test_products(dtype):
    def product(a, b):
        return np.dot(a, b)

    def operator(a, b):
        return a @ b

    m, n = values.filled((3, 4), dtype), values.filled((4, 2), dtype)
    v, w = values.filled((4,), dtype), values.filled((3,), dtype)
    tolerance = 2**30 if dtype == "float32" else 4
    for f in (product, operator):
        for a, b in ((m, n), (m, v), (w, m), (v, v), (m.T, m), (m, m.T),
                     (np.asfortranarray(m), n), (m[:, ::-1], n[::-1]), (v[::2], v[1::2])):
            check(f, a, b, ulp=tolerance)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128", "int64"])
@pytest.mark.parametrize("layout", ["C", "F", "reversed", "strided"])
def test_large_products(dtype, layout):
    def product(a, b):
        return a @ b

    def arrange(a):
        if layout == "reversed":
            return a[::-1].copy()[::-1]
        if layout == "strided":
            return np.repeat(a, 2, axis=-1)[..., ::2]
        return np.asarray(a, order=layout)

    rng = np.random.default_rng(1)
    f = compiled(product)
    rtol = 2e-5 if dtype in ("float32", "complex64") else 1e-13
    for a_shape, b_shape in (((5000,), (5000,)), ((70, 60), (60,)), ((60,), (60, 70)),
                             ((40, 50), (50, 60)), ((0, 50), (50, 60)), ((90, 0), (0, 90))):
        a, b = (arrange((10 * rng.random(s)).astype(dtype)) for s in (a_shape, b_shape))
        want, got = a @ b, f(a, b)
        assert np.shape(got) == want.shape and (want.ndim == 0 or got.dtype == want.dtype)
        np.testing.assert_allclose(got, want, rtol=rtol)


def test_large_products_are_numpys_to_the_bit():
    a = np.random.default_rng(1).random((60, 60))
    assert np.array_equal(compiled(lambda a: a @ a)(a), a @ a)


def test_large_products_of_wrong_shapes_raise():
    def product(a, b):
        return np.dot(a, b)

    check_raises(ValueError, "not aligned", product, np.ones((40, 50)), np.ones((40, 50)))


@on((A2, A2), (A1, A2), (A1, A1[:5]))
def test_products_of_wrong_shapes_raise(a, b):
    return np.dot(a, b)


def test_arguments_come_back_as_themselves():
    def same(a):
        return a

    def either(a, b, flag):
        return a if flag else b

    def both(a):
        return a, (a, 1)

    check(same, A2)
    check(either, A1, A1.copy(), True)
    check(either, A1, A1.copy(), False)
    check(both, A1)


def test_results_outlive_the_call():
    def make_rows(n):
        a = np.arange(n * 3.0).reshape(n, 3)
        return a[1], a[:, 2], a

    row, column, whole = compiled(make_rows)(4)
    assert np.shares_memory(row, whole) and np.shares_memory(column, whole)
    del whole
    assert row.tolist() == [3.0, 4.0, 5.0] and column.tolist() == [2.0, 5.0, 8.0, 11.0]
    row[0] = 1.0
    assert row.flags.writeable


def test_arrays_in_tuples():
    def f(t):
        a, (b, k) = t
        b[0] = k
        return b, a[1]

    check(f, (np.arange(3.0), (np.zeros(2), 5)))


@on((np.zeros(3), np.arange(3.0), True), (np.zeros(3), np.arange(3.0), False))
def test_an_array_variable_that_changes(a, b, flag):
    c = a
    if flag:
        c = b
    c[0] = 7.0
    c = c[1:]
    return c.sum()


def test_many_dimensions():
    def f(a):
        return a[1, 0, 1, 0, 1], a[..., 1].shape, a.ndim

    check(f, np.arange(32.0).reshape(2, 2, 2, 2, 2))
