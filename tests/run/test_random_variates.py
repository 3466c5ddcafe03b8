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


@pytest.mark.parametrize("text", DRAWS)
def test_same_numbers(text):
    function = make(f"def f():\n    np.random.seed(7)\n    return {text}\n")
    try:
        want = function()
    except ValueError as error:
        with pytest.raises(ValueError) as raised:
            njit(function)()
        assert str(raised.value) == str(error)
        return
    got = njit(function)()
    assert np.asarray(got).dtype == np.asarray(want).dtype
    np.testing.assert_allclose(got, want, rtol=1e-13)


def test_narrow_integers_are_drawn_otherwise():
    function = make("def f():\n    return np.random.randint(0, 9, 4, np.uint8)\n")
    with pytest.raises(errors.CompileError, match="less than 32 bits"):
        njit(function)()
