"""Memory that the threads of a block share."""


def array(shape, dtype, alignment=None):
    """A new array, one per block. The shape (an int or a tuple of ints) and the dtype are
    constants: literals or captured values. Its elements have no value yet.

    With shape 0 it is the memory that the launch adds, kernel[grid, block, stream, bytes]: all such
    arrays are the same memory; slices of one of them make several."""
    raise RuntimeError("cuda.shared.array exists only in kernels and the functions that they call")
