"""PTX from the same kernels, and that NVIDIA's assembler takes it.

ptxas is found on the PATH, in the toolkit, or in the wheel nvidia-cuda-nvcc; without it those tests
are skipped."""

import importlib.util
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
import test_atomics as atomics
import test_barriers as barriers
import test_guards as guards
import test_kernels as kernels
import test_kernel_memory as memory
import test_warps as warps

from whipsnake import cuda, errors, float32, int64

ARCHITECTURES = [(7, 5), (8, 0), (8, 6), (9, 0), (10, 0), (12, 0)]


def find_ptxas():
    """The path of ptxas, or None."""
    found = shutil.which("ptxas")
    places = [Path("/usr/local/cuda/bin/ptxas")]
    nvidia = importlib.util.find_spec("nvidia")
    for folder in nvidia.submodule_search_locations if nvidia else ():
        places += sorted(Path(folder).glob("**/bin/ptxas"))
    return found or next((str(p) for p in places if p.is_file()), None)


PTXAS = find_ptxas()
needs_ptxas = pytest.mark.skipif(
    PTXAS is None, reason="no ptxas: install the CUDA toolkit, or pip install nvidia-cuda-nvcc")

f32x1, f64x1, f64x2, f32x2 = "float32[::1]", "float64[:]", "float64[:, :]", "float32[:, ::1]"
KERNELS = [
    (kernels.saxpy, f"void(float32, {f32x1}, {f32x1}, int64)"),
    (kernels.saxpy_returning_early, f"void(float64, {f64x1}, {f64x1})"),
    (kernels.add_2d, f"void({f64x2}, {f64x2}, {f64x2})"),
    (kernels.number_3d, "void(int64[:, :, ::1])"),
    (kernels.tiled_product, f"void({f32x2}, {f32x2}, {f32x2})"),
    (kernels.padded_product, f"void({f64x2}, {f64x2}, {f64x2})"),
    (kernels.block_sums, f"void({f64x1}, {f64x1})"),
    (kernels.rotate, f"void({f64x1}, int64)"),
    (kernels.uniform_branch, f"void({f64x1}, int32)"),
    (kernels.guard_before_barrier, f"void({f64x1}, {f64x1}, int64)"),
    (kernels.mandel, "void(int32[:, ::1], int64, int64, int64)"),
    (kernels.many_ways, "void(int64[::1], int64[::1])"),
    (kernels.grid_stride, f"void({f64x1}, {f64x1})"),
    (kernels.calls, f"void({f64x1})"),
    (kernels.divide, "void(int64[::1], int64[::1], float64[:, ::1])"),
    (kernels.complain, "void(int64[::1])"),
    (kernels.carry_through_nests, f"void({f64x1}, int64, int64)"),
    (kernels.polynomial, f"void({f64x1}, {f64x1}, {f64x2})"),
    *[(kernel, f"void({t}[::1], int64, {t}[:, ::1])") for kernel in [warps.shuffles]
      for t in ("int32", "int64", "uint8", "float32", "float64")],
    (warps.groups, "void(int64[::1], int64[:, ::1])"),
    *[(warps.votes, f"void({t}[::1], int64, int64[:, ::1])")
      for t in ("int32", "int64", "bool", "float64")],
    *[(warps.reductions, f"void({t}[::1], {t}[:, ::1])")
      for t in ("int32", "uint32", "int64", "uint64", "float32", "float64")],
    *[(warps.bit_reductions, f"void({t}[::1], {t}[:, ::1])") for t in ("int32", "uint64")],
    (warps.masked, "void(int64[::1], int64[::1])"),
    (warps.masks_by_activemask, "void(int64[::1], int64[::1])"),
    (warps.warp_sums, f"void({f32x1}, {f32x1})"),
    (warps.scan, f"void({f64x1}, {f64x1})"),
    (warps.blocks_of_two_axes, "void(int64[::1], int64[::1])"),
    (warps.guarded, "void(int64[::1], int64, int64[::1])"),
    (warps.exchange, "void(int32[::1])"),
    (warps.tiles, "void(int64[::1], int64[:, ::1])"),
    *[(atomics.KERNELS[name], f"void({t}[::1], {t}[::1], {t}[::1], {t}[::1])")
      for name, t in [(name, np.dtype(t).name) for name, t in atomics.ROWS]],
    (atomics.histogram, "void(uint8[::1], int32[::1])"),
    (atomics.tickets, "void(int64[::1], int64[::1])"),
    (atomics.in_matrices, "void(float64[:, :], int32[:, :], float64[:, :])"),
    (atomics.swaps, "void(float32[::1], float32, float32, float32[::1])"),
    (atomics.locked, "void(int32[::1], int64[::1])"),
    (atomics.halves, "void(float16[::1], float16[::1], float16[::1])"),
    (atomics.small_integers, "void(uint8[::1], int16[::1])"),
    (barriers.return_on_data, f"void({f64x1}, {f64x1})"),
    (barriers.loops_of_different_length, "void(int64[::1], int64[::1])"),
    (barriers.uniform_loop_on_data, "void(int64[::1], int64[::1])"),
    (barriers.votes, "void(int64[::1], int64[:, ::1])"),
    (barriers.uniform_votes, "void(int64[::1], int64[::1])"),
    (barriers.assertion, f"void({f64x1})"),
    (memory.dynamic, f"void({f32x1})"),
    (memory.carved, f"void({f32x1}, int64)"),
    (memory.both, f"void({f64x1}, {f64x1})"),
    (memory.local, f"void({f64x1}, {f64x1})"),
    (memory.local_across_barriers, "void(int64[::1])"),
    (memory.constants, f"void({f64x1})"),
    (guards.while_stride, f"void({f64x1}, {f64x1}, int64)"),
    (guards.inner, f"void({f64x2}, int64, int64)"),
    *[(guards.functions, f"void({t}[:, :])") for t in ("float32", "float64")],
]


@needs_ptxas
@pytest.mark.parametrize("cc", ARCHITECTURES, ids=lambda cc: f"sm_{cc[0]}{cc[1]}")
@pytest.mark.parametrize("kernel, signature", KERNELS, ids=lambda k: getattr(k, "__name__", ""))
def test_ptxas_takes_it(kernel, signature, cc, tmp_path):
    ptx, result = cuda.compile_ptx(kernel, signature, cc=cc)
    assert result is None
    assert f".visible .entry {kernel.__name__}(" in ptx
    (tmp_path / "k.ptx").write_text(ptx)
    command = [PTXAS, f"-arch=sm_{cc[0]}{cc[1]}", "k.ptx", "-o", "k.cubin"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert (tmp_path / "k.cubin").stat().st_size > 0


def ptx_of(kernel, signature, **options):
    return cuda.compile_ptx(kernel, signature, **options)[0]


def test_shape_of_the_code():
    ptx = ptx_of(kernels.tiled_product, KERNELS[4][1])
    assert ".target sm_75" in ptx
    assert ptx.count("bar.sync") == 2
    assert len(re.findall(r"\.shared \.align \d+ \.b8 \w+\[256\]", ptx)) == 2
    assert "ld.shared.f32" in ptx and "st.shared.f32" in ptx
    assert "ld.global.f32" in ptx and "st.global.f32" in ptx
    assert not re.search(r"\b(ld|st)\.f32", ptx)  # no generic addresses left
    assert "fma.rn.f32" in ptx and "mul.f32" not in ptx
    assert "call" not in ptx and "trap" not in ptx


def test_arguments_are_scalars():
    ptx = ptx_of(kernels.add_2d, "void(float64[:, ::1], float64[:, :], float32[::1, :])")
    head = ptx[ptx.index(".entry"):ptx.index(")\n{")]
    assert head.count(".param .u64") == 3 + 5 + 3  # address and shape; strides of the second


def test_fma_is_an_option():
    assert "fma.rn.f32" not in ptx_of(kernels.saxpy, KERNELS[0][1], fma=False)
    assert "mul.rn.f32" in ptx_of(kernels.saxpy, KERNELS[0][1], fma=False)


def test_checks_are_an_option():
    plain, checked = (ptx_of(kernels.saxpy, KERNELS[0][1], boundscheck=b) for b in (False, True))
    assert plain.count("setp") == 1 < checked.count("setp")


def test_targets():
    assert ".target sm_80" in ptx_of(kernels.saxpy, KERNELS[0][1], cc=(8, 0))
    assert ".target sm_90" in ptx_of(kernels.saxpy, KERNELS[0][1], cc=(12, 0))  # newer GPUs run it
    for cc in ((3, 5), "sm_75", 7):
        with pytest.raises(ValueError):
            ptx_of(kernels.saxpy, KERNELS[0][1], cc=cc)


def test_signatures_and_functions():
    assert ptx_of(kernels.saxpy.py_func, (float32, float32[::1], float32[::1], int64)) == \
        ptx_of(kernels.saxpy, KERNELS[0][1])
    with pytest.raises(TypeError, match="a kernel returns nothing"):
        ptx_of(kernels.saxpy, "int64(float32, float32[::1], float32[::1], int64)")


def test_names_are_mangled():
    @cuda.jit
    def kernel_größe(x):
        x[0] = 1

    ptx = ptx_of(kernel_größe, "void(float64[::1])")
    assert ".entry kernel_gr_c3__b6__c3__9f_e(" in ptx


def test_what_needs_a_runtime_is_refused():
    def make(x):
        x[0] = np.empty(3)[0]

    def speak(x):
        print(x[0])

    for kernel, text in [
        (make, "making an array in a kernel"),
        (speak, "what needs the runtime library"),
    ]:
        with pytest.raises(errors.UnsupportedError, match=text):
            ptx_of(kernel, "void(float64[::1])")


    with pytest.raises(errors.UnsupportedError, match="a barrier of the whole grid"):
        ptx_of(warps.over_the_grid, "void(float64[::1], float64[::1])")


def test_math_functions_are_libdevices():
    ptx = ptx_of(guards.functions, "void(float32[:, :])")
    assert "__nv_" not in ptx and "call" not in ptx and "sqrt.rn.f32" in ptx


def test_libdevice_may_be_missing(monkeypatch):
    monkeypatch.setenv("WHIPSNAKE_LIBDEVICE", "/nowhere")
    with pytest.raises(errors.UnsupportedError, match="without libdevice"):
        ptx_of(guards.functions, "void(float32[:, :])")


def test_properties_from_the_ptx():
    args = "void(float32[:, ::1], float32[:, ::1], float32[:, ::1])"
    assert kernels.tiled_product.get_shared_mem_per_block(args) == 512
    assert memory.local.get_local_mem_per_thread("void(float64[:], float64[:])") in (0, 48)
    assert memory.constants.get_const_mem_size("void(float64[:])") == 88
    assert kernels.saxpy.get_max_threads_per_block(KERNELS[0][1]) == 1024


def test_no_current_device():
    for compile in (cuda.compile_ptx_for_current_device, cuda.compile_for_current_device):
        with pytest.raises(RuntimeError, match="there is no current device"):
            compile(kernels.saxpy, KERNELS[0][1])
    with pytest.raises(errors.UnsupportedError, match="not built yet"):
        cuda.compile(kernels.saxpy, KERNELS[0][1], output="ltoir")
    with pytest.raises(errors.UnsupportedError, match="not built yet"):
        cuda.compile_ptx(kernels.saxpy, KERNELS[0][1], device=True)
