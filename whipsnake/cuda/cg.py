"""Cooperative groups: the grid, the block, and parts of a warp as objects whose threads wait for
each other.

    group = cuda.cg.this_grid();  group.sync()
    tile = cuda.cg.tiled_partition(cuda.cg.this_block(), 8);  v = tile.shfl(v, 0)

These are plain functions that kernels compile; groups are named tuples."""

from collections import namedtuple

from whipsnake import types
from whipsnake.cuda import _device
from whipsnake.extending import overload_method

GridGroup = namedtuple("GridGroup", ["size", "rank"])
ThreadBlock = namedtuple("ThreadBlock", ["size", "rank"])
# first: lane of the warp that the tile begins with; mask: its lanes
Tile = namedtuple("Tile", ["size", "rank", "first", "mask"])


def this_grid():
    """All threads of the grid."""
    block = _device.blockDim.x * _device.blockDim.y * _device.blockDim.z
    blocks = _device.gridDim.x * _device.gridDim.y * _device.gridDim.z
    before = _device.blockIdx.x + _device.gridDim.x * (
        _device.blockIdx.y + _device.gridDim.y * _device.blockIdx.z)
    return GridGroup(block * blocks, before * block + _device.thread_rank())


def this_block():
    """All threads of the block."""
    return ThreadBlock(_device.blockDim.x * _device.blockDim.y * _device.blockDim.z,
                       _device.thread_rank())


def tiled_partition(group, size):
    """The thread's part of a block: 1, 2, 4 ... 32 threads with successive numbers."""
    lane = group.rank % 32
    rank = lane % size
    ones = (1 << size) - 1
    return Tile(size, rank, lane - rank, ones << (lane - rank))


def _method(cls, name):
    """Make the function a method of a group: it gets the group first."""
    def decorate(function):
        @overload_method(types.BaseNamedTuple, name)
        def find(self, *args):
            return function if self.instance_class is cls else None

        return function

    return decorate


for _cls in (GridGroup, ThreadBlock, Tile):
    _method(_cls, "thread_rank")(lambda self: self.rank)
    _method(_cls, "num_threads")(lambda self: self.size)


@_method(GridGroup, "sync")
def _sync_grid(self):
    _device.sync_grid()


@_method(ThreadBlock, "sync")
def _sync_block(self):
    _device.syncthreads()


@_method(Tile, "sync")
def _sync_tile(self):
    _device.syncwarp(self.mask)


@_method(Tile, "shfl")
def _shfl(self, value, src):
    return _device.shfl_sync(self.mask, value, self.first + src % self.size)


@_method(Tile, "shfl_up")
def _shfl_up(self, value, delta):
    source = self.rank - delta if self.rank >= delta else self.rank
    return _device.shfl_sync(self.mask, value, self.first + source)


@_method(Tile, "shfl_down")
def _shfl_down(self, value, delta):
    source = self.rank + delta if self.rank + delta < self.size else self.rank
    return _device.shfl_sync(self.mask, value, self.first + source)


@_method(Tile, "shfl_xor")
def _shfl_xor(self, value, lane_mask):
    return _device.shfl_sync(self.mask, value, self.first + (self.rank ^ lane_mask) % self.size)


@_method(Tile, "all")
def _all(self, predicate):
    return _device.all_sync(self.mask, predicate)


@_method(Tile, "any")
def _any(self, predicate):
    return _device.any_sync(self.mask, predicate)


@_method(Tile, "ballot")
def _ballot(self, predicate):
    return _device.ballot_sync(self.mask, predicate) >> self.first
