"""random and np.random: bit for bit the streams of CPython and of NumPy's legacy generator."""

import random

import numpy as np
import pytest

from support import PLAIN, compiled, needs_compiler, njit

SEEDS = [0, 1, 42, 12345, 2**32 - 1]
ALL_FIRST = np.random.RandomState


@njit
def numpy_uniform(seed, out):
    np.random.seed(seed)
    for i in range(len(out)):
        out[i] = np.random.random()


@njit
def numpy_normal(seed, out):
    np.random.seed(seed)
    for i in range(len(out)):
        out[i] = np.random.normal()


@njit
def numpy_normal_scaled(seed, mean, sigma, out):
    np.random.seed(seed)
    for i in range(len(out)):
        out[i] = np.random.normal(mean, sigma)


@njit
def python_uniform(seed, out):
    random.seed(seed)
    for i in range(len(out)):
        out[i] = random.random()


@pytest.mark.parametrize("seed", SEEDS)
def test_numpy_random(seed):
    out = np.empty(1500)
    numpy_uniform(seed, out)
    assert np.array_equal(out, ALL_FIRST(seed).random_sample(1500))


@pytest.mark.parametrize("seed", SEEDS)
def test_numpy_normal(seed):
    out = np.empty(1501)
    numpy_normal(seed, out)
    assert np.array_equal(out, ALL_FIRST(seed).normal(size=1501))
    numpy_normal_scaled(seed, 3.0, 0.25, out)
    assert np.array_equal(out, ALL_FIRST(seed).normal(3.0, 0.25, 1501))


@pytest.mark.parametrize("seed", SEEDS)
def test_python_random(seed):
    out = np.empty(1500)
    python_uniform(seed, out)
    stream = random.Random(seed)
    assert out.tolist() == [stream.random() for _ in range(1500)]


def test_python_random_with_a_negative_seed():
    out = np.empty(10)
    python_uniform(-5, out)
    stream = random.Random(-5)
    assert out.tolist() == [stream.random() for _ in range(10)]


@njit
def mixed(seed, out):
    np.random.seed(seed)
    for i in range(0, len(out) - 2, 3):
        out[i] = np.random.random()
        out[i + 1] = np.random.normal()
        out[i + 2] = np.random.normal(1.0, 2.0)


def test_mixed_draws_share_one_stream():
    out = np.empty(300)
    mixed(9, out)
    stream, want = ALL_FIRST(9), []
    for _ in range(100):
        want += [stream.random_sample(), stream.normal(), stream.normal(1.0, 2.0)]
    assert out.tolist() == want


def test_the_two_modules_have_separate_streams():
    @njit
    def f(out):
        np.random.seed(1)
        random.seed(2)
        for i in range(len(out)):
            out[i] = np.random.random() - random.random()

    out = np.empty(50)
    f(out)
    stream, other = ALL_FIRST(1), random.Random(2)
    assert out.tolist() == [stream.random_sample() - other.random() for _ in range(50)]


def test_the_stream_goes_on_over_calls():
    @njit
    def seed(n):
        np.random.seed(n)

    @njit
    def draw():
        return np.random.random()

    seed(77)
    assert [draw() for _ in range(700)] == ALL_FIRST(77).random_sample(700).tolist()


def test_seeding_inside_leaves_the_outside_alone():
    if PLAIN:
        pytest.skip("one generator only")
    np.random.seed(5)
    want = ALL_FIRST(5).random_sample()
    numpy_uniform(3, np.empty(4))
    assert np.random.random_sample() == want


@needs_compiler
def test_unseeded_streams_differ_between_processes():
    from support import run_python
    code = """
        import numpy as np
        from whipsnake import njit
        @njit
        def f():
            return np.random.random()
        print(f())
    """
    assert run_python(code).stdout != run_python(code).stdout


def test_a_negative_sigma_raises():
    @njit
    def f(s):
        return np.random.normal(0.0, s)

    with pytest.raises(ValueError):
        f(-1.0)


def test_monte_carlo_pi():
    def estimate(seed, n):
        np.random.seed(seed)
        inside = 0
        for _ in range(n):
            x = np.random.random()
            y = np.random.random()
            inside += x * x + y * y < 1.0
        return 4.0 * inside / n

    state = np.random.get_state()
    want = estimate(3, 20000)
    np.random.set_state(state)
    assert compiled(estimate)(3, 20000) == want


def test_an_odd_number_of_words_before():
    """A double takes two words, which may be the last of one batch and the first of the next."""

    def draw(seed, out):
        random.seed(seed)
        random.getrandbits(32)
        for i in range(len(out)):
            out[i] = random.random()

    ours, plain = np.zeros(1000), np.zeros(1000)
    njit(draw)(5, ours)
    draw(5, plain)
    np.testing.assert_array_equal(ours, plain)
