"""What the threads of a warp do together, against a model in NumPy: 32 threads with successive
numbers."""

import numpy as np
import pytest

from whipsnake import cuda, float32, float64, int32

ALL = 0xFFFFFFFF
SIZES = [32, 64, 37, 7, 1024]
DTYPES = [np.int32, np.int64, np.uint32, np.uint8, np.float32, np.float64]


def warps(x):
    """Rows of 32, the last one filled up, and where there are values."""
    n = -(-len(x) // 32) * 32
    there = (np.arange(n) < len(x)).reshape(-1, 32)
    return np.resize(x, n).reshape(-1, 32), there


def pick(x, source, valid):
    """What each lane gets from lane `source`; its own value where there is none."""
    rows, there = warps(x)
    lane = np.arange(32)
    source = np.where(valid(source), source, lane)
    source = np.broadcast_to(source, rows.shape)
    good = np.take_along_axis(there, source, 1)
    out = np.where(good, np.take_along_axis(rows, source, 1), rows)
    return out.ravel()[:len(x)]


@cuda.jit
def shuffles(x, by, out):
    t = cuda.threadIdx.x
    out[0, t] = cuda.shfl_sync(ALL, x[t], by)
    out[1, t] = cuda.shfl_up_sync(ALL, x[t], by)
    out[2, t] = cuda.shfl_down_sync(ALL, x[t], by)
    out[3, t] = cuda.shfl_xor_sync(ALL, x[t], by)
    out[4, t] = cuda.shfl_sync(ALL, x[t], (t * 5 + 3) % 32)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("by", [0, 1, 5, 16, 31])
def test_shuffles(dtype, n, by):
    x = (np.arange(n) * 7 % 101).astype(dtype)
    out = np.zeros((5, n), dtype)
    shuffles[1, n](x, by, out)
    lane = np.arange(32)
    in_warp = lambda s: (s >= 0) & (s < 32)
    np.testing.assert_array_equal(out[0], pick(x, np.full(32, by), in_warp))
    np.testing.assert_array_equal(out[1], pick(x, lane - by, in_warp))
    np.testing.assert_array_equal(out[2], pick(x, lane + by, in_warp))
    np.testing.assert_array_equal(out[3], pick(x, lane ^ by, in_warp))
    np.testing.assert_array_equal(out[4], pick(x, (lane * 5 + 3) % 32, in_warp))


@cuda.jit
def groups(x, out):
    t = cuda.threadIdx.x
    out[0, t] = cuda.shfl_down_sync(ALL, x[t], 2, 8)
    out[1, t] = cuda.shfl_up_sync(ALL, x[t], 3, 16)
    out[2, t] = cuda.shfl_sync(ALL, x[t], 13, 4)
    out[3, t] = cuda.shfl_xor_sync(ALL, x[t], 1, 2)


def test_groups_of_lanes():
    x = np.arange(64) * 3
    out = np.zeros((4, 64), np.int64)
    groups[1, 64](x, out)
    t = np.arange(64)
    np.testing.assert_array_equal(out[0], x[np.where(t % 8 < 6, t + 2, t)])
    np.testing.assert_array_equal(out[1], x[np.where(t % 16 >= 3, t - 3, t)])
    np.testing.assert_array_equal(out[2], x[t // 4 * 4 + 1])
    np.testing.assert_array_equal(out[3], x[t ^ 1])


@cuda.jit
def votes(x, limit, out):
    t = cuda.threadIdx.x
    p = x[t] > limit
    out[0, t] = cuda.all_sync(ALL, p)
    out[1, t] = cuda.any_sync(ALL, p)
    out[2, t] = cuda.eq_sync(ALL, p)
    out[3, t] = cuda.ballot_sync(ALL, p)
    out[4, t] = cuda.match_any_sync(ALL, x[t])
    mask, same = cuda.match_all_sync(ALL, x[t])
    out[5, t] = mask
    out[6, t] = same
    out[7, t] = cuda.activemask()
    out[8, t] = cuda.lanemask_lt()
    out[9, t] = cuda.laneid + 100 * cuda.warpsize


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("limit", [-1, 2, 9])
@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.float64, np.bool_])
def test_votes(n, limit, dtype):
    x = (np.arange(n) % 5).astype(dtype)
    if n == 64:
        x[32:] = 4
    out = np.zeros((10, n), np.int64)
    votes[1, n](x, limit, out)
    for first in range(0, n, 32):
        v = x[first:first + 32]
        p = v > limit
        bits = 1 << np.arange(len(v))
        everyone = bits.sum()
        got = out[:, first:first + 32]
        assert (got[0] == p.all()).all() and (got[1] == p.any()).all()
        assert (got[2] == (p.all() or not p.any())).all()
        assert (got[3] == bits[p].sum()).all()
        np.testing.assert_array_equal(got[4], [bits[v == value].sum() for value in v])
        same = (v == v[0]).all()
        assert (got[5] == (everyone if same else 0)).all() and (got[6] == same).all()
        assert (got[7] == everyone).all()
        np.testing.assert_array_equal(got[8], bits - 1)
        np.testing.assert_array_equal(got[9], np.arange(len(v)) + 3200)


@cuda.jit
def reductions(x, out):
    t = cuda.threadIdx.x
    out[0, t] = cuda.reduce_add_sync(ALL, x[t])
    out[1, t] = cuda.reduce_min_sync(ALL, x[t])
    out[2, t] = cuda.reduce_max_sync(ALL, x[t])


@cuda.jit
def bit_reductions(x, out):
    t = cuda.threadIdx.x
    out[0, t] = cuda.reduce_and_sync(ALL, x[t])
    out[1, t] = cuda.reduce_or_sync(ALL, x[t])
    out[2, t] = cuda.reduce_xor_sync(ALL, x[t])


@pytest.mark.parametrize("dtype", [np.int32, np.uint32, np.int64, np.uint64, np.float32,
                                   np.float64])
@pytest.mark.parametrize("n", [32, 50])
def test_reductions(dtype, n):
    x = (np.arange(n) * 37 % 100 - (0 if np.dtype(dtype).kind == "u" else 50)).astype(dtype)
    out = np.zeros((3, n), dtype)
    reductions[1, n](x, out)
    for first in range(0, n, 32):
        v = x[first:first + 32]
        np.testing.assert_array_equal(out[:, first], [v.sum(), v.min(), v.max()])
        assert (out[:, first:first + 32] == out[:, [first]]).all()
    if np.dtype(dtype).kind == "f":
        return
    bit_reductions[1, n](x, out)
    for first in range(0, n, 32):
        v = x[first:first + 32]
        np.testing.assert_array_equal(out[:, first], [np.bitwise_and.reduce(v),
                                                      np.bitwise_or.reduce(v),
                                                      np.bitwise_xor.reduce(v)])


@cuda.jit
def masked(x, out):
    """Halves of a warp by themselves, under a branch."""
    t = cuda.threadIdx.x
    if t % 32 < 16:
        out[t] = cuda.reduce_add_sync(0xFFFF, x[t])
    else:
        out[t] = cuda.reduce_max_sync(0xFFFF0000, x[t])


def test_masks_of_halves():
    x = np.random.default_rng(1).integers(0, 100, 64)
    out = np.zeros(64, np.int64)
    masked[1, 64](x, out)
    halves = x.reshape(2, 2, 16)
    np.testing.assert_array_equal(out.reshape(2, 2, 16)[:, 0], halves[:, 0].sum(1)[:, None] +
                                  np.zeros(16))
    np.testing.assert_array_equal(out.reshape(2, 2, 16)[:, 1], halves[:, 1].max(1)[:, None] +
                                  np.zeros(16))


@cuda.jit
def masks_by_activemask(x, out):
    t = cuda.threadIdx.x
    if x[t] > 2:
        mask = cuda.activemask()
        out[t] = cuda.reduce_add_sync(mask, x[t])


def test_activemask_under_a_branch():
    x = np.arange(32) % 7
    out = np.zeros(32, np.int64)
    masks_by_activemask[1, 32](x, out)
    np.testing.assert_array_equal(out, np.where(x > 2, x[x > 2].sum(), 0))


@cuda.jit
def warp_sums(x, out):
    """The usual reduction: shuffles in each warp, then in the first one."""
    s = cuda.shared.array(32, float32)
    t = cuda.threadIdx.x
    v = float32(0)
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        v += x[i]
    k = 16
    while k > 0:
        v += cuda.shfl_down_sync(ALL, v, k)
        k //= 2
    if cuda.laneid == 0:
        s[t // 32] = v
    cuda.syncthreads()
    if t < 32:
        v = s[t] if t < cuda.blockDim.x // 32 else float32(0)
        for k in range(5):
            v += cuda.shfl_xor_sync(ALL, v, 16 >> k)
        if t == 0:
            cuda.atomic.add(out, 0, v)


@pytest.mark.parametrize("n", [0, 1, 100, 1000, 12345])
@pytest.mark.parametrize("block", [32, 256, 1024])
def test_sum_by_shuffles(n, block):
    x = np.random.default_rng(n).integers(0, 100, n).astype(np.float32)
    out = np.zeros(1, np.float32)
    warp_sums[3, block](x, out)
    assert out[0] == x.sum()


@cuda.jit
def scan(x, out):
    """Sums up to each thread: in each warp, then of the warps."""
    s = cuda.shared.array(32, float64)
    t = cuda.threadIdx.x
    lane = cuda.laneid
    v = x[t]
    for k in range(5):
        n = cuda.shfl_up_sync(ALL, v, 1 << k)
        if lane >= 1 << k:
            v += n
    if lane == 31:
        s[t // 32] = v
    cuda.syncthreads()
    if t // 32 == 0:
        w = s[t] if t < cuda.blockDim.x // 32 else 0.0
        for k in range(5):
            n = cuda.shfl_up_sync(ALL, w, 1 << k)
            if lane >= 1 << k:
                w += n
        s[t] = w
    cuda.syncthreads()
    if t >= 32:
        v += s[t // 32 - 1]
    out[t] = v


@pytest.mark.parametrize("n", [32, 128, 1024])
def test_scan(n):
    x = np.random.default_rng(n).integers(0, 10, n).astype(float)
    out = np.zeros(n)
    scan[1, n](x, out)
    np.testing.assert_array_equal(out, np.cumsum(x))


@cuda.jit
def blocks_of_two_axes(x, out):
    t = cuda.threadIdx.x + cuda.blockDim.x * (cuda.threadIdx.y + cuda.blockDim.y *
                                              cuda.threadIdx.z)
    out[t] = cuda.shfl_xor_sync(ALL, x[t], 4) + 1000 * cuda.laneid


def test_warps_go_along_x_then_y_then_z():
    x = np.arange(96)
    out = np.zeros(96, np.int64)
    blocks_of_two_axes[1, (4, 6, 4)](x, out)
    np.testing.assert_array_equal(out, (x ^ 4) + 1000 * (x % 32))


@cuda.jit
def guarded(x, n, out):
    i = cuda.grid(1)
    if i >= n:
        return
    out[i] = cuda.reduce_add_sync(ALL, x[i])


@pytest.mark.parametrize("n", [1, 31, 33, 70, 128])
def test_lanes_that_returned_do_not_take_part(n):
    x = np.random.default_rng(n).integers(0, 100, 128)
    out = np.zeros(128, np.int64)
    guarded[2, 64](x, n, out)
    expected = [x[i // 32 * 32:min(n, i // 32 * 32 + 32)].sum() if i < n else 0 for i in range(128)]
    np.testing.assert_array_equal(out, expected)


@cuda.jit
def exchange(x):
    """syncwarp orders what lanes write."""
    s = cuda.shared.array(64, int32)
    t = cuda.threadIdx.x
    s[t] = x[t]
    cuda.syncwarp()
    x[t] = s[t ^ 1]
    cuda.syncwarp(ALL)


def test_syncwarp():
    x = np.arange(64, dtype=np.int32)
    exchange[1, 64](x)
    np.testing.assert_array_equal(x, np.arange(64) ^ 1)


@cuda.jit
def tiles(x, out):
    block = cuda.cg.this_block()
    tile = cuda.cg.tiled_partition(block, 8)
    t = block.thread_rank()
    out[0, t] = tile.shfl(x[t], 2)
    out[1, t] = tile.shfl_down(x[t], 1)
    out[2, t] = tile.shfl_up(x[t], 1)
    out[3, t] = tile.shfl_xor(x[t], 3)
    out[4, t] = tile.ballot(x[t] % 2 == 0)
    out[5, t] = tile.all(x[t] >= 0) + 2 * tile.any(x[t] == 9)
    out[6, t] = tile.thread_rank() + 100 * tile.num_threads() + 10000 * block.num_threads()
    tile.sync()
    block.sync()


def test_tiles():
    x = np.random.default_rng(4).integers(0, 20, 64)
    out = np.zeros((7, 64), np.int64)
    tiles[1, 64](x, out)
    t = np.arange(64)
    first, rank = t // 8 * 8, t % 8
    rows = x.reshape(8, 8)
    np.testing.assert_array_equal(out[0], x[first + 2])
    np.testing.assert_array_equal(out[1], x[np.minimum(t + 1, first + 7)])
    np.testing.assert_array_equal(out[2], x[np.maximum(t - 1, first)])
    np.testing.assert_array_equal(out[3], x[t ^ 3])
    np.testing.assert_array_equal(out[4], ((rows % 2 == 0) << np.arange(8)).sum(1)[t // 8])
    np.testing.assert_array_equal(out[5], (1 + 2 * (rows == 9).any(1))[t // 8])
    np.testing.assert_array_equal(out[6], rank + 800 + 640000)


@cuda.jit
def over_the_grid(x, out):
    grid = cuda.cg.this_grid()
    i = grid.thread_rank()
    x[i] = i
    grid.sync()
    out[i] = x[(i + grid.size // 2) % grid.size]


def test_a_grid_that_waits_for_itself():
    for blocks, block in [(1, 1), (3, 32), ((2, 2), (8, 4)), (20, 64)]:
        n = np.prod(blocks) * np.prod(block)
        x, out = np.zeros(n), np.zeros(n)
        over_the_grid[blocks, block](x, out)
        np.testing.assert_array_equal(out, (np.arange(n) + n // 2) % n)


def test_a_grid_that_waits_has_an_end():
    x = np.zeros(1)
    with pytest.raises(RuntimeError, match="at most 262144 threads on the CPU"):
        over_the_grid[1000, 1024](x, x)
    assert over_the_grid.max_cooperative_grid_blocks(1024) == 256


@pytest.mark.parametrize("line, text", [
    ("cuda.shfl_sync(ALL, x[t], 1.5)", "it takes a mask, a number and an integer"),
    ("cuda.shfl_sync(ALL, x, 1)", "it takes a mask, a number and an integer"),
    ("cuda.shfl_sync(ALL, x[t], 1, 5)", "the width of a shuffle is a constant"),
    ("cuda.ballot_sync(0.5, x[t])", "it takes a mask and a number"),
    ("cuda.reduce_and_sync(ALL, x[t])", "it takes a mask and a number"),
])
def test_bad_operands(line, text, tmp_path):
    from whipsnake import errors

    file = tmp_path / "program.py"
    file.write_text("from whipsnake import cuda\nALL = 0xFFFFFFFF\n@cuda.jit\ndef kernel(x):\n"
                    f"    t = cuda.threadIdx.x\n    {line}\n")
    names = {}
    exec(compile(file.read_text(), str(file), "exec"), names)
    with pytest.raises(errors.TypingError, match=text):
        names["kernel"][1, 1](np.ones(1))
