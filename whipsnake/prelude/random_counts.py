"""Discrete distributions of np.random, in the order of draws of NumPy's legacy generator."""

import numpy as np

from whipsnake.prelude.random_draws import draws, positive
from whipsnake.prelude.random_variates import gamma_of


def as_int(x):
    """A whole float as an integer; what has none of 64 bits gives the least one, as in NumPy."""
    return int(x) if -(2.0**63) <= x < 2.0**63 else -0x7FFFFFFFFFFFFFFF - 1


def _binomial(params):
    n, p = int(params[0]), float(params[1])
    r = p if p <= 0.5 else 1.0 - p
    k = _binomial_small(n, r) if r * n <= 30.0 else _binomial_large(n, r)
    return k if p <= 0.5 else n - k


def _check_binomial(params, nan):
    n = int(params[0])
    if not 0 <= params[1] <= 1:
        raise ValueError(f"p < 0, p > 1 or p {nan}")
    if n < 0:
        raise ValueError("n < 0")


def _binomial_small(n, p):
    """By inversion."""
    q = 1.0 - p
    start = np.exp(n * np.log(q))
    mean = n * p
    bound = int(min(float(n), mean + 10.0 * np.sqrt(mean * q + 1)))
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
    m = as_int(np.floor(fm))
    nrq = n * r * q
    p1 = np.floor(2.195 * np.sqrt(nrq) - 4.6 * q) + 0.5
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
            return as_int(np.floor(xm - p1 * v + u))
        if u <= p2:
            x = xl + (u - p1) / c
            v = v * c + 1.0 - abs(m - x + 0.5) / p1
            if v > 1.0:
                continue
            y = as_int(np.floor(x))
        elif v == 0.0:
            continue
        elif u <= p3:
            y = as_int(np.floor(xl + np.log(v) / left))
            if y < 0:
                continue
            v = v * (u - p2) * left
        else:
            y = as_int(np.floor(xr - np.log(v) / right))
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
    a = np.log(v)
    if a < t - rho:
        return True
    if a > t + rho:
        return False
    x1, f1, z, w = y + 1.0, m + 1.0, n + 1.0 - m, n - y + 1.0
    bound = (
        xm * np.log(f1 / x1)
        + (n - m + 0.5) * np.log(z / w)
        + (y - m) * np.log(w * r / (x1 * q))
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
    return draws(_check_binomial, _binomial, np.int64, size, (n, p))


def _poisson(params):
    lam = float(params[0])
    if lam >= 10:
        return _poisson_large(lam)
    if lam == 0:
        return 0
    least = np.exp(-lam)
    k = 0
    product = np.random.random()
    while product > least:
        k += 1
        product *= np.random.random()
    return k


def _check_poisson(params, nan):
    lam = float(params[0])
    if lam < 0 or (lam != lam and nan == "is NaN"):
        raise ValueError(f"lam < 0 or lam {nan}")
    if not lam <= 2.0**63 - 10 * 2.0**31.5:
        raise ValueError("lam value too large")


def _poisson_large(lam):
    """Hörmann's transformed rejection."""
    slam = np.sqrt(lam)
    log_lam = np.log(lam)
    b = 0.931 + 2.53 * slam
    a = -0.059 + 0.02483 * b
    inverse = 1.1239 + 1.1328 / (b - 3.4)
    vr = 0.9277 - 3.6224 / (b - 2)
    while True:
        u = np.random.random() - 0.5
        v = np.random.random()
        us = 0.5 - abs(u)
        k = as_int(np.floor((2 * a / us + b) * u + lam + 0.43))
        if us >= 0.07 and v <= vr:
            return k
        if k < 0 or (us < 0.013 and v > us):
            continue
        log_v = np.log(v) + np.log(inverse) - np.log(a / (us * us) + b)
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
    g = s / x0 + 0.5 * 1.8378770664093453 + (x0 - 0.5) * np.log(x0) - x0
    for _ in range(n):
        x0 -= 1.0
        g -= np.log(x0)
    return g


def poisson(lam=1.0, size=None):
    """np.random.poisson."""
    return draws(_check_poisson, _poisson, np.int64, size, (lam,))


def _geometric(params):
    p = float(params[0])
    if p < 0.333333333333333333333333:
        return as_int(np.ceil(np.divide(np.log(1.0 - np.random.random()), np.log(1.0 - p))))
    k = 1
    total = p
    term = p
    u = np.random.random()
    while u > total:
        term *= 1.0 - p
        total += term
        k += 1
    return k


def _check_geometric(params, nan):
    if not 0 < params[0] <= 1:
        raise ValueError("p <= 0, p > 1 or p contains NaNs")


def geometric(p, size=None):
    """np.random.geometric."""
    return draws(_check_geometric, _geometric, np.int64, size, (p,))


def _negative_binomial(params):
    n, p = float(params[0]), float(params[1])
    return _poisson((np.divide(1 - p, p) * gamma_of((n,)),))


def _check_negative_binomial(params, nan):
    positive(params[0], "n")
    if not 0 <= params[1] <= 1:
        raise ValueError(f"p < 0, p > 1 or p {nan}")


def negative_binomial(n, p, size=None):
    """np.random.negative_binomial."""
    return draws(_check_negative_binomial, _negative_binomial, np.int64, size, (n, p))
