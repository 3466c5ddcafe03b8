"""Looking for values."""


def contains(a, value):
    """`value in a`, over all elements."""
    if a.ndim > 1:
        for i in range(a.shape[0]):
            if contains(a[i], value):
                return True
        return False
    for i in range(a.shape[0]):
        if a[i] == value:
            return True
    return False
