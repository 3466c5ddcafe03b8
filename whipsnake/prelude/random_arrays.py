"""Arrays of random numbers, in the order of draws of NumPy's legacy generator."""

import numpy as np

from whipsnake.prelude.creation import asarray
from whipsnake.prelude.intrinsics import reshape
from whipsnake.prelude.tuples import as_tuple, check_view, product


def random(size):
    """np.random.random(size)."""
    out = np.empty(size)
    flat = reshape(out, out.size)
    for i in range(flat.shape[0]):
        flat[i] = np.random.random()
    return out


def standard_normal(size):
    """np.random.standard_normal(size)."""
    out = np.empty(size)
    flat = reshape(out, out.size)
    for i in range(flat.shape[0]):
        flat[i] = np.random.standard_normal()
    return out


def normal(loc, scale, size):
    """np.random.normal(loc, scale, size)."""
    out = np.empty(size)
    flat = reshape(out, out.size)
    for i in range(flat.shape[0]):
        flat[i] = np.random.normal(loc, scale)
    return out


def uniform(low, high, size):
    """np.random.uniform(low, high, size)."""
    out = np.empty(size)
    flat = reshape(out, out.size)
    for i in range(flat.shape[0]):
        flat[i] = np.random.uniform(low, high)
    return out


def standard_exponential(size):
    """np.random.standard_exponential(size)."""
    out = np.empty(size)
    flat = reshape(out, out.size)
    for i in range(flat.shape[0]):
        flat[i] = np.random.standard_exponential()
    return out


def check_bounds(low, high, dtype):
    """Are all numbers from low up to high of this dtype?"""
    least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
    if low < least:
        raise ValueError(f"low is out of bounds for {np.dtype(dtype).name}")
    if high - 1 > most:
        raise ValueError(f"high is out of bounds for {np.dtype(dtype).name}")


def randint(low, high, size, dtype=np.int64):
    """np.random.randint(low, high, size, dtype); of 32 or 64 bits: others are drawn otherwise."""
    out = np.empty(size, dtype)
    check_bounds(low, high, dtype)
    flat = reshape(out, out.size)
    for i in range(flat.shape[0]):
        flat[i] = np.random.randint(low, high)
    return out


def shuffle(x):
    """np.random.shuffle of an array, along its first axis."""
    if x.ndim == 1:
        for i in range(x.shape[0] - 1, 0, -1):
            j = np.random.randint(i + 1)
            kept = x[i]
            x[i] = x[j]
            x[j] = kept
    else:
        for i in range(x.shape[0] - 1, 0, -1):
            j = np.random.randint(i + 1)
            if i != j:
                kept = x[i].copy()
                x[i] = x[j]
                x[j] = kept


def permutation(x):
    """np.random.permutation of an int (its range) or an array (a shuffled copy)."""
    if isinstance(x, int):
        out = np.arange(x)
    else:
        out = x.copy()
    shuffle(out)
    return out


def choice(a, size=None, replace=True, p=None):
    """np.random.choice from an int's range or an array with one axis."""
    if isinstance(a, int):
        if a <= 0 and count_of(size) > 0:
            raise ValueError("a must be greater than 0 unless no samples are taken")
        return _places(a, size, replace, p)
    items = asarray(a)
    if items.ndim != 1:
        raise ValueError("a must be 1-dimensional")
    if items.shape[0] == 0 and count_of(size) > 0:
        raise ValueError("'a' cannot be empty unless no samples are taken")
    return items[_places(items.shape[0], size, replace, p)]


def count_of(size):
    """How many a size asks for; None is one."""
    return 1 if size is None else product(as_tuple(size))


def _places(n, size, replace, p):
    """Which of n items are chosen."""
    if size is not None:
        check_view(as_tuple(size), 8)
    if not replace and count_of(size) > n:
        raise ValueError("Cannot take a larger sample than population when 'replace=False'")
    if p is not None:
        chances = asarray(p).astype(np.float64)
        _check_chances(chances, n)
        if size is None:
            return np.searchsorted(_distribution(chances), np.random.random(), "right")
        if replace:
            return np.searchsorted(_distribution(chances), random(size), "right")
        return reshape(_unique_by(chances, count_of(size)), size)
    if size is None:
        return np.random.randint(0, n) if replace else permutation(n)[0]
    if replace:
        return randint(0, n, size)
    return reshape(permutation(n)[: count_of(size)], size)


def _check_chances(p, n):
    if p.shape[0] != n:
        raise ValueError("'a' and 'p' must have same size")
    total = 0.0
    for i in range(n):
        if not p[i] >= 0:
            raise ValueError(
                "probabilities contain NaN"
                if p[i] != p[i]
                else "probabilities are not non-negative"
            )
        total += p[i]
    if abs(total - 1.0) > 1.5e-8:
        raise ValueError("probabilities do not sum to 1")


def _distribution(p):
    sums = np.cumsum(p)
    return sums / sums[-1]


def _unique_by(p, count):
    """Places without repetition: what was drawn twice is drawn again, among the rest."""
    if np.count_nonzero(p > 0) < count:
        raise ValueError("Fewer non-zero entries in p than size")
    found = np.zeros(count, np.int64)
    k = 0
    while k < count:
        x = random(count - k)
        for i in range(k):
            p[found[i]] = 0
        new = np.searchsorted(_distribution(p), x, "right")
        start = k
        for i in range(new.shape[0]):
            if not _is_in(found[start:k], new[i]):
                found[k] = new[i]
                k += 1
    return found


def _is_in(found, v):
    for i in range(found.shape[0]):
        if found[i] == v:
            return True
    return False
