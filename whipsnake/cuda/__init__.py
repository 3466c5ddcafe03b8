"""CUDA kernels in Python: written once, run natively on the CPU, compiled to PTX for GPUs.

    import numpy as np
    from whipsnake import cuda

    @cuda.jit
    def saxpy(a, x, y):
        i = cuda.grid(1)
        if i < x.size:
            y[i] += a * x[i]

    saxpy[4, 256](2.0, np.ones(1000), np.zeros(1000))

Kernels run on the CPU so far; `compile_ptx` gives the code for a GPU as text.
"""

from whipsnake.cuda import shared
from whipsnake.cuda._compile import (compile, compile_for_current_device, compile_ptx,
                                     compile_ptx_for_current_device)
from whipsnake.cuda._device import (blockDim, blockIdx, grid, gridDim, gridsize, syncthreads,
                                    threadIdx)
from whipsnake.cuda._kernel import jit

# Parts of the interface that do not exist yet; each says so when it is used.
_NOT_YET = frozenset("""
    local const laneid syncwarp syncthreads_count syncthreads_and syncthreads_or threadfence
    threadfence_block threadfence_system atomic all_sync any_sync eq_sync ballot_sync shfl_sync
    shfl_up_sync shfl_down_sync shfl_xor_sync match_any_sync match_all_sync activemask lanemask_lt
    popc brev clz ffs selp fma cbrt nanosleep cg fp16 random reduce Reduce to_device device_array
    device_array_like pinned_array pinned_array_like mapped_array mapped_array_like managed_array
    pinned mapped as_cuda_array from_cuda_array_interface is_cuda_array defer_cleanup In Out InOut
    stream default_stream legacy_default_stream per_thread_default_stream external_stream event
    event_elapsed_time gpus list_devices select_device get_current_device current_context
    require_context close detect synchronize profile_start profile_stop profiling
    open_ipc_array declare_device""".split())
warpsize = 32


def is_available():
    """Is there a GPU that kernels run on? Not yet: they run on the CPU."""
    return False


def __getattr__(name):
    if name in _NOT_YET:
        import whipsnake

        return whipsnake._NotBuiltYet(f"cuda.{name}")
    raise AttributeError(f"module 'whipsnake.cuda' has no attribute {name!r}")


__all__ = ["jit", "grid", "gridsize", "threadIdx", "blockIdx", "blockDim", "gridDim", "warpsize",
           "is_available", "shared", "syncthreads", "compile", "compile_ptx",
           "compile_for_current_device", "compile_ptx_for_current_device"]
