"""The distributions of random and np.random: the very numbers of CPython and NumPy."""

import random

import numpy as np
import pytest

from support import PLAIN, compiled, make

PYTHON = [
    "random()", "uniform(-2.5, 7)", "gauss(1.0, 2.0)", "normalvariate(0.5, 2.0)",
    "lognormvariate(0.0, 0.5)", "expovariate(1.5)", "gammavariate(2.5, 1.5)",
    "gammavariate(1.0, 2.0)", "gammavariate(0.3, 1.0)", "betavariate(2.0, 0.5)",
    "paretovariate(3.0)", "weibullvariate(1.0, 1.5)", "vonmisesvariate(1.0, 4.0)",
    "vonmisesvariate(1.0, 0.0)", "triangular()", "triangular(1.0, 5.0, 2.0)",
    "triangular(2.0, 2.0, 2.0)", "getrandbits(1)", "getrandbits(32)", "getrandbits(53)",
    "randint(1, 6)", "randint(-5, 2**40)", "randrange(10)", "randrange(3, 100, 7)",
    "randrange(10, -10, -3)", "choice((1.5, 2.5, 3.5))", "choice(range(5, 50, 3))",
]
NUMPY = [
    "random_sample()", "ranf()", "rand()", "randn()", "standard_normal()", "normal(1, 2.5)",
    "normal(scale=3.0)", "uniform(-3, 10)", "uniform(high=5.0)", "standard_exponential()",
    "exponential(2.5)", "randint(10)", "randint(-5, 7)", "randint(0, 2**40)", "randint(0, 2**32)",
    "randint(3, 4)", "choice(10)",
]
ARRAYS = [
    "random(5)", "random((2, 3))", "random(size=4)", "rand(3, 4)", "randn(3)",
    "normal(1.0, 2.0, 5)", "normal(size=(2, 2))", "standard_normal((2, 3, 2))", "uniform(1, 2, 7)",
    "standard_exponential(5)", "exponential(2.0, 5)", "randint(0, 10, size=20)",
    "randint(10, size=(3, 4))", "permutation(20)", "choice(9, (2, 3))", "random(0)",
]
RAISING = [
    ("random.randint(5, n)", 1), ("random.randrange(n)", 0), ("random.randrange(3, 9, n)", 0),
    ("random.randrange(9, 3, n)", 2), ("random.getrandbits(n)", -1), ("random.expovariate(n)", 0),
    ("random.gammavariate(n, 1.0)", -1), ("np.random.randint(n, 4)", 4),
    ("np.random.exponential(n)", -1), ("np.random.seed(n)", -1),
]


def draws(module, call):
    source = f"""
        def f(seed, out):
            {module}.seed(seed)
            for i in range(len(out)):
                out[i] = {module}.{call}
    """
    return make(source, random=random)


@pytest.fixture(autouse=True)
def keep_the_streams():
    python, numpy = random.getstate(), np.random.get_state()
    yield
    random.setstate(python)
    np.random.set_state(numpy)


@pytest.mark.parametrize("module, call", [*(("random", c) for c in PYTHON),
                                          *(("np.random", c) for c in NUMPY)])
def test_numbers(module, call):
    func = draws(module, call)
    for seed in (0, 42, 2**32 - 1):
        want, got = np.empty(301), np.empty(301)
        func(seed, want)
        compiled(func)(seed, got)
        assert got.tolist() == want.tolist()


@pytest.mark.parametrize("call", ARRAYS)
def test_arrays(call):
    func = make(f"""
        def f(seed):
            np.random.seed(seed)
            return np.random.{call}, np.random.random()
    """)
    want, next_want = func(7)
    got, next_got = compiled(func)(7)
    assert got.dtype == want.dtype and got.shape == want.shape
    assert got.tolist() == want.tolist() and next_got == next_want


@pytest.mark.parametrize("call, array", [
    ("np.random.shuffle(a)", np.arange(100)),
    ("np.random.shuffle(a)", np.arange(60).reshape(20, 3)),
    ("random.shuffle(a)", np.arange(50)),
])
def test_shuffle(call, array):
    func = make(f"""
        def f(a):
            random.seed(3)
            np.random.seed(3)
            {call}
    """, random=random)
    want, got = array.copy(), array.copy()
    func(want)
    compiled(func)(got)
    assert got.tolist() == want.tolist() != array.tolist()


@pytest.mark.parametrize("call", ["permutation(a)", "choice(a)", "choice(a, 6)"])
def test_from_an_array(call):
    func = make(f"def f(a):\n    np.random.seed(5)\n    return np.random.{call}\n")
    a = np.arange(10.0) / 3
    assert np.array_equal(compiled(func)(a), func(a))


@pytest.mark.parametrize("call, n", RAISING)
def test_bad_parameters(call, n):
    func = make(f"def f(n):\n    return {call}\n", random=random)
    with pytest.raises(Exception) as want:
        func(n)
    with pytest.raises(want.type) as got:
        compiled(func)(n)
    assert str(got.value) == str(want.value)


def test_gauss_starts_afresh_with_a_seed():
    func = make("""
        def f():
            random.seed(1)
            first = random.gauss(0.0, 1.0)
            random.seed(1)
            return first, random.gauss(0.0, 1.0), random.gauss(0.0, 1.0)
    """, random=random)
    assert compiled(func)() == func()


def test_seeds_from_the_system_differ():
    if PLAIN:
        pytest.skip("CPython's own business")
    func = compiled(make("""
        def f():
            random.seed()
            np.random.seed()
            return random.random(), np.random.random()
    """, random=random))
    assert func() != func()
