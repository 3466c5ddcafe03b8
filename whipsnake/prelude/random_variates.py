"""Continuous distributions of np.random, in the order of draws of NumPy's legacy generator. NumPy's
functions never raise, so theirs are taken instead of those of math."""

import numpy as np

from whipsnake.prelude.random_draws import (
    check_a,
    check_df,
    check_none,
    check_scale,
    draws,
    not_negative,
    positive,
)


def _normal(params):
    loc, scale = params
    return np.random.normal(loc, scale)


def normal(loc, scale, size):
    """np.random.normal of array parameters."""
    return draws(check_scale, _normal, np.float64, size, (loc, scale))


def _uniform(params):
    low, high = params
    return np.random.uniform(low, high)


def _check_uniform(params, nan):
    if not np.isfinite(float(params[1]) - float(params[0])):
        raise OverflowError("Range exceeds valid bounds")


def uniform(low, high, size):
    """np.random.uniform of array parameters."""
    return draws(_check_uniform, _uniform, np.float64, size, (low, high))


def gamma_of(params):
    """One of scale 1; NaN where log() has no value."""
    shape = float(params[0])
    if shape == 1.0:
        return np.random.standard_exponential()
    if shape == 0.0:
        return 0.0
    if shape < 1.0:
        return _small_gamma(shape)
    b = shape - 1.0 / 3.0
    c = 1.0 / np.sqrt(9.0 * b)
    while True:
        x = np.random.standard_normal()
        v = 1.0 + c * x
        while v <= 0.0:
            x = np.random.standard_normal()
            v = 1.0 + c * x
        v = v * v * v
        u = np.random.random()
        if u < 1.0 - 0.0331 * (x * x) * (x * x):
            return b * v
        if np.log(u) < 0.5 * x * x + b * (1.0 - v + np.log(v)):
            return b * v


def _small_gamma(shape):
    while True:
        u = np.random.random()
        v = np.random.standard_exponential()
        if u <= 1.0 - shape:
            x = u ** (1.0 / shape)
            if x <= v:
                return x
        else:
            y = -np.log((1.0 - u) / shape)
            x = (1.0 - shape + shape * y) ** (1.0 / shape)
            if x <= v + y:
                return x


def standard_gamma(shape, size=None):
    """np.random.standard_gamma."""
    return draws(_check_gamma, gamma_of, np.float64, size, (shape,))


def _gamma(params):
    shape, scale = params
    return scale * gamma_of((shape,))


def _check_gamma(params, nan):
    not_negative(float(params[0]), "shape")
    if len(params) > 1:
        not_negative(float(params[1]), "scale")


def gamma(shape, scale=1.0, size=None):
    """np.random.gamma."""
    return draws(_check_gamma, _gamma, np.float64, size, (shape, scale))


def _exponential(params):
    return params[0] * np.random.standard_exponential()


def exponential(scale=1.0, size=None):
    """np.random.exponential."""
    return draws(check_scale, _exponential, np.float64, size, (scale,))


def _chisquare(params):
    return 2.0 * gamma_of((params[0] / 2.0,))


def chisquare(df, size=None):
    """np.random.chisquare."""
    return draws(check_df, _chisquare, np.float64, size, (df,))


def _beta(params):
    a, b = float(params[0]), float(params[1])
    if a <= 1.0 and b <= 1.0:
        return _small_beta(a, b)
    x = gamma_of((a,))
    y = gamma_of((b,))
    return x / (x + y)


def _check_beta(params, nan):
    positive(params[0], "a")
    positive(params[1], "b")


def _small_beta(a, b):
    while True:
        u = np.random.random()
        v = np.random.random()
        x = u ** (1.0 / a)
        y = v ** (1.0 / b)
        if x + y <= 1.0:
            if x + y > 0:
                return x / (x + y)
            log_x, log_y = np.log(u) / a, np.log(v) / b
            most = max(log_x, log_y)
            log_x -= most
            log_y -= most
            return np.exp(log_x - np.log(np.exp(log_x) + np.exp(log_y)))


def beta(a, b, size=None):
    """np.random.beta."""
    return draws(_check_beta, _beta, np.float64, size, (a, b))


def _f(params):
    first, second = params
    x = _chisquare((first,)) * second
    return np.divide(x, _chisquare((second,)) * first)


def _check_f(params, nan):
    positive(params[0], "dfnum")
    positive(params[1], "dfden")


def f(dfnum, dfden, size=None):
    """np.random.f."""
    return draws(_check_f, _f, np.float64, size, (dfnum, dfden))


def _standard_t(params):
    x = np.random.standard_normal()
    y = gamma_of((params[0] / 2.0,))
    return np.divide(np.sqrt(params[0] / 2.0) * x, np.sqrt(y))


def standard_t(df, size=None):
    """np.random.standard_t."""
    return draws(check_df, _standard_t, np.float64, size, (df,))


def _standard_cauchy(params):
    x = np.random.standard_normal()
    return np.divide(x, np.random.standard_normal())


def standard_cauchy(size=None):
    """np.random.standard_cauchy."""
    return draws(check_none, _standard_cauchy, np.float64, size, (0,))


def _pareto(params):
    return np.exp(np.divide(np.random.standard_exponential(), params[0])) - 1


def pareto(a, size=None):
    """np.random.pareto."""
    return draws(check_a, _pareto, np.float64, size, (a,))


def _weibull(params):
    if params[0] == 0:
        return 0.0
    return np.power(np.random.standard_exponential(), np.divide(1.0, params[0]))


def _check_weibull(params, nan):
    not_negative(float(params[0]), "a")


def weibull(a, size=None):
    """np.random.weibull."""
    return draws(_check_weibull, _weibull, np.float64, size, (a,))


def _power(params):
    return np.power(1 - np.exp(-np.random.standard_exponential()), np.divide(1.0, params[0]))


def power(a, size=None):
    """np.random.power."""
    return draws(check_a, _power, np.float64, size, (a,))


def _laplace(params):
    loc, scale = params
    u = np.random.random()
    while u == 0.0:
        u = np.random.random()
    if u >= 0.5:
        return loc - scale * np.log(2.0 - u - u)
    return loc + scale * np.log(u + u)


def laplace(loc=0.0, scale=1.0, size=None):
    """np.random.laplace."""
    return draws(check_scale, _laplace, np.float64, size, (loc, scale))


def _gumbel(params):
    loc, scale = params
    u = 1.0 - np.random.random()
    while u >= 1.0:
        u = 1.0 - np.random.random()
    return loc - scale * np.log(-np.log(u))


def gumbel(loc=0.0, scale=1.0, size=None):
    """np.random.gumbel."""
    return draws(check_scale, _gumbel, np.float64, size, (loc, scale))


def _logistic(params):
    loc, scale = params
    u = np.random.random()
    while u <= 0.0:
        u = np.random.random()
    return loc + scale * np.log(u / (1.0 - u))


def logistic(loc=0.0, scale=1.0, size=None):
    """np.random.logistic."""
    return draws(check_scale, _logistic, np.float64, size, (loc, scale))


def _lognormal(params):
    mean, sigma = params
    return np.exp(np.random.normal(mean, sigma))


def _check_lognormal(params, nan):
    not_negative(float(params[1]), "sigma")


def lognormal(mean=0.0, sigma=1.0, size=None):
    """np.random.lognormal."""
    return draws(_check_lognormal, _lognormal, np.float64, size, (mean, sigma))


def _rayleigh(params):
    return params[0] * np.sqrt(-2.0 * np.log1p(-np.random.random()))


def rayleigh(scale=1.0, size=None):
    """np.random.rayleigh."""
    return draws(check_scale, _rayleigh, np.float64, size, (scale,))


def _triangular(params):
    left, mode, right = params
    base = right - left
    part = mode - left
    u = np.random.random()
    if u <= part / base:
        return left + np.sqrt(u * (part * base))
    return right - np.sqrt((1.0 - u) * ((right - mode) * base))


def _check_triangular(params, nan):
    left, mode, right = params
    if left > mode:
        raise ValueError("left > mode")
    if mode > right:
        raise ValueError("mode > right")
    if left == right:
        raise ValueError("left == right")


def triangular(left, mode, right, size=None):
    """np.random.triangular."""
    return draws(_check_triangular, _triangular, np.float64, size, (left, mode, right))
