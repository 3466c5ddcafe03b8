"""What kernels know about themselves. These names are compiled; called from Python they say so."""


def _refuse(name):
    raise RuntimeError(f"cuda.{name} exists only in kernels and the functions that they call")


class _Registers(type):
    """A class whose attributes x, y and z are numbers that each thread has."""

    def __getattr__(cls, name):
        if name in ("x", "y", "z"):
            _refuse(f"{cls.__name__}.{name}")
        raise AttributeError(f"cuda.{cls.__name__} has no attribute {name!r}; it has x, y, z")


class threadIdx(metaclass=_Registers):
    """Number of the thread in its block along x, y and z, from 0."""


class blockIdx(metaclass=_Registers):
    """Number of the block in the grid along x, y and z, from 0."""


class blockDim(metaclass=_Registers):
    """Threads of a block along x, y and z."""


class gridDim(metaclass=_Registers):
    """Blocks of the grid along x, y and z."""


def grid(ndim):
    """Number of the thread in the whole grid: an int for 1 dimension, a tuple for 2 and 3."""
    _refuse("grid")


def gridsize(ndim):
    """Threads of the whole grid: an int for 1 dimension, a tuple for 2 and 3."""
    _refuse("gridsize")


def syncthreads():
    """Wait until all threads of the block are here."""
    _refuse("syncthreads")
