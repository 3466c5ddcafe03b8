"""Black-Scholes prices of European options: exp, log and sqrt over arrays, in a loop."""

import math

import numpy as np

from engine import njit

SIZE, SMALL = 50_000, 500


def work(size):
    return size


def setup(size):
    rng = np.random.default_rng(2)
    stock = rng.uniform(5.0, 30.0, size)
    strike = rng.uniform(1.0, 100.0, size)
    years = rng.uniform(0.25, 10.0, size)
    return stock, strike, years, 0.02, 0.30, np.empty(size), np.empty(size)


@njit
def normal_cdf(d):
    """Abramowitz and Stegun's polynomial, as every option pricing example has it."""
    k = 1.0 / (1.0 + 0.2316419 * abs(d))
    poly = 1.781477937 + k * (-1.821255978 + k * 1.330274429)
    poly = k * (0.31938153 + k * (-0.356563782 + k * poly))
    tail = 0.39894228040143267794 * math.exp(-0.5 * d * d) * poly
    return 1.0 - tail if d > 0 else tail


@njit
def run(stock, strike, years, rate, volatility, call, put):
    for i in range(len(stock)):
        root = math.sqrt(years[i])
        d1 = (
            math.log(stock[i] / strike[i]) + (rate + 0.5 * volatility * volatility) * years[i]
        ) / (volatility * root)
        d2 = d1 - volatility * root
        cdf1 = normal_cdf(d1)
        cdf2 = normal_cdf(d2)
        discounted = strike[i] * math.exp(-rate * years[i])
        call[i] = stock[i] * cdf1 - discounted * cdf2
        put[i] = discounted * (1.0 - cdf2) - stock[i] * (1.0 - cdf1)


def check(result, stock, strike, years, rate, volatility, call, put):
    assert result is None
    # Put-call parity, and one option priced with the exact error function.
    np.testing.assert_allclose(
        call - put, stock - strike * np.exp(-rate * years), rtol=1e-9, atol=1e-9
    )
    s, k, t = stock[7], strike[7], years[7]
    d1 = (math.log(s / k) + (rate + volatility**2 / 2) * t) / (volatility * math.sqrt(t))
    d2 = d1 - volatility * math.sqrt(t)
    exact = s * (1 + math.erf(d1 / 2**0.5)) / 2
    exact -= k * math.exp(-rate * t) * (1 + math.erf(d2 / 2**0.5)) / 2
    assert abs(call[7] - exact) < 1e-5
