"""Cooperative groups: the block, the grid, and parts of a warp as objects that wait together."""

from whipsnake.cuda import _device
from whipsnake.extending import overload, overload_attribute, overload_method


def this_grid():
    """All threads of the grid: .sync(), .size, .thread_rank()."""
    _device._refuse("cg.this_grid")


def this_block():
    """All threads of the block: .sync(), .size, .thread_rank()."""
    _device._refuse("cg.this_block")


def tiled_partition(group, size):
    """The thread's part of a block, of 1, 2, 4 ... 32 threads with successive numbers: .sync(),
    .size, .thread_rank(), .shfl(), .shfl_up(), .shfl_down(), .shfl_xor(), .all(), .any(),
    .ballot()."""
    _device._refuse("cg.tiled_partition")
