"""What kernels know about themselves and do together. These names are compiled; called from Python
they say so."""


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


class _Lane:
    """Number of the thread in its warp, from 0. Read it as cuda.laneid in a kernel."""

    def __repr__(self):
        return "<cuda.laneid, which only threads of a kernel have>"

    def __index__(self):
        _refuse("laneid")


laneid = _Lane()


def _kernel_only(name, parameters, doc):
    """A function that only compiled code calls."""
    names = {"_refuse": _refuse}
    exec(f"def {name}({parameters}):\n    _refuse({name!r})\n", names)
    function = names[name]
    function.__doc__ = doc
    function.__module__ = __name__
    return function


_MASK = "`mask` has a bit for each lane of the warp that takes part; all of them must come here."
_FUNCTIONS = {
    "grid": ("ndim", "Number of the thread in the whole grid: an int for 1 dimension, a tuple for "
                     "2 and 3."),
    "gridsize": ("ndim", "Threads of the whole grid: an int for 1 dimension, a tuple for 2 and 3."),
    "lanemask_lt": ("", "A bit for each lane of the warp before this thread's."),
    "thread_rank": ("", "Number of the thread in its block, along x, then y, then z."),
    "sync_grid": ("", "Wait until all threads of the grid are here."),
    "syncthreads": ("", "Wait until all threads of the block are here."),
    "syncthreads_count": ("predicate", "The same; for how many threads is the predicate true."),
    "syncthreads_and": ("predicate", "The same; is the predicate true for all threads: 1 or 0."),
    "syncthreads_or": ("predicate", "The same; is the predicate true for any thread: 1 or 0."),
    "syncwarp": ("mask=0xffffffff", f"Wait until all lanes of the mask are here. {_MASK}"),
    "threadfence_block": ("", "What was written before is seen by the block before what follows."),
    "threadfence": ("", "What was written before is seen by the device before what follows."),
    "threadfence_system": ("", "What was written before is seen by all before what follows."),
    "nanosleep": ("ns", "Give other threads a moment: at most twice `ns` nanoseconds."),
    "shfl_sync": ("mask, value, src_lane, width=32",
                  f"The value that lane `src_lane` of the warp gives. {_MASK}"),
    "shfl_up_sync": ("mask, value, delta, width=32",
                     f"The value of the lane `delta` before this one. {_MASK}"),
    "shfl_down_sync": ("mask, value, delta, width=32",
                       f"The value of the lane `delta` behind this one. {_MASK}"),
    "shfl_xor_sync": ("mask, value, lane_mask, width=32",
                      f"The value of the lane whose number differs in these bits. {_MASK}"),
    "all_sync": ("mask, predicate", f"Is the predicate true for all lanes. {_MASK}"),
    "any_sync": ("mask, predicate", f"Is the predicate true for any lane. {_MASK}"),
    "eq_sync": ("mask, predicate", f"Is the predicate the same for all lanes. {_MASK}"),
    "ballot_sync": ("mask, predicate", f"A mask of the lanes where it is true. {_MASK}"),
    "match_any_sync": ("mask, value", f"A mask of the lanes with the same value. {_MASK}"),
    "match_all_sync": ("mask, value",
                       f"(mask, True) if all lanes have the same value, else (0, False). {_MASK}"),
    "reduce_add_sync": ("mask, value", f"The sum over the lanes. {_MASK}"),
    "reduce_min_sync": ("mask, value", f"The least of the lanes' values. {_MASK}"),
    "reduce_max_sync": ("mask, value", f"The greatest of the lanes' values. {_MASK}"),
    "reduce_and_sync": ("mask, value", f"The bits that all lanes have. {_MASK}"),
    "reduce_or_sync": ("mask, value", f"The bits that any lane has. {_MASK}"),
    "reduce_xor_sync": ("mask, value", f"The bits that an odd number of lanes have. {_MASK}"),
    "activemask": ("", "A mask of the lanes that are here together."),
    "popc": ("x", "How many bits of the integer are set."),
    "clz": ("x", "How many bits of the integer are 0 before the first that is set."),
    "ffs": ("x", "Number of the lowest bit that is set, from 1; 0 if none is."),
    "brev": ("x", "The integer with its bits in the other order."),
    "fma": ("a, b, c", "a * b + c, rounded once."),
    "cbrt": ("a", "The cube root."),
    "rsqrt": ("a", "1 / sqrt(a)."),
    "selp": ("a, b, c", "b if a is not 0, else c, without a branch."),
}
globals().update({name: _kernel_only(name, *row) for name, row in _FUNCTIONS.items()})
NAMES = [name for name in _FUNCTIONS if name not in ("thread_rank", "sync_grid")]
NAMES += ["threadIdx", "blockIdx", "blockDim", "gridDim", "laneid"]
