"""Arrays in the memory of the device, against arrays of NumPy."""

import numpy as np
import pytest

from whipsnake import _core, cuda


@cuda.jit
def add_one(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += 1


@pytest.mark.parametrize("value", [
    np.arange(12.).reshape(3, 4), np.asfortranarray(np.arange(6).reshape(2, 3)), np.arange(10)[::3],
    np.zeros((0, 4)), np.float32(2.5), np.array([1 + 2j, 3j]), np.array([True, False]), [1, 2, 3]])
def test_there_and_back(value):
    host = np.asarray(value)
    device = cuda.to_device(value)
    assert (device.shape, device.dtype, device.ndim, device.size, device.nbytes) == (
        host.shape, host.dtype, host.ndim, host.size, host.nbytes)
    back = device.copy_to_host()
    np.testing.assert_array_equal(back, host)
    assert back.dtype == host.dtype
    assert back.flags.f_contiguous == (host.flags.f_contiguous or host.ndim < 2)


def test_to_device_copies():
    host = np.arange(5.)
    device = cuda.to_device(host)
    host[:] = -1
    np.testing.assert_array_equal(device.copy_to_host(), np.arange(5.))
    add_one[1, 5](device)
    np.testing.assert_array_equal(host, -1)
    device.to_host()
    np.testing.assert_array_equal(host, np.arange(1, 6.))
    with pytest.raises(ValueError, match="not made from one of NumPy"):
        cuda.device_array(3).to_host()


def test_the_program_cannot_touch_it():
    device = cuda.to_device(np.arange(5.))
    for use in (lambda: np.asarray(device), lambda: device + 1, lambda: list(device),
                lambda: np.sum(device), lambda: memoryview(device)):
        with pytest.raises(TypeError):
            use()


def test_copies_into_given_arrays():
    device = cuda.to_device(np.arange(6.).reshape(2, 3))
    out = np.zeros((2, 3))
    assert device.copy_to_host(out) is out
    np.testing.assert_array_equal(out, np.arange(6.).reshape(2, 3))
    strided = np.zeros((4, 6))[::2, ::2]
    device.copy_to_host(strided)
    np.testing.assert_array_equal(strided, out)
    with pytest.raises(ValueError, match=r"of shape \(2, 3\) is not copied into one of shape \(3,"):
        device.copy_to_host(np.zeros((3, 2)))
    with pytest.raises(TypeError, match="of float64 is not copied into one of int64"):
        device.copy_to_host(np.zeros((2, 3), np.int64))
    device.copy_to_device(out * 2)
    device.copy_to_device(cuda.to_device(out * 3))
    np.testing.assert_array_equal(device.copy_to_host(), out * 3)
    with pytest.raises(ValueError, match="is not copied into one of shape"):
        device.copy_to_device(np.zeros(6))
    again = cuda.to_device(np.ones((2, 3)), to=device)
    assert again is device and (device.copy_to_host() == 1).all()


SLICES = [np.s_[2], np.s_[-1], np.s_[1:3], np.s_[::2], np.s_[::-1], np.s_[1, 2], np.s_[:, 1],
          np.s_[..., 0], np.s_[0, 1:3], np.s_[1:, ::-2], np.s_[3:3], np.s_[None, 1]]


@pytest.mark.parametrize("key", SLICES, ids=str)
def test_slices(key):
    host = np.arange(20.).reshape(4, 5)
    device = cuda.to_device(host)
    part = device[key]
    got = part.copy_to_host() if isinstance(part, _core.DeviceArray) else part
    np.testing.assert_array_equal(got, host[key])
    assert np.shape(got) == np.shape(host[key])
    device[key] = 100
    host[key] = 100
    np.testing.assert_array_equal(device.copy_to_host(), host)


def test_elements_and_assignments():
    device = cuda.to_device(np.zeros((3, 4)))
    device[1] = np.arange(4)
    device[2, ::2] = cuda.to_device(np.array([7., 8.]))
    device[0, 3] = 5
    np.testing.assert_array_equal(device.copy_to_host(), [[0, 0, 0, 5], [0, 1, 2, 3], [7, 0, 8, 0]])
    assert device[0, 3] == 5 and isinstance(device[0, 3], np.float64)
    with pytest.raises(ValueError, match="could not broadcast"):
        device[0] = np.arange(3)
    with pytest.raises(IndexError):
        device[5]
    device.setitem(0, 9, stream=cuda.stream())
    cuda.synchronize()
    assert (device[0].copy_to_host() == 9).all()


def test_views_share_memory():
    device = cuda.to_device(np.arange(6.))
    grid = device.reshape(2, 3)
    add_one[1, 6](grid.reshape(6))
    np.testing.assert_array_equal(device.copy_to_host(), np.arange(1, 7.))
    np.testing.assert_array_equal(grid.T.copy_to_host(), np.arange(1, 7.).reshape(2, 3).T)
    np.testing.assert_array_equal(grid.transpose((1, 0)).copy_to_host(),
                                  np.arange(1, 7.).reshape(2, 3).T)
    np.testing.assert_array_equal(grid.ravel().copy_to_host(), np.arange(1, 7.))
    assert grid.reshape((1, 2, 3)).squeeze().shape == (2, 3)
    assert device.view(np.int64).dtype == np.int64
    assert [len(part) for part in device.split(4)] == [4, 2]
    with pytest.raises(NotImplementedError, match="would need a copy"):
        grid.T.reshape(6)


@cuda.jit
def double_matrix(x):
    i, j = cuda.grid(2)
    if i < x.shape[0] and j < x.shape[1]:
        x[i, j] *= 2


def test_strided_views_in_kernels():
    host = np.arange(24.).reshape(4, 6)
    device = cuda.to_device(host)
    double_matrix[(4, 4), (2, 2)](device[::2, 1::3])
    double_matrix[(4, 4), (2, 2)](device.T)
    host[::2, 1::3] *= 2
    np.testing.assert_array_equal(device.copy_to_host(), host * 2)


def test_new_arrays():
    assert cuda.device_array(5).dtype == np.float64
    made = cuda.device_array((2, 3), np.int8, order="F")
    assert made.is_f_contiguous() and not made.is_c_contiguous() and made.strides == (1, 2)
    like = cuda.device_array_like(made)
    assert (like.shape, like.dtype, like.strides) == (made.shape, made.dtype, made.strides)
    for array in (cuda.pinned_array(3), cuda.pinned_array_like(np.ones((2, 2))),
                  cuda.mapped_array((2, 2), np.int32), cuda.managed_array(4),
                  cuda.mapped_array_like(np.ones(3))):
        array[...] = 1
        assert isinstance(array, np.ndarray)
    with pytest.raises(TypeError, match="cannot hold object"):
        cuda.device_array(3, object)
    with pytest.raises(MemoryError, match="the device has"):
        cuda.device_array(1 << 50)


def test_mapped_and_managed_memory():
    for array in (cuda.mapped_array(8), cuda.managed_array(8)):
        array[:] = np.arange(8)
        add_one[1, 8](array)
        cuda.synchronize()
        np.testing.assert_array_equal(array, np.arange(1, 9))
    host = np.zeros(8)
    with cuda.mapped(host) as device, cuda.pinned(host):
        add_one[1, 8](device)
    np.testing.assert_array_equal(host, 1)


class Foreign:
    """An array of another library."""

    def __init__(self, host, **changes):
        self.host = host
        self.__cuda_array_interface__ = {
            "shape": host.shape, "strides": host.strides, "typestr": host.dtype.str,
            "data": (host.ctypes.data, False), "version": 3, **changes}


def test_exchange_with_others():
    host = np.arange(12.).reshape(3, 4)
    device = cuda.as_cuda_array(Foreign(host[:, ::2]))
    assert device.shape == (3, 2)
    double_matrix[(2, 2), (2, 2)](device)
    double_matrix[(2, 2), (2, 2)](Foreign(host[1:2]))
    cuda.synchronize()
    expected = np.arange(12.).reshape(3, 4)
    expected[:, ::2] *= 2
    expected[1:2] *= 2
    np.testing.assert_array_equal(host, expected)
    assert cuda.is_cuda_array(device) and cuda.is_cuda_array(Foreign(host))
    assert not cuda.is_cuda_array(host)
    assert cuda.as_cuda_array(device) is device
    again = cuda.as_cuda_array(Foreign(np.zeros(0)))
    assert again.size == 0
    taken = np.from_dlpack(device)
    assert np.shares_memory(taken, host)
    assert cuda.from_dlpack(host).shape == (3, 4)
    copy = cuda.to_device(Foreign(host))
    assert not np.shares_memory(np.from_dlpack(copy), host)


def test_foreign_memory_is_looked_at_first():
    host = np.zeros(4)
    with pytest.raises(ValueError, match="does not lie in memory that the CPU reaches"):
        cuda.as_cuda_array(Foreign(host, data=(0x10, False)))
    with pytest.raises(ValueError, match="does not lie in memory that the CPU reaches"):
        cuda.as_cuda_array(Foreign(host, shape=(1 << 45,), strides=None))
    with pytest.raises(TypeError, match="has no __cuda_array_interface__; copy it with"):
        cuda.as_cuda_array(host)
    with pytest.raises(ValueError, match="has no 'data'"):
        cuda.from_cuda_array_interface({"shape": (1,), "typestr": "<f8"})


# -- as arguments ---------------------------------------------------------------------------------

def test_in_out_inout():
    host = np.arange(4.)
    add_one[1, 4](cuda.In(host))
    np.testing.assert_array_equal(host, np.arange(4.))
    add_one[1, 4](cuda.InOut(host))
    np.testing.assert_array_equal(host, np.arange(1, 5.))
    add_one[1, 4](host)
    add_one[1, 4](cuda.Out(host))
    np.testing.assert_array_equal(host, np.arange(3, 7.))
    add_one[1, 4](cuda.In(cuda.to_device(host)))


@cuda.jit
def shift(x, y):
    i = cuda.grid(1)
    v = x[i]
    cuda.syncthreads()
    y[(i + 1) % y.size] = v


def test_the_same_array_twice_is_one_buffer():
    x = np.arange(8.)
    shift[1, 8](x, x)
    np.testing.assert_array_equal(x, np.roll(np.arange(8.), 1))
    device = cuda.to_device(np.arange(8.))
    shift[1, 8](device, device)
    np.testing.assert_array_equal(device.copy_to_host(), np.roll(np.arange(8.), 1))


@cuda.jit
def of_all_kinds(x, pair, flag, z, text, scale=2.0):
    i = cuda.grid(1)
    a, b = pair
    if i < x.size and flag:
        x[i] = a * i + b[0] + z.real + z.imag + len(text) + scale


def test_arguments_of_all_kinds():
    x, b = np.zeros(5), np.array([100.])
    of_all_kinds[1, 8](x, (3, b), True, 1 + 2j, "four")
    np.testing.assert_array_equal(x, 3 * np.arange(5) + 109)
    of_all_kinds[1, 8](cuda.to_device(x), (3, cuda.to_device(b)), np.bool_(True), 1j, "", 1.0)
    of_all_kinds[1, 8](x, (3, b), True, 1 + 2j, text="four", scale=0.0)
    np.testing.assert_array_equal(x, 3 * np.arange(5) + 107)
    with pytest.raises(TypeError, match="missing|required"):
        of_all_kinds[1, 8](x, (3, b), True)


def test_read_only_arguments():
    @cuda.jit
    def kernel(x, out):
        i = cuda.grid(1)
        out[i] = x[i]

    x, out = np.arange(4.), np.zeros(4)
    x.flags.writeable = False
    kernel[1, 4](x, out)
    np.testing.assert_array_equal(out, x)


def test_memory_is_given_back():
    import gc
    import weakref

    device = cuda.to_device(np.zeros(1000))
    for _ in range(10):
        add_one[4, 256](device)
    dead = weakref.ref(device)
    cuda.synchronize()
    del device
    gc.collect()
    assert dead() is None
