"""Memory that the threads of a block share."""


def array(shape, dtype, alignment=None):
    """A new array, one per block. The shape (an int or a tuple of ints) and the dtype are
    constants: literals or captured values. Its elements have no value yet."""
    raise RuntimeError("cuda.shared.array exists only in kernels and the functions that they call")
