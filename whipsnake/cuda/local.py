"""Memory that each thread has for itself."""


def array(shape, dtype, alignment=None):
    """A new array, one per thread. The shape (an int or a tuple of ints) and the dtype are
    constants: literals or captured values. Its elements have no value yet."""
    raise RuntimeError("cuda.local.array exists only in kernels and the functions that they call")
