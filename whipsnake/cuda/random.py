"""Random numbers in kernels: xoroshiro128+ (Blackman and Vigna, 2016), one stream per thread.

    states = create_xoroshiro128p_states(threads, seed=1)
    kernel[blocks, block](states, out)      # in it: xoroshiro128p_uniform_float32(states, i)

A state is two uint64, a row of an array of the device. Streams of one seed are 2**64 numbers apart.
The functions below that take `states` are plain Python: kernels compile them."""

import math

import numpy as np

from whipsnake.decorators import njit

_u64 = np.uint64


def init_xoroshiro128p_state(states, index, seed):
    """Make state `index` from a seed with one step of SplitMix64."""
    z = _u64(seed) + _u64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> _u64(30))) * _u64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> _u64(27))) * _u64(0x94D049BB133111EB)
    z = z ^ (z >> _u64(31))
    states[index, 0] = z
    states[index, 1] = z


def _rotl(x, k):
    return (x << _u64(k)) | (x >> _u64(64 - k))


def xoroshiro128p_next(states, index):
    """The next 64 random bits of state `index`."""
    s0 = states[index, 0]
    s1 = states[index, 1]
    result = s0 + s1
    s1 ^= s0
    states[index, 0] = _rotl(s0, 55) ^ s1 ^ (s1 << _u64(14))
    states[index, 1] = _rotl(s1, 36)
    return result


def xoroshiro128p_jump(states, index):
    """Move state `index` on by 2**64 numbers."""
    s0 = _u64(0)
    s1 = _u64(0)
    for i in range(2):
        jump = _u64(0xBEAC0467EBA5FACB) if i == 0 else _u64(0xD86B048B86AA9922)
        for b in range(64):
            if jump & (_u64(1) << _u64(b)):
                s0 ^= states[index, 0]
                s1 ^= states[index, 1]
            xoroshiro128p_next(states, index)
    states[index, 0] = s0
    states[index, 1] = s1


def uint64_to_unit_float64(x):
    """64 bits as a float64 in [0, 1)."""
    return float(x >> _u64(11)) * (1.0 / (1 << 53))


def uint64_to_unit_float32(x):
    """64 bits as a float32 in [0, 1)."""
    return np.float32(uint64_to_unit_float64(x))


def xoroshiro128p_uniform_float32(states, index):
    """A float32 from [0, 1), all equally likely."""
    return uint64_to_unit_float32(xoroshiro128p_next(states, index))


def xoroshiro128p_uniform_float64(states, index):
    """A float64 from [0, 1), all equally likely."""
    return uint64_to_unit_float64(xoroshiro128p_next(states, index))


def xoroshiro128p_normal_float32(states, index):
    """A float32 of mean 0 and deviation 1, by Box and Muller's method."""
    u1 = xoroshiro128p_uniform_float32(states, index)
    u2 = xoroshiro128p_uniform_float32(states, index)
    z0 = math.sqrt(np.float32(-2.0) * np.log(u1)) * math.cos(np.float32(2 * math.pi) * u2)
    return np.float32(z0)


def xoroshiro128p_normal_float64(states, index):
    """A float64 of mean 0 and deviation 1, by Box and Muller's method."""
    u1 = xoroshiro128p_uniform_float64(states, index)
    u2 = xoroshiro128p_uniform_float64(states, index)
    return math.sqrt(-2.0 * np.log(u1)) * math.cos(2 * math.pi * u2)


@njit
def _fill_states(states, seed, subsequence_start):
    if states.shape[0]:
        init_xoroshiro128p_state(states, 0, seed)
        for _ in range(subsequence_start):
            xoroshiro128p_jump(states, 0)
    for i in range(1, states.shape[0]):
        states[i, 0] = states[i - 1, 0]
        states[i, 1] = states[i - 1, 1]
        xoroshiro128p_jump(states, i)


def init_xoroshiro128p_states(states, seed, subsequence_start=0, stream=0):
    """Fill an array of states of the device: state i is that of the seed, subsequence_start + i
    times 2**64 numbers on."""
    from whipsnake.cuda._memory import to_device

    host = np.empty(states.shape, np.uint64)
    _fill_states(host, _u64(seed & 0xFFFFFFFFFFFFFFFF), int(subsequence_start))
    states.copy_to_device(to_device(host, stream), stream)


def create_xoroshiro128p_states(n, seed, subsequence_start=0, stream=0):
    """A new array of the device with n states: see init_xoroshiro128p_states."""
    from whipsnake.cuda._memory import device_array

    states = device_array((n, 2), np.uint64, stream=stream)
    init_xoroshiro128p_states(states, seed, subsequence_start, stream)
    return states
