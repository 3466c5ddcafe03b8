"""`cuda.reduce`: join the elements of an array with a function of two."""

import numpy as np

from whipsnake import _core
from whipsnake.cuda._memory import as_cuda_array, is_cuda_array
from whipsnake.cuda._streams import as_stream


def _make(functor):
    """A kernel-like compiled function: the elements of each of a few runs, then those of all runs,
    in order, so that the result does not depend on the number of threads."""
    from whipsnake.decorators import njit

    join = njit(error_model="numpy")(functor)

    @njit(error_model="numpy", nogil=True)
    def run(ary, init):
        lanes = 16
        rest = ary.size // lanes * lanes
        if rest:
            parts = np.empty(lanes, ary.dtype)
            for k in range(lanes):
                parts[k] = ary[k]
            for i in range(lanes, rest, lanes):
                for k in range(lanes):
                    parts[k] = join(parts[k], ary[i + k])
            for k in range(lanes):
                init[0] = join(init[0], parts[k])
        for i in range(rest, ary.size):
            init[0] = join(init[0], ary[i])

    return run


class Reduce:
    """A function that joins all elements of an array of one axis with `functor`, a function of two
    numbers that may be applied in any order: sum = cuda.reduce(lambda a, b: a + b)."""

    def __init__(self, functor):
        from whipsnake.cuda._kernel import Kernel

        if isinstance(functor, (_core.Dispatcher, Kernel)):
            functor = functor.py_func
        self.functor = functor
        self.__name__ = getattr(functor, "__name__", "reduce")
        self.__doc__ = functor.__doc__
        self._run = _make(functor)

    def __call__(self, arr, size=None, res=None, init=0, stream=0):
        """Join `init` and the elements (the first `size`). res: an array of the device whose first
        element gets the result, which is not returned then."""
        as_stream(stream).synchronize()
        view = _core.device_view(as_cuda_array(arr)) if is_cuda_array(arr) else np.asarray(arr)
        if view.ndim != 1:
            raise TypeError(f"cuda.reduce takes arrays of one axis, not of {view.ndim}")
        if size is not None:
            if not 0 <= size <= view.size:
                raise ValueError(f"size is {size}, but the array has {view.size} elements")
            view = view[:size]
        total = np.full(1, init, view.dtype)
        self._run(view, total)
        if res is None:
            return total[0]
        res[0] = total[0]
        return None

    def __repr__(self):
        return f"<cuda.reduce of {self.functor!r}>"


reduce = Reduce
