"""Distributions of np.random, in the order of draws of NumPy's legacy generator.

Each is a function of its parameters as floats (`_gamma((shape,))`) that draws one number, and a
public one that draws one, or an array of a size, or one for each element of array parameters.
"""

import math

import numpy as np

from whipsnake.prelude.axes import broadcast_shapes, shape, stretched
from whipsnake.prelude.creation import asarray
from whipsnake.prelude.intrinsics import reshape
from whipsnake.prelude.tuples import mapped


# -- one or many ----------------------------------------------------------------------------------


def _are_numbers(params):
    if len(params) == 0:
        return True
    if isinstance(params[0], (np.ndarray, tuple)):
        return False
    return _are_numbers(params[1:])


def _draws(draw, dtype, size, params):
    """One number; or an array of this size, or of the shape of the parameters."""
    if _are_numbers(params):
        if size is None:
            return draw(params)
        return _fill(np.empty(size, dtype), draw, params)
    arrays = mapped(asarray, params)
    if size is None:
        return _fill_each(np.empty(broadcast_shapes(*mapped(shape, arrays)), dtype), draw, arrays)
    return _fill_each(np.empty(size, dtype), draw, arrays)


def _fill(out, draw, params):
    flat = reshape(out, out.size)
    for i in range(flat.shape[0]):
        flat[i] = draw(params)
    return out


def _fill_each(out, draw, arrays):
    flat = reshape(out, out.size)
    lines = mapped(_line, arrays, out.shape)
    for i in range(flat.shape[0]):
        flat[i] = draw(mapped(_item, lines, i))
    return out


def _line(a, shape):
    return stretched(a, shape).ravel()


def _item(line, i):
    return line[i]


# -- continuous -----------------------------------------------------------------------------------


def _normal(params):
    loc, scale = params
    return np.random.normal(loc, scale)


def normal(loc, scale, size):
    """np.random.normal of array parameters."""
    return _draws(_normal, np.float64, size, (loc, scale))


def _uniform(params):
    low, high = params
    return np.random.uniform(low, high)


def uniform(low, high, size):
    """np.random.uniform of array parameters."""
    return _draws(_uniform, np.float64, size, (low, high))


def _standard_gamma(params):
    shape = float(params[0])
    if shape < 0:
        raise ValueError("shape < 0")
    if shape == 1.0:
        return np.random.standard_exponential()
    if shape == 0.0:
        return 0.0
    if shape < 1.0:
        return _small_gamma(shape)
    b = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * b)
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
        if math.log(u) < 0.5 * x * x + b * (1.0 - v + math.log(v)):
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
            y = -math.log((1.0 - u) / shape)
            x = (1.0 - shape + shape * y) ** (1.0 / shape)
            if x <= v + y:
                return x


def standard_gamma(shape, size=None):
    """np.random.standard_gamma."""
    return _draws(_standard_gamma, np.float64, size, (shape,))


def _gamma(params):
    shape, scale = params
    if scale < 0:
        raise ValueError("scale < 0")
    return scale * _standard_gamma((shape,))


def gamma(shape, scale=1.0, size=None):
    """np.random.gamma."""
    return _draws(_gamma, np.float64, size, (shape, scale))


def _chisquare(params):
    if params[0] <= 0:
        raise ValueError("df <= 0")
    return 2.0 * _standard_gamma((params[0] / 2.0,))


def chisquare(df, size=None):
    """np.random.chisquare."""
    return _draws(_chisquare, np.float64, size, (df,))


def _beta(params):
    a, b = float(params[0]), float(params[1])
    if a <= 0:
        raise ValueError("a <= 0")
    if b <= 0:
        raise ValueError("b <= 0")
    if a <= 1.0 and b <= 1.0:
        return _small_beta(a, b)
    x = _standard_gamma((a,))
    y = _standard_gamma((b,))
    return x / (x + y)


def _small_beta(a, b):
    while True:
        u = np.random.random()
        v = np.random.random()
        x = u ** (1.0 / a)
        y = v ** (1.0 / b)
        if x + y <= 1.0:
            if x + y > 0:
                return x / (x + y)
            log_x, log_y = math.log(u) / a, math.log(v) / b
            most = max(log_x, log_y)
            log_x -= most
            log_y -= most
            return math.exp(log_x - math.log(math.exp(log_x) + math.exp(log_y)))


def beta(a, b, size=None):
    """np.random.beta."""
    return _draws(_beta, np.float64, size, (a, b))


def _f(params):
    first, second = params
    if first <= 0:
        raise ValueError("dfnum <= 0")
    if second <= 0:
        raise ValueError("dfden <= 0")
    x = _chisquare((first,)) * second
    return x / (_chisquare((second,)) * first)


def f(dfnum, dfden, size=None):
    """np.random.f."""
    return _draws(_f, np.float64, size, (dfnum, dfden))


def _standard_t(params):
    if params[0] <= 0:
        raise ValueError("df <= 0")
    x = np.random.standard_normal()
    y = _standard_gamma((params[0] / 2.0,))
    return math.sqrt(params[0] / 2.0) * x / math.sqrt(y)


def standard_t(df, size=None):
    """np.random.standard_t."""
    return _draws(_standard_t, np.float64, size, (df,))


def _standard_cauchy(params):
    x = np.random.standard_normal()
    return x / np.random.standard_normal()


def standard_cauchy(size=None):
    """np.random.standard_cauchy."""
    return _draws(_standard_cauchy, np.float64, size, (0,))


def _pareto(params):
    if params[0] <= 0:
        raise ValueError("a <= 0")
    return math.expm1(np.random.standard_exponential() / params[0])


def pareto(a, size=None):
    """np.random.pareto."""
    return _draws(_pareto, np.float64, size, (a,))


def _weibull(params):
    if params[0] < 0:
        raise ValueError("a < 0")
    if params[0] == 0:
        return 0.0
    return np.random.standard_exponential() ** (1.0 / params[0])


def weibull(a, size=None):
    """np.random.weibull."""
    return _draws(_weibull, np.float64, size, (a,))


def _power(params):
    if params[0] <= 0:
        raise ValueError("a <= 0")
    return (-math.expm1(-np.random.standard_exponential())) ** (1.0 / params[0])


def power(a, size=None):
    """np.random.power."""
    return _draws(_power, np.float64, size, (a,))


def _check_scale(scale):
    if scale < 0:
        raise ValueError("scale < 0")


def _laplace(params):
    loc, scale = params
    _check_scale(scale)
    u = np.random.random()
    while u == 0.0:
        u = np.random.random()
    if u >= 0.5:
        return loc - scale * math.log(2.0 - u - u)
    return loc + scale * math.log(u + u)


def laplace(loc=0.0, scale=1.0, size=None):
    """np.random.laplace."""
    return _draws(_laplace, np.float64, size, (loc, scale))


def _gumbel(params):
    loc, scale = params
    _check_scale(scale)
    u = 1.0 - np.random.random()
    while u >= 1.0:
        u = 1.0 - np.random.random()
    return loc - scale * math.log(-math.log(u))


def gumbel(loc=0.0, scale=1.0, size=None):
    """np.random.gumbel."""
    return _draws(_gumbel, np.float64, size, (loc, scale))


def _logistic(params):
    loc, scale = params
    _check_scale(scale)
    u = np.random.random()
    while u <= 0.0:
        u = np.random.random()
    return loc + scale * math.log(u / (1.0 - u))


def logistic(loc=0.0, scale=1.0, size=None):
    """np.random.logistic."""
    return _draws(_logistic, np.float64, size, (loc, scale))


def _lognormal(params):
    mean, sigma = params
    if sigma < 0:
        raise ValueError("sigma < 0")
    return math.exp(np.random.normal(mean, sigma))


def lognormal(mean=0.0, sigma=1.0, size=None):
    """np.random.lognormal."""
    return _draws(_lognormal, np.float64, size, (mean, sigma))


def _rayleigh(params):
    _check_scale(params[0])
    return params[0] * math.sqrt(-2.0 * math.log1p(-np.random.random()))


def rayleigh(scale=1.0, size=None):
    """np.random.rayleigh."""
    return _draws(_rayleigh, np.float64, size, (scale,))


def _triangular(params):
    left, mode, right = params
    if left > mode:
        raise ValueError("left > mode")
    if mode > right:
        raise ValueError("mode > right")
    if left == right:
        raise ValueError("left == right")
    base = right - left
    part = mode - left
    u = np.random.random()
    if u <= part / base:
        return left + math.sqrt(u * (part * base))
    return right - math.sqrt((1.0 - u) * ((right - mode) * base))


def triangular(left, mode, right, size=None):
    """np.random.triangular."""
    return _draws(_triangular, np.float64, size, (left, mode, right))


# -- discrete -------------------------------------------------------------------------------------


def _binomial(params):
    n, p = int(params[0]), float(params[1])
    if n < 0:
        raise ValueError("n < 0")
    if not 0 <= p <= 1:
        raise ValueError("p < 0, p > 1 or p contains NaNs")
    if n == 0 or p == 0.0:
        return 0
    r = p if p <= 0.5 else 1.0 - p
    k = _binomial_small(n, r) if r * n <= 30.0 else _binomial_large(n, r)
    return k if p <= 0.5 else n - k


def _binomial_small(n, p):
    """By inversion."""
    q = 1.0 - p
    start = math.exp(n * math.log(q))
    mean = n * p
    bound = int(min(float(n), mean + 10.0 * math.sqrt(mean * q + 1)))
    x = 0
    px = start
    u = np.random.random()
    while u > px:
        x += 1
        if x > bound:
            x = 0
            px = start
            u = np.random.random()
        else:
            u -= px
            px = ((n - x + 1) * p * px) / (x * q)
    return x


def _binomial_large(n, r):
    """Kachitvichyanukul and Schmeiser's method BTPE."""
    q = 1.0 - r
    fm = n * r + r
    m = int(math.floor(fm))
    nrq = n * r * q
    p1 = math.floor(2.195 * math.sqrt(nrq) - 4.6 * q) + 0.5
    xm = m + 0.5
    xl = xm - p1
    xr = xm + p1
    c = 0.134 + 20.5 / (15.3 + m)
    a = (fm - xl) / (fm - xl * r)
    left = a * (1.0 + a / 2.0)
    a = (xr - fm) / (xr * q)
    right = a * (1.0 + a / 2.0)
    p2 = p1 * (1.0 + 2.0 * c)
    p3 = p2 + c / left
    p4 = p3 + c / right
    while True:
        u = np.random.random() * p4
        v = np.random.random()
        if u <= p1:
            return int(math.floor(xm - p1 * v + u))
        if u <= p2:
            x = xl + (u - p1) / c
            v = v * c + 1.0 - abs(m - x + 0.5) / p1
            if v > 1.0:
                continue
            y = int(math.floor(x))
        elif v == 0.0:
            continue
        elif u <= p3:
            y = int(math.floor(xl + math.log(v) / left))
            if y < 0:
                continue
            v = v * (u - p2) * left
        else:
            y = int(math.floor(xr - math.log(v) / right))
            if y > n:
                continue
            v = v * (u - p3) * right
        if _binomial_takes(n, r, q, m, xm, nrq, y, v):
            return y


def _binomial_takes(n, r, q, m, xm, nrq, y, v):
    k = abs(y - m)
    if k <= 20 or k >= nrq / 2.0 - 1:
        s = r / q
        a = s * (n + 1)
        f = 1.0
        for i in range(m + 1, y + 1):
            f *= a / i - s
        for i in range(y + 1, m + 1):
            f /= a / i - s
        return v <= f
    rho = (k / nrq) * ((k * (k / 3.0 + 0.625) + 0.16666666666666666) / nrq + 0.5)
    t = -k * k / (2 * nrq)
    a = math.log(v)
    if a < t - rho:
        return True
    if a > t + rho:
        return False
    x1, f1, z, w = y + 1.0, m + 1.0, n + 1.0 - m, n - y + 1.0
    bound = (
        xm * math.log(f1 / x1)
        + (n - m + 0.5) * math.log(z / w)
        + (y - m) * math.log(w * r / (x1 * q))
        + _stirling(f1)
        + _stirling(z)
        + _stirling(x1)
        + _stirling(w)
    )
    return a <= bound


def _stirling(x):
    s = x * x
    return (13680.0 - (462.0 - (132.0 - (99.0 - 140.0 / s) / s) / s) / s) / x / 166320.0


def binomial(n, p, size=None):
    """np.random.binomial."""
    return _draws(_binomial, np.int64, size, (n, p))


def _poisson(params):
    lam = float(params[0])
    if not lam >= 0:
        raise ValueError("lam < 0 or lam is NaN")
    if lam >= 10:
        return _poisson_large(lam)
    if lam == 0:
        return 0
    least = math.exp(-lam)
    k = 0
    product = np.random.random()
    while product > least:
        k += 1
        product *= np.random.random()
    return k


def _poisson_large(lam):
    """Hörmann's transformed rejection."""
    slam = math.sqrt(lam)
    log_lam = math.log(lam)
    b = 0.931 + 2.53 * slam
    a = -0.059 + 0.02483 * b
    inverse = 1.1239 + 1.1328 / (b - 3.4)
    vr = 0.9277 - 3.6224 / (b - 2)
    while True:
        u = np.random.random() - 0.5
        v = np.random.random()
        us = 0.5 - abs(u)
        k = int(math.floor((2 * a / us + b) * u + lam + 0.43))
        if us >= 0.07 and v <= vr:
            return k
        if k < 0 or (us < 0.013 and v > us):
            continue
        log_v = math.log(v) + math.log(inverse) - math.log(a / (us * us) + b)
        if log_v <= -lam + k * log_lam - _log_gamma(k + 1.0):
            return k


_SERIES = (
    8.333333333333333e-02,
    -2.777777777777778e-03,
    7.936507936507937e-04,
    -5.952380952380952e-04,
    8.417508417508418e-04,
    -1.917526917526918e-03,
    6.410256410256410e-03,
    -2.955065359477124e-02,
    1.796443723688307e-01,
    -1.39243221690590e00,
)


def _log_gamma(x):
    if x == 1.0 or x == 2.0:
        return 0.0
    n = int(7 - x) if x < 7.0 else 0
    x0 = x + n
    x2 = (1.0 / x0) * (1.0 / x0)
    s = _SERIES[9]
    for k in range(8, -1, -1):
        s = s * x2 + _SERIES[k]
    g = s / x0 + 0.5 * 1.8378770664093453 + (x0 - 0.5) * math.log(x0) - x0
    for _ in range(n):
        x0 -= 1.0
        g -= math.log(x0)
    return g


def poisson(lam=1.0, size=None):
    """np.random.poisson."""
    return _draws(_poisson, np.int64, size, (lam,))


def _geometric(params):
    p = float(params[0])
    if not 0 < p <= 1:
        raise ValueError("p <= 0, p > 1 or p contains NaNs")
    if p < 0.333333333333333333333333:
        return int(math.ceil(math.log1p(-np.random.random()) / math.log1p(-p)))
    k = 1
    total = p
    term = p
    u = np.random.random()
    while u > total:
        term *= 1.0 - p
        total += term
        k += 1
    return k


def geometric(p, size=None):
    """np.random.geometric."""
    return _draws(_geometric, np.int64, size, (p,))


def _negative_binomial(params):
    n, p = float(params[0]), float(params[1])
    if n <= 0:
        raise ValueError("n <= 0")
    if not 0 < p <= 1:
        raise ValueError("p < 0, p > 1 or p contains NaNs")
    return _poisson(((1 - p) / p * _standard_gamma((n,)),))


def negative_binomial(n, p, size=None):
    """np.random.negative_binomial."""
    return _draws(_negative_binomial, np.int64, size, (n, p))
