# program_option_pricing: a longer program: math.erf is misspelt in the second helper
# expect: TypingError
# tells: math | erff | erf
import math

import numpy as np

from whipsnake import njit


@njit
def density(x):
    return math.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi)


@njit
def normal_cdf(x):
    return 0.5 * (1.0 + math.erff(x / math.sqrt(2.0)))


@njit
def black_scholes(spot, strike, rate, sigma, years):
    s = sigma * math.sqrt(years)
    d1 = (math.log(spot / strike) + (rate + 0.5 * sigma**2) * years) / s
    d2 = d1 - s
    call = spot * normal_cdf(d1) - strike * math.exp(-rate * years) * normal_cdf(d2)
    vega = spot * density(d1) * math.sqrt(years)
    return call, vega


@njit
def price_all(spots, strikes, out):
    for i in range(spots.size):
        call, vega = black_scholes(spots[i], strikes[i], 0.02, 0.25, 1.0)
        out[i, 0] = call
        out[i, 1] = vega


spots = np.linspace(80, 120, 50)
out = np.empty((50, 2))
price_all(spots, np.full(50, 100.0), out)
print(out.mean(axis=0))
