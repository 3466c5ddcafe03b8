"""CUDA kernels in Python: written once, run natively on the CPU, compiled to PTX for GPUs.

    import numpy as np
    from whipsnake import cuda

    @cuda.jit
    def saxpy(a, x, y):
        i = cuda.grid(1)
        if i < x.size:
            y[i] += a * x[i]

    saxpy[4, 256](2.0, np.ones(1000), np.zeros(1000))

Arrays of NumPy can be passed straight in. `to_device` and `device_array` make arrays that stay on
the device, on which kernels run beside the program, in streams. The device is the CPU;
`compile_ptx` gives the code for a GPU as text.
"""

from whipsnake.cuda import _device, atomic, const, local, shared
from whipsnake.cuda._arguments import In, InOut, Out
from whipsnake.cuda._compile import (compile, compile_for_current_device, compile_ptx,
                                     compile_ptx_for_current_device)
from whipsnake.cuda._devices import (close, current_context, detect, get_current_device, gpus,
                                     is_available, is_supported_version, list_devices,
                                     open_ipc_array, profile_start, profile_stop, profiling,
                                     require_context, select_device)
from whipsnake.cuda._kernel import jit
from whipsnake.cuda._memory import (as_cuda_array, defer_cleanup, device_array, device_array_like,
                                    from_cuda_array_interface, from_dlpack, is_cuda_array,
                                    managed_array, mapped, mapped_array, mapped_array_like, pinned,
                                    pinned_array, pinned_array_like, to_device)
from whipsnake.cuda._streams import (default_stream, event, event_elapsed_time, external_stream,
                                     legacy_default_stream, per_thread_default_stream, stream,
                                     synchronize)

globals().update({name: getattr(_device, name) for name in _device.NAMES})
warpsize = 32

# Made when they are first asked for.
_SUBMODULES = frozenset(["cg", "fp16", "random"])
_WHERE = {"reduce": "_reduce", "Reduce": "_reduce"}
# Parts of the interface that do not exist yet; each says so when it is used.
_NOT_YET = frozenset("""declare_device libdevice bf16 compile_all RawModule inline_ptx
    ldca ldcg ldcs ldlu ldcv stcg stcs stwb stwt""".split())
_VECTORS = "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float32 float64 char uchar short " \
    "ushort int uint long ulong longlong ulonglong float double".split()


def __getattr__(name):
    from importlib import import_module

    if name in _SUBMODULES:
        return import_module(f"whipsnake.cuda.{name}")
    if name in _WHERE:
        return getattr(import_module(f"whipsnake.cuda.{_WHERE[name]}"), name)
    vector = name.rstrip("1234").rstrip("x") in _VECTORS and name[-1] in "1234"
    if name in _NOT_YET or vector:
        import whipsnake

        return whipsnake._NotBuiltYet(f"cuda.{name}")
    raise AttributeError(f"module 'whipsnake.cuda' has no attribute {name!r}")


__all__ = ["jit", "warpsize", "shared", "local", "const", "atomic", "compile", "compile_ptx",
           "compile_for_current_device", "compile_ptx_for_current_device", "In", "Out", "InOut",
           "close", "current_context", "detect", "get_current_device", "gpus", "is_available",
           "is_supported_version", "list_devices", "open_ipc_array", "profile_start",
           "profile_stop", "profiling", "require_context", "select_device", "as_cuda_array",
           "defer_cleanup", "device_array", "device_array_like", "from_cuda_array_interface",
           "from_dlpack", "is_cuda_array", "managed_array", "mapped", "mapped_array",
           "mapped_array_like", "pinned", "pinned_array", "pinned_array_like", "to_device",
           "default_stream", "event", "event_elapsed_time", "external_stream",
           "legacy_default_stream", "per_thread_default_stream", "stream", "synchronize",
           *_device.NAMES, *sorted(_SUBMODULES), *_WHERE]
