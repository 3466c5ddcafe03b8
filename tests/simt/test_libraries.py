"""What is written in Python on top of kernels: random numbers, float16, ufuncs, reductions; and the
forms of launches and of cuda.jit."""

import math
import pickle

import numpy as np
import pytest

from whipsnake import cuda, errors, float32, guvectorize, int64, njit, types, vectorize, void

MASK = 2**64 - 1


class Xoroshiro:
    """xoroshiro128+ as its authors wrote it down (2016 version), with SplitMix64 for the seed."""

    def __init__(self, seed):
        z = (seed + 0x9E3779B97F4A7C15) & MASK
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        self.s = [z ^ (z >> 31)] * 2

    def next(self):
        a, b = self.s
        result = (a + b) & MASK
        b ^= a
        rotl = lambda x, k: ((x << k) | (x >> (64 - k))) & MASK
        self.s = [rotl(a, 55) ^ b ^ ((b << 14) & MASK), rotl(b, 36)]
        return result

    def jump(self):
        out = [0, 0]
        for word in (0xBEAC0467EBA5FACB, 0xD86B048B86AA9922):
            for bit in range(64):
                if word >> bit & 1:
                    out = [x ^ y for x, y in zip(out, self.s)]
                self.next()
        self.s = out


@cuda.jit
def draw(states, out32, out64, normal):
    i = cuda.grid(1)
    for k in range(out32.shape[1]):
        out32[i, k] = cuda.random.xoroshiro128p_uniform_float32(states, i)
        out64[i, k] = cuda.random.xoroshiro128p_uniform_float64(states, i)
        normal[i, k] = cuda.random.xoroshiro128p_normal_float64(states, i)


@pytest.mark.parametrize("seed, start", [(1, 0), (12345678901234567890, 3)])
def test_random_numbers_bit_by_bit(seed, start):
    states = cuda.random.create_xoroshiro128p_states(4, seed=seed, subsequence_start=start)
    out32, out64 = np.zeros((4, 5), np.float32), np.zeros((4, 5))
    normal = np.zeros((4, 5))
    draw[1, 4](states, out32, out64, normal)
    model = Xoroshiro(seed)
    for _ in range(start):
        model.jump()
    for i in range(4):
        here = Xoroshiro(0)
        here.s = list(model.s)
        for k in range(5):
            assert out32[i, k] == np.float32((here.next() >> 11) * 2.0**-53)
            assert out64[i, k] == (here.next() >> 11) * 2.0**-53
            u1, u2 = ((here.next() >> 11) * 2.0**-53 for _ in range(2))
            expected = math.sqrt(-2 * math.log(u1)) * math.cos(2 * math.pi * u2)
            assert math.isclose(normal[i, k], expected, rel_tol=1e-13)
        model.jump()


@cuda.jit
def many(states, out):
    i = cuda.grid(1)
    for k in range(i, out.shape[0], cuda.gridsize(1)):
        out[k, 0] = cuda.random.xoroshiro128p_uniform_float32(states, i)
        out[k, 1] = cuda.random.xoroshiro128p_normal_float32(states, i)


def test_moments_of_random_numbers():
    states = cuda.random.create_xoroshiro128p_states(256, seed=7)
    out = np.zeros((200_000, 2))
    many[4, 64](states, out)
    assert abs(out[:, 0].mean() - 0.5) < 0.003 and abs(out[:, 0].var() - 1 / 12) < 0.002
    assert abs(out[:, 1].mean()) < 0.01 and abs(out[:, 1].var() - 1) < 0.02
    assert 0 <= out[:, 0].min() and out[:, 0].max() < 1


# -- float16 --------------------------------------------------------------------------------------

@cuda.jit
def halves(a, b, out, tests):
    i = cuda.grid(1)
    h = cuda.fp16
    out[i, 0], out[i, 1], out[i, 2] = h.hadd(a[i], b[i]), h.hsub(a[i], b[i]), h.hmul(a[i], b[i])
    out[i, 3], out[i, 4], out[i, 5] = h.hdiv(a[i], b[i]), h.hfma(a[i], b[i], a[i]), h.hneg(a[i])
    out[i, 6], out[i, 7], out[i, 8] = h.habs(a[i]), h.hmin(a[i], b[i]), h.hmax(a[i], b[i])
    out[i, 9], out[i, 10], out[i, 11] = h.hexp(b[i]), h.hsqrt(b[i]), h.hrcp(b[i])
    out[i, 12], out[i, 13], out[i, 14] = h.hfloor(a[i]), h.hceil(a[i]), h.hrint(a[i])
    out[i, 15] = a[i] + b[i]
    tests[i] = (h.heq(a[i], b[i]) + 2 * h.hne(a[i], b[i]) + 4 * h.hlt(a[i], b[i]) +
                8 * h.hge(a[i], b[i]))


def test_float16():
    rng = np.random.default_rng(0)
    a = (rng.normal(size=64) * 4).astype(np.float16)
    b = (rng.random(64) * 4 + 0.1).astype(np.float16)
    a[:8] = b[:8]
    out, tests = np.zeros((64, 16), np.float16), np.zeros(64, np.int64)
    halves[2, 32](a, b, out, tests)
    x, y = a.astype(float), b.astype(float)
    expected = [a + b, a - b, a * b, a / b, x * y + x, -a, abs(a), np.minimum(a, b),
                np.maximum(a, b), np.exp(y), np.sqrt(y), 1 / y, np.floor(a), np.ceil(a),
                np.rint(a), a + b]
    np.testing.assert_array_equal(out, np.transpose(expected).astype(np.float16))
    np.testing.assert_array_equal(tests, (a == b) + 2 * (a != b) + 4 * (a < b) + 8 * (a >= b))
    assert cuda.fp16.hadd(np.float16(1), np.float16(2)) == 3  # plain functions, too


# -- ufuncs, reductions ---------------------------------------------------------------------------

@cuda.jit(device=True)
def square(x):
    return x * x


@vectorize(["float32(float32, float32)", "float64(float64, float64)"], target="cuda")
def length(a, b):
    return math.sqrt(square(a) + square(b))


@guvectorize(["void(float64[:, :], float64[:, :], float64[:, :])"], "(m,n),(n,p)->(m,p)",
             target="cuda")
def product(a, b, c):
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            c[i, j] = 0
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[k, j]


def test_ufuncs():
    a, b = np.random.default_rng(1).random((2, 3, 4))
    np.testing.assert_allclose(length(a, b), np.hypot(a, b))
    assert length(3, 4) == 5 and length(np.float32(3), np.float32(4)).dtype == np.float32
    device = cuda.to_device(a)
    result = length(device, b[0])
    np.testing.assert_allclose(result.copy_to_host(), np.hypot(a, b[0]))
    stream = cuda.stream()
    out = cuda.device_array_like(a)
    assert length(device, 2.0, out=out, stream=stream) is out
    np.testing.assert_allclose(out.copy_to_host(), np.hypot(a, 2.0))
    with pytest.raises(ValueError, match="broadcast"):
        length(device, np.ones(3))
    length.max_blocksize = 64
    assert length.max_blocksize == 64 and "length" in repr(length)


def test_generalized_ufuncs():
    a, b = np.random.default_rng(2).random((5, 3, 4)), np.random.default_rng(3).random((4, 2))
    np.testing.assert_allclose(product(a, b), a @ b)
    np.testing.assert_allclose(product(cuda.to_device(a), b).copy_to_host(), a @ b)
    with pytest.raises(errors.UnsupportedError, match="it is 'cpu', 'parallel' or 'cuda'"):
        vectorize(target="fpga")(lambda x: x)


@cuda.reduce
def total(a, b):
    return a + b


def test_reduce():
    for n in (0, 1, 15, 16, 17, 1000):
        x = np.random.default_rng(n).integers(0, 100, n)
        assert total(x) == total(cuda.to_device(x)) == x.sum()
        assert total(x, init=5) == x.sum() + 5
    largest = cuda.Reduce(lambda a, b: a if a > b else b)
    x = np.random.default_rng(9).random(1000)
    assert largest(x, init=-1.0) == x.max() and largest(x, size=10, init=-1.0) == x[:10].max()
    out = cuda.device_array(2)
    assert total(x, res=out) is None
    assert np.isclose(out[0], x.sum())
    with pytest.raises(TypeError, match="arrays of one axis"):
        total(np.ones((2, 2)))
    with pytest.raises(ValueError, match="size is 7, but the array has 3"):
        total(np.ones(3), size=7)


# -- forms of launches, of cuda.jit ---------------------------------------------------------------

@cuda.jit
def fill(x, value):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = value


def test_forms_of_a_launch():
    x, stream = np.zeros(10), cuda.stream()
    forms = [fill[1, 10], fill[(1,), (10,)], fill[(1, 1, 1), (10, 1, 1)], fill[1, 10, 0],
             fill[1, 10, stream], fill[1, 10, stream, 128], fill[np.int64(2), np.int32(8)],
             fill.forall(10), fill.forall(10, tpb=32), fill.forall(10, stream=stream),
             fill.configure(1, 10), fill.configure((2, 1), 5, stream=stream, sharedmem=64)]
    for k, launch in enumerate(forms):
        launch(x, k)
        np.testing.assert_array_equal(x, k)
    launch = fill[(2, 3), (4, 5, 6), stream, 32]
    assert (launch.grid, launch.block, launch.sharedmem) == ((2, 3, 1), (4, 5, 6), 32)
    assert launch.kernel is fill and launch.stream is stream
    assert "on grid (2, 3, 1), block (4, 5, 6)" in repr(launch)


def test_what_is_known_of_a_kernel():
    @cuda.jit
    def kernel(x):
        x[cuda.grid(1)] = 1

    kernel[1, 4](np.zeros(4))
    kernel[1, 8](np.zeros(8, np.float32))
    assert len(kernel.overloads) == len(kernel.signatures) == 2
    args = kernel.signatures[0]
    assert "store" in kernel.inspect_llvm(void(*args)) and "ret" in kernel.inspect_asm()[args]
    assert ".entry kernel" in kernel.inspect_ptx(void(*args))
    assert "threads.x" in kernel.inspect_ir()[args]
    assert kernel.explain() is not None
    kernel.inspect_types()
    for refused in (kernel.inspect_sass, kernel.get_regs_per_thread):
        with pytest.raises(errors.UnsupportedError, match="CPU"):
            refused()
    kernel.recompile()


def test_signatures():
    for given in ("void(float32[:], int64)", void(float32[:], int64),
                  ["void(float32[:], int64)", "void(float64[:], int64)"], (float32[:], int64)):
        kernel = cuda.jit(given)(fill.py_func)
        x = np.zeros(4, np.float32)
        kernel[1, 4](x, np.int8(3))
        np.testing.assert_array_equal(x, 3)
        with pytest.raises(errors.TypingError, match="No matching definition"):
            kernel[1, 4](np.zeros(4, np.complex128), 1)
    with pytest.raises(TypeError, match="a kernel returns nothing"):
        cuda.jit("int64(float32[:])")


def test_specialize():
    x = np.zeros(4, np.float32)
    kernel = fill.specialize(x, 1.5)
    kernel[1, 4](x, 3)
    np.testing.assert_array_equal(x, 3)
    assert [str(s) for s in kernel.signatures] == [
        str((types.Array(types.float32, 1, "C"), types.float64))]


def test_pickles():
    again = pickle.loads(pickle.dumps(fill))
    x = np.zeros(3)
    again[1, 3](x, 2)
    np.testing.assert_array_equal(x, 2)


@njit
def shared_helper(x):
    return 2 * x + 1


@cuda.jit
def uses_helpers(x):
    i = cuda.grid(1)
    x[i] = shared_helper(x[i]) + fill_value(i)


@cuda.jit("int64(int64)", device=True)
def fill_value(i):
    return 100 * i


def test_functions_of_both_worlds():
    x = np.arange(4.)
    uses_helpers[1, 4](x)
    np.testing.assert_array_equal(x, 2 * np.arange(4.) + 1 + 100 * np.arange(4))
    assert shared_helper(3) == 7


def test_arrays_of_any_rank():
    @cuda.jit
    def kernel(x, out):
        i, j, k = cuda.grid(3)
        if i < x.shape[0] and j < x.shape[1] and k < x.shape[2]:
            row = x[i, j]
            part = row[k:]
            for m in range(x.shape[3]):
                out[i, j, k, m] = part[0, m] + len(part)

    x = np.random.default_rng(0).random((3, 4, 5, 2))
    out = np.zeros(x.shape)
    kernel[(2, 2, 2), (2, 2, 4)](x, out)
    np.testing.assert_array_equal(out, x + (5 - np.arange(5))[:, None])


def test_parts_that_do_not_exist_yet_say_so():
    for name in ("libdevice", "declare_device", "bf16", "RawModule"):
        with pytest.raises(errors.UnsupportedError, match=f"not built yet: whipsnake.cuda.{name}"):
            getattr(cuda, name)("x")
    with pytest.raises(AttributeError):
        cuda.nonsense
