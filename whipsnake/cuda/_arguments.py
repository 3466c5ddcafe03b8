"""Arguments of a launch that are neither numbers nor arrays: called by the launch in C."""

import numpy as np

from whipsnake import _core


class _Wrapped:
    """An array as argument of a launch, with what happens to its elements."""

    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value

    def __repr__(self):
        return f"cuda.{type(self).__name__}({self.value!r})"


class In(_Wrapped):
    """Copied to the device before the launch: what the kernel writes stays there."""


class Out(_Wrapped):
    """Copied back after the launch; the kernel gets elements without a value."""


class InOut(_Wrapped):
    """Copied to the device and back. Arrays of NumPy that are passed by themselves are this."""


def as_argument(obj):
    """(what compiled code takes, whether the launch must be done when it returns)."""
    if isinstance(obj, _core.DeviceArray):
        return _core.device_view(obj), False
    if isinstance(obj, _Wrapped):
        value, waits = as_argument(obj.value)
        if isinstance(obj, In) and isinstance(value, np.ndarray) and waits:
            value = value.copy(order="K")
        return value, waits
    if isinstance(obj, np.ndarray) and not hasattr(obj, "__cuda_array_interface__"):
        return np.asarray(obj), True
    if isinstance(obj, tuple):
        pairs = [as_argument(item) for item in obj]
        items = [value for value, _ in pairs]
        made = type(obj)(*items) if hasattr(obj, "_fields") else tuple(items)
        return made, any(waits for _, waits in pairs)
    if hasattr(obj, "__cuda_array_interface__"):
        from whipsnake.cuda._memory import as_cuda_array

        return _core.device_view(as_cuda_array(obj)), False
    if isinstance(obj, memoryview) or hasattr(obj, "__array_interface__"):
        return np.asarray(obj), True
    return obj, False
