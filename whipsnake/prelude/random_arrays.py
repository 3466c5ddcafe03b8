"""Arrays of random numbers, in the order of draws of NumPy's legacy generator."""

import numpy as np

from whipsnake.prelude.intrinsics import reshape


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


def exponential(scale=1.0, size=None):
    """np.random.exponential."""
    if scale < 0:
        raise ValueError("scale < 0")
    if size is None:
        return scale * np.random.standard_exponential()
    out = standard_exponential(size)
    flat = reshape(out, out.size)
    for i in range(flat.shape[0]):
        flat[i] = scale * flat[i]
    return out


def randint(low, high, size):
    """np.random.randint(low, high, size)."""
    out = np.empty(size, np.int64)
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


def choice(a, size=None):
    """np.random.choice with replacement and equal chances, from an int's range or an array."""
    if isinstance(a, int):
        if size is None:
            return np.random.randint(0, a)
        return randint(0, a, size)
    if size is None:
        return a[np.random.randint(0, a.shape[0])]
    return a[randint(0, a.shape[0], size)]
