"""What vectorize and guvectorize give for target="cuda": a ufunc on arrays of the device too."""

import numpy as np

from whipsnake import _core
from whipsnake.cuda._memory import DeviceNDArray, as_cuda_array, is_cuda_array
from whipsnake.cuda._streams import as_stream


class DeviceUfunc:
    """A ufunc on arrays of NumPy and of the device, which are broadcast. If any argument lies on
    the device, the result does; it is in order with the work of `stream`. Its other attributes are
    those of the ufunc of the CPU."""

    def __init__(self, ufunc):
        self._ufunc = ufunc
        self.__name__ = ufunc.__name__
        self.__doc__ = ufunc.__doc__

    def __call__(self, *args, out=None, stream=0, **options):
        """Call it; `stream` is that of what was queued before."""
        on_device = any(is_cuda_array(a) for a in args)
        as_stream(stream).synchronize()
        outs = out if isinstance(out, tuple) else (out,)
        if any(o is not None for o in outs):
            options["out"] = tuple(_view(o) for o in outs)
        result = self._ufunc(*(_view(a) for a in args), **options)
        if any(is_cuda_array(o) for o in outs):
            return out if not isinstance(out, tuple) or len(out) > 1 else out[0]
        if not on_device:
            return result
        if isinstance(result, tuple):
            return tuple(DeviceNDArray(np.asarray(r)) for r in result)
        return None if result is None else DeviceNDArray(np.asarray(result))

    def reduce(self, arg, stream=0):
        """Join the elements of an array of one axis, two and two."""
        as_stream(stream).synchronize()
        return self._ufunc.reduce(_view(arg))

    @property
    def max_blocksize(self):
        """The most threads of a block."""
        return getattr(self, "_max_blocksize", 1024)

    @max_blocksize.setter
    def max_blocksize(self, value):
        self._max_blocksize = value

    def __getattr__(self, name):
        return getattr(self._ufunc, name)

    def __repr__(self):
        return f"<cuda ufunc {self.__name__!r}>"


def _view(obj):
    """What the ufunc of the CPU takes for an argument."""
    if isinstance(obj, _core.DeviceArray):
        return _core.device_view(obj)
    if not isinstance(obj, np.ndarray) and is_cuda_array(obj):
        return _core.device_view(as_cuda_array(obj))
    return obj
