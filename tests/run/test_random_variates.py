"""Distributions of np.random: the numbers of NumPy's legacy generator for the same seed."""

import numpy as np
import pytest

from support import errors, make, needs_compiler, njit

pytestmark = needs_compiler

P = "np.array([0.1, 0.2, 0.3, 0.2, 0.2])"
DRAWS = [
    "np.random.binomial(10, 0.3, 50)",
    "np.random.binomial(1000, 0.3, 200)",
    "np.random.binomial(1000, 0.9, 200)",
    "np.random.binomial(100000, 0.5, 200)",
    "np.random.binomial(10, 0.3)",
    "np.random.binomial(np.array([5, 100]), 0.4)",
    "np.random.poisson(3.0, 50)",
    "np.random.poisson(50.0, 500)",
    "np.random.poisson(5)",
    "np.random.gamma(2.0, 3.0, 50)",
    "np.random.gamma(0.5, 3.0, 50)",
    "np.random.standard_gamma(1.0, 5)",
    "np.random.beta(0.5, 0.5, 50)",
    "np.random.beta(2, 3, 50)",
    "np.random.chisquare(3, 10)",
    "np.random.f(3, 4, 10)",
    "np.random.standard_t(5, 10)",
    "np.random.standard_cauchy(10)",
    "np.random.standard_cauchy()",
    "np.random.pareto(3, 10)",
    "np.random.weibull(3, 10)",
    "np.random.power(3, 10)",
    "np.random.laplace(1, 2, 50)",
    "np.random.gumbel(1, 2, 50)",
    "np.random.logistic(1, 2, 50)",
    "np.random.lognormal(1, 2, 50)",
    "np.random.rayleigh(2, 50)",
    "np.random.triangular(0, 1, 3, 50)",
    "np.random.geometric(0.5, 50)",
    "np.random.geometric(0.1, 50)",
    "np.random.negative_binomial(5, 0.3, 50)",
    "np.random.choice(5, 3)",
    "np.random.choice(5)",
    "np.random.choice(5, 3, replace=False)",
    f"np.random.choice(5, (2, 2), p={P})",
    f"np.random.choice(np.arange(5.0), 4, False, {P})",
    f"np.random.choice(5, p={P})",
    "np.random.choice(np.arange(6).reshape(3, 2), 4)",
    "np.random.normal(np.arange(3.0), 2.0)",
    "np.random.normal(np.arange(3.0), np.ones(3), (2, 3))",
    "np.random.uniform(np.arange(3.0), 5)",
    "np.random.uniform(size=4)",
    "np.random.randint(5, size=(2, 2))",
    "np.random.randint(5)",
    "np.random.permutation(5)",
    "np.random.permutation(np.arange(6).reshape(3, 2))",
    "np.random.rand(2, 3)",
    "np.random.randn(4)",
    "np.random.randn()",
    "np.random.randint(0, 100, 10, dtype=np.int32)",
    "np.random.choice(5, 9, replace=False)",
    "np.random.binomial(-1, 0.5)",
]


# Bad parameters, and all branches of the methods.
CASES = [
    "np.random.poisson(np.nan)",
    "np.random.poisson(np.array([np.nan]))",
    "np.random.poisson(-1)",
    "np.random.poisson(np.array([-1]))",
    "np.random.poisson(1e+19)",
    "np.random.poisson(np.array([1e+19]))",
    "np.random.poisson(9.2e+18)",
    "np.random.geometric(np.nan)",
    "np.random.geometric(np.array([np.nan]))",
    "np.random.geometric(np.array([0.0]))",
    "np.random.geometric(2)",
    "np.random.binomial(np.array([3]), np.nan)",
    "np.random.binomial(3, np.array([np.nan]))",
    "np.random.binomial(np.array([-3]), 0.5)",
    "np.random.binomial(np.array([3]), np.array([2.0]))",
    "np.random.binomial(2.7, 0.5, 3)",
    "np.random.negative_binomial(np.array([1.0]), np.array([2.0]))",
    "np.random.negative_binomial(np.nan, 0.5)",
    "np.random.negative_binomial(np.array([np.nan]), 0.5)",
    "np.random.negative_binomial(-1, 0.5)",
    "np.random.gamma(np.array([1, -1.0]), 1.0)",
    "np.random.gamma(np.array([1, 1.0]), np.array([1, -1.0]))",
    "np.random.uniform(np.array([1, np.inf]), 1)",
    "np.random.uniform(0, 1e309)",
    "np.random.uniform(-1e+308, 1e+308)",
    "np.random.triangular(1, 0, 2)",
    "np.random.triangular(0, 3, 2)",
    "np.random.triangular(1, 1, 1)",
    "np.random.triangular(np.array([1, 2.0]), 0, 2)",
    "np.random.triangular(np.array([0]), 3, 2)",
    "np.random.triangular(np.array([1]), 1, 1)",
    "np.random.triangular(np.nan, 1, 2)",
    "np.random.normal(0, -1)",
    "np.random.normal(0, -0.0)",
    "np.random.normal(np.array([0]), -1)",
    "np.random.normal(0, np.nan)",
    "np.random.exponential(-1)",
    "np.random.exponential(np.array([-1]))",
    "np.random.exponential(-0.0)",
    "np.random.randint(5, 3)",
    "np.random.randint(0, 2 ** 40, dtype=np.int32)",
    "np.random.randint(-1, 5, dtype=np.uint32)",
    "np.random.randint(0, 2 ** 31, dtype=np.int32)",
    "np.random.randint(0, 2 ** 32, dtype=np.uint32)",
    "np.random.randint(0, 2 ** 32 + 1, dtype=np.uint32)",
    "np.random.randint(-2 ** 31 - 1, 5, dtype=np.int32)",
    "np.random.randint(-2 ** 31, 2 ** 31, dtype=np.int32)",
    "np.random.randint(0)",
    "np.random.randint(-5)",
    "np.random.randint(5, 5, 3)",
    "np.random.randint(5, 3, dtype=np.int32)",
    "np.random.randint(2 ** 33, 3, dtype=np.int32)",
    "np.random.randint(0, 5, dtype=np.uint64)",
    "np.random.randint(0, 5, dtype=np.int32)",
    "np.random.randint(0, 5, 0)",
    "np.random.choice(5, replace=False)",
    "np.random.choice(5, (), replace=False)",
    "np.random.choice(np.array([5.0, 6, 7]), replace=False)",
    "np.random.choice(0)",
    "np.random.choice(0, 0)",
    "np.random.choice(0, (2, 0))",
    "np.random.choice(np.array([]), 0)",
    "np.random.choice(np.array([]))",
    "np.random.choice(np.array([1, 2]), 3, False)",
    "np.random.choice(3, -1)",
    "np.random.choice(3, p=np.array([0.1, 0.2, 0.7]), replace=False)",
    "np.random.choice(3, 2, p=np.array([0.1, 0.2, 0.7]), replace=False)",
    "np.random.choice(3, 3, p=np.array([0, 0.3, 0.7]), replace=False)",
    "np.random.choice(3, p=np.array([0.1, 0.2]))",
    "np.random.choice(3, p=np.array([0.1, 0.2, 0.2]))",
    "np.random.choice(3, p=np.array([-0.1, 0.2, 0.9]))",
    "np.random.choice(3, p=np.array([np.nan, 0.2, 0.9]))",
    "np.random.choice(3, 0, replace=False)",
    "np.random.choice(3, 2, p=[0.1, 0.2, 0.7])",
    "np.random.choice(-1)",
    "np.random.choice(np.array([[1, 2], [3, 4]]), 3)",
    "np.random.choice(3, (2, 1), replace=False)",
    "np.random.choice(3, (2, 2), replace=False)",
    "np.random.permutation(0)",
    "np.random.permutation(-1)",
    "np.random.shuffle(np.array([]))",
    "np.random.standard_normal(-1)",
    "np.random.random((2, -1))",
    "np.random.random(())",
    "np.random.normal(0, 1, ())",
    "np.random.gamma(1, 2, ())",
    "np.random.randint(5, size=())",
    "np.random.rand(-1)",
    "np.random.uniform(np.array([1.0, 2.0]), 3, 3)",
    "np.random.normal(np.array([1.0, 2.0]), 1, (3, 2))",
    "np.random.normal(np.array([1.0, 2.0]), np.array([1.0, 2, 3]))",
    "np.random.normal(np.array([1.0, 2.0]), -1, (3, 2))",
    "np.random.choice(np.array([5.0, 6, 7]), p=np.array([0.1, 0.2, 0.7]), replace=False)",
    "np.random.binomial(1000, 0.5, 2000)",
    "np.random.binomial(40, 0.9, 2000)",
    "np.random.binomial(10 ** 9, 0.3, 2000)",
    "np.random.binomial(61, 0.5, 5000)",
    "np.random.binomial(70, 0.45, 5000)",
    "np.random.poisson(12.5, 5000)",
    "np.random.poisson(10, 5000)",
    "np.random.poisson(1000000.0, 2000)",
    "np.random.poisson(9.99, 2000)",
    "np.random.gamma(1.0001, 1, 2000)",
    "np.random.gamma(0.01, 1, 2000)",
    "np.random.gamma(0.99, 1, 2000)",
    "np.random.beta(0.001, 0.001, 500)",
    "np.random.beta(0.0001, 0.0001, 500)",
    "np.random.beta(0.9, 1, 2000)",
    "np.random.beta(0.5, 2, 2000)",
    "np.random.geometric(0.3333, 2000)",
    "np.random.geometric(0.34, 2000)",
    "np.random.geometric(1e-09, 2000)",
    "np.random.geometric(1.0, 20)",
    "np.random.negative_binomial(0.1, 0.01, 2000)",
    "np.random.negative_binomial(1000, 0.01, 2000)",
    "np.random.laplace(0, 1, 5000)",
    "np.random.gumbel(0, 1, 5000)",
    "np.random.logistic(0, 1, 5000)",
    "np.random.triangular(0, 0, 1, 2000)",
    "np.random.triangular(0, 1, 1, 2000)",
    "np.random.standard_cauchy(2000)",
    "np.random.standard_t(0.5, 2000)",
    "np.random.f(0.5, 0.5, 2000)",
    "np.random.power(0.01, 2000)",
    "np.random.weibull(0.01, 2000)",
    "np.random.pareto(0.01, 2000)",
    "np.random.gamma([1, 2, 3], 2)",
    "np.random.poisson([1, 20, 3])",
    "np.random.standard_gamma(-1)",
    "np.random.choice(3, (2, 0), False)",
    "np.random.exponential(np.array([1.0, 2.0]))",
    "np.random.exponential(2, (2, 3))",
    "np.random.exponential()",
    "np.random.exponential(size=3)",
]
# Every distribution with every pair of these.
VALUES = ["-1.0", "-0.0", "0.0", "np.nan", "np.inf", "0.5", "2.5", "1e10"]
CONTINUOUS = [
    "gamma(x, y, 3)",
    "beta(x, y, 3)",
    "f(x, y, 3)",
    "laplace(x, y, 3)",
    "gumbel(x, y, 3)",
    "logistic(x, y, 3)",
    "lognormal(x, y, 3)",
    "normal(x, y, 3)",
    "uniform(x, y, 3)",
    "uniform(x, y)",
    "standard_gamma(x, 3)",
    "chisquare(x, 3)",
    "standard_t(x, 3)",
    "pareto(x, 3)",
    "weibull(x, 3)",
    "power(x, 3)",
    "rayleigh(x, 3)",
    "exponential(x, 3)",
    "geometric(x, 3)",
    "negative_binomial(x, y, 3)",
    "triangular(x, y, 2.0, 3)",
]


def outcome(function, *args):
    """What it draws and the number drawn next; or what it raises."""
    try:
        return function(*args), None
    except (ValueError, OverflowError) as error:
        return None, error


def same_as_numpy(text, *params):
    """The numbers, and how many random ones were taken for them; or the error."""
    names = ", ".join("xy"[: len(params)])
    lines = ["np.random.seed(7)", f"r = {text}", "return r, np.random.random()"]
    function = make(f"def f({names}):\n    " + "\n    ".join(lines) + "\n")
    want, want_error = outcome(function, *params)
    got, error = outcome(njit(function), *params)
    assert type(error) is type(want_error) and str(error) == str(want_error)
    if error is not None or want[0] is None:
        return
    if not isinstance(want[0], np.generic):  # a number comes as Python's
        assert np.asarray(got[0]).dtype == np.asarray(want[0]).dtype
    np.testing.assert_allclose(got[0], want[0], rtol=1e-13)
    assert got[1] == want[1]


@pytest.mark.parametrize("text", DRAWS + CASES)
def test_same_numbers(text):
    same_as_numpy(text)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("text", CONTINUOUS)
def test_any_parameters(text):
    values = [float(eval(v)) for v in VALUES]
    for x in values:
        for y in values if "y" in text else [0.0]:
            same_as_numpy("np.random." + text, x, *([y] if "y" in text else []))


def test_narrow_integers_are_drawn_otherwise():
    function = make("def f():\n    return np.random.randint(0, 9, 4, np.uint8)\n")
    with pytest.raises(errors.CompileError, match="less than 32 bits"):
        njit(function)()
