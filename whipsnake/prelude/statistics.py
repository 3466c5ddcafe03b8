"""Counts, order statistics, averages, covariances."""

import math

import numpy as np

from whipsnake.prelude.axes import normal_axes
from whipsnake.prelude.creation import asarray, asarray_or_number, linspace
from whipsnake.prelude.intrinsics import (
    axis_first,
    axis_insert,
    common_dtype,
    refuse,
    reshape,
    with_item,
)
from whipsnake.prelude.lines import each_pair
from whipsnake.prelude.reduce import is_float
from whipsnake.prelude.sorting import (
    is_complex,
    partition_all,
    searchsorted,
    sort_in_place,
)
from whipsnake.prelude.tuples import ascending, counted


# -- counts ---------------------------------------------------------------------------------------


def bincount(x, weights=None, minlength=0):
    """np.bincount."""
    a = asarray(x)
    if minlength < 0:
        raise ValueError("'minlength' must not be negative")
    n = minlength
    for i in range(a.shape[0]):
        if a[i] < 0:
            raise ValueError("'list' argument must have no negative elements")
        n = max(n, int(a[i]) + 1)
    if weights is None:
        counts = np.zeros(n, np.int64)
        for i in range(a.shape[0]):
            counts[a[i]] += 1
        return counts
    w = asarray(weights)
    if w.shape[0] != a.shape[0]:
        raise ValueError("The weights and list don't have the same length.")
    sums = np.zeros(n, np.float64)
    for i in range(a.shape[0]):
        sums[a[i]] += w[i]
    return sums


def histogram(a, bins=10, range=None, density=None, weights=None):
    """np.histogram: counts, or sums of weights, and the edges of the bins."""
    x = asarray(a).ravel()
    if isinstance(bins, str):
        refuse("bins by the name of an estimator: compute their number or edges first")
    w = None if weights is None else asarray(weights).ravel()
    if w is not None and w.shape[0] != x.shape[0]:
        raise ValueError("weights should have the same shape as a.")
    if isinstance(bins, int):
        first, last = _outer_edges(x, range)
        edges = _edges(first, last, bins, x, range is None)
        n = _count_equal(x, w, first, last, edges)
    else:
        edges = asarray(bins)
        if np.any(edges[:-1] > edges[1:]):
            raise ValueError("`bins` must increase monotonically, when an array")
        n = _count_between(x, w, edges)
    if density:
        return n / np.diff(edges).astype(np.float64) / np.sum(n), edges
    return n, edges


def histogram_bin_edges(a, bins=10, range=None, weights=None):
    """np.histogram_bin_edges."""
    x = asarray(a).ravel()
    if isinstance(bins, int):
        first, last = _outer_edges(x, range)
        return _edges(first, last, bins, x, range is None)
    return asarray(bins)


def _outer_edges(a, limits):
    """The range that is given, or that of the values; never empty."""
    if limits is not None:
        first, last = limits[0] * 1.0, limits[1] * 1.0
        if first > last:
            raise ValueError("max must be larger than min in range parameter.")
        if not (math.isfinite(first) and math.isfinite(last)):
            raise ValueError(f"supplied range of [{limits[0]}, {limits[1]}] is not finite")
    elif a.size == 0:
        first, last = 0.0, 1.0
    else:
        first, last = float(np.min(a)), float(np.max(a))
        if not (math.isfinite(first) and math.isfinite(last)):
            raise ValueError(f"autodetected range of [{first}, {last}] is not finite")
    if first == last:
        return first - 0.5, last + 0.5
    return first, last


def _edges(first, last, bins, a, own):
    """Edges between two numbers; `own`: those of the values, which have their dtype."""
    if bins < 1:
        raise ValueError("`bins` must be positive, when an integer")
    if own and is_float(a):
        edges = _even(first, last, bins, a.dtype)
    else:
        dtype = a.dtype if is_float(a) else np.dtype(np.float64)
        edges = linspace(first, last, bins + 1).astype(dtype)
    if np.any(edges[:-1] >= edges[1:]):
        raise ValueError(f"Too many bins for data range. Cannot create {bins} finite-sized bins.")
    return edges


def _even(first, last, bins, dtype):
    """linspace in floats of this width."""
    out = np.arange(bins + 1).astype(dtype)
    width = dtype.type(dtype.type(last) - dtype.type(first))
    out *= dtype.type(width / dtype.type(bins))
    out += dtype.type(first)
    out[-1] = last
    return out


def _counter(n, weights):
    """Zeros for the counts, or the sums of the weights."""
    if weights is None:
        return np.zeros(n, np.int64)
    return np.zeros(n, weights.dtype)


def _count_equal(a, weights, first, last, edges):
    """Bins of one width: the place is computed. Near an edge, as far as numbers are
    rounded, the edges themselves decide."""
    bins = edges.shape[0] - 1
    out = _counter(bins, weights)
    scale = bins / (last - first)
    if scale == math.inf:
        return _count_between(a, weights, edges)
    far = max(abs(first), abs(last)) / (last - first)
    middle = 0.5 - 8 * float(np.finfo(edges.dtype).eps) * bins * (1 + far)
    for i in range(a.shape[0]):
        if first <= a[i] <= last:
            x = (a[i] - first) * scale
            k = int(x)
            if abs(x - k - 0.5) >= middle:
                k = _bin_at(edges, edges.dtype.type(a[i]), min(k, bins - 1))
            out[k] += 1 if weights is None else weights[i]
    return out


def _bin_at(edges, v, k):
    """The bin of v, which is the k-th or next to it."""
    if v < edges[k]:
        return k - 1
    return k + 1 if v >= edges[k + 1] and k != edges.shape[0] - 2 else k


def _count_between(a, weights, edges):
    """Bins between any edges; the last one has both of its edges."""
    bins = edges.shape[0] - 1
    out = _counter(max(bins, 0), weights)
    for i in range(a.shape[0]):
        if bins > 0 and edges[0] <= a[i] <= edges[bins]:
            k = min(searchsorted(edges, a[i], "right") - 1, bins - 1)
            out[k] += 1 if weights is None else weights[i]
    return out


# -- order statistics -----------------------------------------------------------------------------


def _reduced(a, axis, dtype, m, arg, work):
    """m results of work(line, to, arg) for each line of these axes: shape (m,) + other axes."""
    if axis is None:
        flat = a.ravel()
        to = np.empty((m,), dtype)
        work(flat, to, arg)
        return to
    if isinstance(axis, tuple):
        b = _merged(a, normal_axes(axis, a.ndim))
    else:
        b = axis_first(a, axis)
    out = np.empty((m,) + b.shape[1:], dtype)
    each_pair(b, out, arg, work)
    return out


def _merged(a, axes):
    """The named axes as one, in front."""
    front = np.moveaxis(a, axes, counted(axes, 0))
    return np.reshape(front, (-1,) + front.shape[len(axes) :])


def _kept(r, a, axis):
    """The reduced axes again, of length 1; `r` has an axis in front for the results."""
    if axis is None:
        return reshape(np.ascontiguousarray(r), r.shape[:1] + (1,) * a.ndim)
    if isinstance(axis, tuple):
        return _insert_all(r, ascending(normal_axes(axis, a.ndim)))
    return axis_insert(r, (axis + a.ndim if axis < 0 else axis) + 1)


def _insert_all(r, axes):
    if len(axes) == 0:
        return r
    return _insert_all(axis_insert(r, axes[0] + 1), axes[1:])


def _value(r, out):
    if out is not None:
        out[...] = r
        return out
    return r


def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """np.median."""
    x = asarray(a)
    dtype = x.dtype if is_float(x) else np.dtype(np.float64)
    r = _reduced(x, axis, dtype, 1, 0, _median_line)
    return _value(_kept(r, x, axis)[0] if keepdims else r[0], out)


def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """np.nanmedian."""
    x = asarray(a)
    dtype = x.dtype if is_float(x) else np.dtype(np.float64)
    r = _reduced(x, axis, dtype, 1, 0, _nanmedian_line)
    return _value(_kept(r, x, axis)[0] if keepdims else r[0], out)


def _median_line(line, to, arg):
    to[0] = _middle(line[:].copy(), to)


def _nanmedian_line(line, to, arg):
    to[0] = _middle(_without_nan(line), to)


def _without_nan(line):
    if not is_float(line):
        return line[:].copy()
    return line[~np.isnan(line)]


def _has_nan(line):
    return is_float(line) and np.any(np.isnan(line))


def _middle(line, to):
    """The median of a line that is ours."""
    n = line.shape[0]
    if n == 0 or _has_nan(line):
        return to.dtype.type(math.nan)
    if is_complex(line):
        sort_in_place(line)
    else:
        _partition(line, (n - 1) // 2, n // 2)
    if n % 2 == 1:
        return to.dtype.type(line[n // 2])
    return to.dtype.type((to.dtype.type(line[n // 2 - 1]) + to.dtype.type(line[n // 2])) / 2)


def _partition(line, low, high):
    scratch = np.empty(line.shape[0], line.dtype)
    places = np.empty(2, np.int64)
    places[0] = low
    places[1] = high
    partition_all(line, scratch, places)


def percentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False):
    """np.percentile."""
    p = asarray_or_number(q) / 100
    _check_range(p, "Percentiles must be in the range [0, 100]")
    return _quantiles(asarray(a), p, axis, out, method, 1 if keepdims else None, _line)


def quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False):
    """np.quantile."""
    p = asarray_or_number(q)
    _check_range(p, "Quantiles must be in the range [0, 1]")
    return _quantiles(asarray(a), p, axis, out, method, 1 if keepdims else None, _line)


def nanpercentile(
    a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False
):
    """np.nanpercentile."""
    p = asarray_or_number(q) / 100
    _check_range(p, "Percentiles must be in the range [0, 100]")
    return _quantiles(asarray(a), p, axis, out, method, 1 if keepdims else None, _without_nan)


def nanquantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False):
    """np.nanquantile."""
    p = asarray_or_number(q)
    _check_range(p, "Quantiles must be in the range [0, 1]")
    return _quantiles(asarray(a), p, axis, out, method, 1 if keepdims else None, _without_nan)


def _line(line):
    return line[:].copy()


def _check_range(q, text):
    if not np.all((q >= 0) & (q <= 1)):
        raise ValueError(text)


def _is_discrete(method):
    return method == "lower" or method == "higher" or method == "nearest"


def _quantiles(a, q, axis, out, method, keep, own):
    """Of `own(line)` for each line."""
    if is_complex(a):
        raise TypeError("a must be an array of real numbers")
    p = asarray(q)
    qs = p.ravel().astype(np.float64)
    dtype = _quantile_dtype(a, q, method)
    r = _reduced(a, axis, dtype, qs.shape[0], (qs, method, own), _quantile_line)
    if keep is not None:
        r = np.ascontiguousarray(_kept(r, a, axis))
    if p.ndim == 0:
        return _value(r[0], out)
    return _value(reshape(r, p.shape + r.shape[1:]), out)


def _quantile_dtype(a, q, method):
    """A single quantile has the type of the floats, several have float64 at least; those of
    integers, 0 and 1, are elements."""
    if is_float(a) and not isinstance(q, np.ndarray):
        return a.dtype
    if isinstance(asarray(q).dtype.type(0), int) and method == "linear":
        return a.dtype
    if _is_discrete(method):
        return a.dtype
    return common_dtype((a, np.float64))


def _place(n, q, method):
    """Between which elements of n, in order, the quantile is."""
    if method == "linear":
        return (n - 1) * q
    if method == "lower":
        return float(math.floor((n - 1) * q))
    if method == "higher":
        return float(math.ceil((n - 1) * q))
    if method == "nearest":
        return float(round((n - 1) * q))
    if method == "midpoint":
        return 0.5 * (math.floor((n - 1) * q) + math.ceil((n - 1) * q))
    if method == "hazen":
        return n * q + 0.5 - 1
    if method == "weibull":
        return n * q + (0.0 + q) - 1
    if method == "median_unbiased":
        return n * q + (1 / 3.0 + q * (1 - 1 / 3.0 - 1 / 3.0)) - 1
    if method == "normal_unbiased":
        return n * q + (3 / 8.0 + q * (1 - 3 / 8.0 - 3 / 8.0)) - 1
    if method == "interpolated_inverted_cdf":
        return n * q + (0.0 + q * 0.0) - 1
    raise ValueError(f"'{method}' is not a valid method.")


def _quantile_line(line, to, arg):
    qs, method, own = arg
    v = own(line)
    n = v.shape[0]
    m = qs.shape[0]
    if n == 0 or _has_nan(v):
        for i in range(m):
            to[i] = math.nan if is_float(to) else 0
        return
    places = np.empty(2 * m, np.int64)
    for i in range(m):
        at = _place(n, qs[i], method)
        places[2 * i] = min(max(int(math.floor(at)), 0), n - 1)
        places[2 * i + 1] = min(max(int(math.floor(at)) + 1, 0), n - 1)
    sort_in_place(places)
    partition_all(v, np.empty(n, v.dtype), places)
    for i in range(m):
        at = _place(n, qs[i], method)
        below = int(math.floor(at))
        low, high = v[min(max(below, 0), n - 1)], v[min(max(below + 1, 0), n - 1)]
        if _is_discrete(method):
            to[i] = low
        else:
            to[i] = _between(to.dtype.type(low), to.dtype.type(high), at - below, method)


def _between(a, b, t, method):
    d = b - a
    if method == "midpoint":
        t = 0.0 if t == 0 else 0.5
    return b - d * type(d)(1 - t) if t >= 0.5 else a + d * type(d)(t)


# -- averages, covariances ------------------------------------------------------------------------


def average(a, axis=None, weights=None, returned=False, keepdims=False):
    """np.average."""
    x = asarray(a)
    if weights is None:
        return _plain_average(x, np.mean(x, axis, None, None, keepdims), 1 if returned else None)
    w = asarray(weights)
    dtype = common_dtype((x, w) if is_float(x) else (x, w, np.float64))
    if x.ndim != w.ndim:
        return _weighted(
            x, _along(w, x, axis), axis, dtype, 1 if returned else None, 1 if keepdims else None
        )
    if x.shape != w.shape:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    return _weighted(x, w, axis, dtype, 1 if returned else None, 1 if keepdims else None)


def _plain_average(a, m, returned):
    if returned is None:
        return m
    return m, _like(m, a.size / asarray(m).size)


def _like(m, v):
    if isinstance(m, np.ndarray):
        return np.full(m.shape, m.dtype.type(v))
    return v


def _along(w, a, axis):
    """Weights for one axis, as an array that is broadcast to `a`."""
    if axis is None:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    if w.shape[0] != a.shape[axis]:
        raise ValueError(
            "Shape of weights must be consistent with shape of a along specified axis."
        )
    return np.broadcast_to(reshape(w, with_item((1,) * a.ndim, axis, w.shape[0])), a.shape)


def _weighted(a, w, axis, dtype, returned, keep):
    total = np.sum(w, axis, dtype, None, keep is not None)
    if np.any(asarray(total) == 0.0):
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    m = np.sum(a.astype(dtype) * w.astype(dtype), axis, None, None, keep is not None) / total
    if returned is None:
        return m
    return m, total


def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None):
    """np.cov."""
    x = asarray(m)
    if x.ndim > 2:
        raise ValueError("m has more than 2 dimensions")
    if y is None:
        c = _cov(_rows(x, rowvar), bias, ddof, fweights, aweights)
        return _single(c) if x.ndim < 2 else c
    return _cov(
        np.concatenate((_rows(x, rowvar), _rows(asarray(y), rowvar)), 0),
        bias,
        ddof,
        fweights,
        aweights,
    )


def _single(c):
    """One variance as an array without axes."""
    out = np.empty((), c.dtype)
    out[()] = c[0, 0]
    return out


def _rows(a, rowvar):
    """A variable in each row, as floats of 64 bits."""
    dtype = common_dtype((a, np.float64))
    if a.ndim == 1:
        return a.astype(dtype)[None, :]
    if rowvar:
        return np.ascontiguousarray(a.astype(dtype))
    return np.ascontiguousarray(a.T.astype(dtype))


def _cov(x, bias, ddof, fweights, aweights):
    free = (0 if bias else 1) if ddof is None else ddof
    if fweights is None and aweights is None:
        d = x - np.mean(x, 1)[:, None]
        return np.dot(d, np.conj(d.T)) * _inverse(x.shape[1] - free)
    if aweights is None:
        w = asarray(fweights).astype(np.float64)
        total = np.sum(w)
        count = total - free
    elif fweights is None:
        w = asarray(aweights).astype(np.float64)
        total = np.sum(w)
        count = total - free * np.sum(w * w) / total
    else:
        a = asarray(aweights).astype(np.float64)
        w = asarray(fweights).astype(np.float64) * a
        total = np.sum(w)
        count = total - free * np.sum(w * a) / total
    e = x - (np.sum(x * w, 1) / total)[:, None]
    return np.dot(e, np.conj((e * w).T)) * _inverse(count)


def _inverse(n):
    return 1.0 / n if n > 0 else math.inf


def corrcoef(x, y=None, rowvar=True):
    """np.corrcoef."""
    c = cov(x, y, rowvar)
    if c.ndim == 0:
        return c / c
    n = c.shape[0]
    deviation = np.empty(n)
    for i in range(n):
        deviation[i] = math.sqrt(c[i, i].real)
    c = c / deviation[:, None] / deviation[None, :]
    return _clipped(c)


def _clipped(c):
    if is_complex(c):
        return np.clip(c.real, -1, 1) + 1j * np.clip(c.imag, -1, 1)
    return np.clip(c, -1, 1)
