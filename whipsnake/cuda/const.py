"""Memory that no thread writes."""


def array_like(ary):
    """A captured NumPy array, to be read only."""
    raise RuntimeError("cuda.const.array_like exists only in kernels and the functions that they "
                       "call")
