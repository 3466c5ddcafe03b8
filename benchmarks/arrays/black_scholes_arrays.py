"""Black-Scholes call prices in array form, with the logistic form of the normal distribution."""

import numpy as np

from engine import njit

SIZE, SMALL = 50_000, 500


def setup(size):
    rng = np.random.default_rng(12)
    return rng.uniform(5, 30, size), rng.uniform(1, 100, size), rng.uniform(0.25, 10, size)


@njit
def run(stock, strike, years):
    rate, volatility = 0.02, 0.3
    root = volatility * np.sqrt(years)
    d1 = (np.log(stock / strike) + (rate + 0.5 * volatility * volatility) * years) / root
    d2 = d1 - root
    n1 = 1.0 / (1.0 + np.exp(-1.5976 * d1 - 0.07056 * d1 * d1 * d1))
    n2 = 1.0 / (1.0 + np.exp(-1.5976 * d2 - 0.07056 * d2 * d2 * d2))
    return stock * n1 - strike * np.exp(-rate * years) * n2


def check(result, stock, strike, years):
    d1 = (np.log(stock / strike) + 0.065 * years) / (0.3 * np.sqrt(years))
    d2 = d1 - 0.3 * np.sqrt(years)
    n1, n2 = (1.0 / (1.0 + np.exp(-1.5976 * d - 0.07056 * d**3)) for d in (d1, d2))
    np.testing.assert_allclose(result, stock * n1 - strike * np.exp(-0.02 * years) * n2,
                               rtol=1e-9, atol=1e-9)
