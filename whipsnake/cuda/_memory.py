"""Arrays in the memory of the device, and how they come there and back."""

import contextlib

import numpy as np

from whipsnake import _core
from whipsnake.cuda._streams import as_stream, default_stream


def _new_buffer(shape, dtype, order):
    """Memory of the device as an array that nobody else gets to see."""
    from whipsnake.cuda._devices import memory_limit

    dtype = np.dtype(dtype)
    if dtype.hasobject:
        raise TypeError(f"an array of the device cannot hold {dtype}: only numbers")
    memory_limit.check(int(np.prod(shape, dtype=object)) * dtype.itemsize)
    return np.empty(shape, dtype, order)


class DeviceNDArray(_core.DeviceArray):
    """An array in the memory of the device. Kernels take it as it is; the program copies it to look
    at it, or reads and writes single elements. Slices, `T`, `reshape` and `view` are the same
    memory."""

    __array_priority__ = 100.0
    __cuda_memory__ = True
    __cuda_ndarray__ = True

    def __init__(self, view, stream=None, host=None):
        self._stream = stream
        self._host = host

    # -- what it is

    @property
    def shape(self):
        """The lengths of the axes."""
        return _core.device_view(self).shape

    @property
    def dtype(self):
        """The type of the elements."""
        return _core.device_view(self).dtype

    @property
    def strides(self):
        """Bytes from one element to the next, along each axis."""
        return _core.device_view(self).strides

    @property
    def ndim(self):
        """How many axes."""
        return _core.device_view(self).ndim

    @property
    def size(self):
        """How many elements."""
        return _core.device_view(self).size

    @property
    def nbytes(self):
        """Bytes of all elements."""
        return _core.device_view(self).nbytes

    alloc_size = nbytes

    @property
    def itemsize(self):
        """Bytes of one element."""
        return _core.device_view(self).itemsize

    @property
    def stream(self):
        """The stream that copies use where none is named."""
        return self._stream if self._stream is not None else default_stream()

    @property
    def flags(self):
        """Those of an array of NumPy."""
        return _core.device_view(self).flags

    def is_c_contiguous(self):
        """Do the elements lie in C order without gaps?"""
        return _core.device_view(self).flags.c_contiguous

    def is_f_contiguous(self):
        """Do the elements lie in Fortran order without gaps?"""
        return _core.device_view(self).flags.f_contiguous

    @property
    def device_ctypes_pointer(self):
        """The address of the first element."""
        import ctypes

        return ctypes.c_void_p(_core.device_view(self).ctypes.data)

    @property
    def gpu_data(self):
        """The array itself: it is its memory's owner."""
        return self

    @property
    def __cuda_array_interface__(self):
        view = _core.device_view(self)
        strides = None if view.flags.c_contiguous else view.strides
        return {"shape": view.shape, "strides": strides, "typestr": view.dtype.str,
                "data": (view.ctypes.data, not view.flags.writeable), "version": 3,
                "stream": None}

    def __dlpack__(self, *, stream=None, **options):
        self.stream.synchronize()
        return _core.device_view(self).__dlpack__(**options)

    def __dlpack_device__(self):
        return 1, 0  # memory of the CPU

    def __len__(self):
        return len(_core.device_view(self))

    def __repr__(self):
        return f"<device array, shape {self.shape}, {self.dtype}>"

    def __array__(self, dtype=None, copy=None):
        raise TypeError("an array of the device is not one of NumPy: copy it with copy_to_host()")

    def __iter__(self):
        raise TypeError("the elements of an array of the device are not iterated over: copy it "
                        "with copy_to_host()")

    __hash__ = object.__hash__

    # -- copies

    def copy_to_host(self, ary=None, stream=0):
        """A copy for the program: a new array of NumPy, or `ary`. With a stream it is queued there,
        and done when the stream is."""
        view = _core.device_view(self)
        if ary is None:
            order = "F" if view.flags.f_contiguous and not view.flags.c_contiguous else "C"
            ary = np.empty(view.shape, view.dtype, order)
        elif ary.shape != view.shape:
            raise ValueError(f"an array of shape {view.shape} is not copied into one of shape "
                             f"{ary.shape}")
        elif ary.dtype != view.dtype:
            raise TypeError(f"an array of {view.dtype} is not copied into one of {ary.dtype}")
        wanted = as_stream(stream) if stream else self.stream
        wanted._copy(ary, view, bool(stream))
        return ary

    def to_host(self, stream=0):
        """Copy into the array that was given to to_device."""
        if self._host is None:
            raise ValueError("the array was not made from one of NumPy: use copy_to_host()")
        self.copy_to_host(self._host, stream)

    def copy_to_device(self, ary, stream=0):
        """Copy `ary`, an array of NumPy or of the device, into this one."""
        view = _core.device_view(self)
        beside = isinstance(ary, _core.DeviceArray)
        source = _core.device_view(ary) if beside else np.asarray(ary)
        if source.shape != view.shape:
            raise ValueError(f"an array of shape {source.shape} is not copied into one of shape "
                             f"{view.shape}")
        if source.dtype != view.dtype:
            raise TypeError(f"an array of {source.dtype} is not copied into one of {view.dtype}")
        wanted = as_stream(stream) if stream else self.stream
        wanted._copy(view, source, bool(stream) or beside)

    def bind(self, stream=0):
        """The same array; copies use this stream where none is named."""
        return self._view(_core.device_view(self), as_stream(stream))

    # -- the same memory, seen differently

    def _view(self, view, stream=None):
        return DeviceNDArray(view, self._stream if stream is None else stream)

    @property
    def T(self):
        """The axes in reverse order."""
        return self._view(_core.device_view(self).T)

    def transpose(self, axes=None):
        """The axes in another order."""
        return self._view(_core.device_view(self).transpose(axes))

    def reshape(self, *newshape, order="C"):
        """The elements with other axes, in the same memory."""
        view = _core.device_view(self)
        shape = newshape[0] if len(newshape) == 1 else newshape
        made = view.reshape(shape, order=order)
        if made.size and not np.may_share_memory(made, view):
            raise NotImplementedError("reshaping this array would need a copy: its elements do not "
                                      "lie next to each other")
        return self._view(made)

    def ravel(self, order="C", stream=0):
        """The elements along one axis."""
        return self.reshape(self.size, order=order)

    def squeeze(self, axis=None, stream=0):
        """Without axes of length 1."""
        return self._view(_core.device_view(self).squeeze(axis))

    def view(self, dtype):
        """The bytes as elements of another type."""
        return self._view(_core.device_view(self).view(dtype))

    def split(self, section, stream=0):
        """Views of `section` elements each, the last one perhaps of fewer."""
        return [self._view(_core.device_view(self)[i:i + section])
                for i in range(0, self.size, section)]

    def getitem(self, item, stream=0):
        """self[item]; copies use the stream."""
        part = _core.device_view(self)[item]
        if isinstance(part, np.ndarray):
            return self._view(part, as_stream(stream) if stream else None)
        one = _core.device_view(self)[(*item, ...) if isinstance(item, tuple) else (item, ...)]
        out = np.empty((), self.dtype)
        (as_stream(stream) if stream else self.stream)._copy(out, one, False)
        return out[()]

    def __getitem__(self, item):
        return self.getitem(item)

    def setitem(self, key, value, stream=0):
        """self[key] = value, queued on the stream."""
        view = _core.device_view(self)
        key = (*key, ...) if isinstance(key, tuple) and ... not in key else key
        part = view[key if isinstance(key, tuple) or key is ... else (key, ...)]
        device = isinstance(value, _core.DeviceArray)
        source = _core.device_view(value) if device else np.asarray(value)
        if source.ndim > part.ndim or any(
                a not in (1, b) for a, b in zip(source.shape[::-1], part.shape[::-1])):
            raise ValueError(f"could not broadcast an array of shape {source.shape} into shape "
                             f"{part.shape}")
        source = np.broadcast_to(source.astype(part.dtype, copy=not device), part.shape)
        (as_stream(stream) if stream else self.stream)._copy(part, source, bool(stream))

    def __setitem__(self, key, value):
        self.setitem(key, value)

    def get_ipc_handle(self):
        """Refused: the memory of the CPU device belongs to this process."""
        from whipsnake.errors import UnsupportedError

        raise UnsupportedError("get_ipc_handle: the memory of the CPU device is not shared between "
                               "processes; use multiprocessing.shared_memory")


# -- making them -----------------------------------------------------------------------------------

def device_array(shape, dtype=np.float64, strides=None, order="C", stream=0):
    """A new array of the device whose elements have no value yet."""
    if strides is not None:
        raise NotImplementedError("an array with given strides: make a larger one and slice it")
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    return DeviceNDArray(_new_buffer(shape, dtype, order), as_stream(stream) if stream else None)


def _order_of(ary):
    flags = ary.flags
    return "F" if flags["F_CONTIGUOUS"] and not flags["C_CONTIGUOUS"] else "C"


def device_array_like(ary, stream=0):
    """A new array of the device with the shape, the type and the order of another array."""
    return device_array(ary.shape, ary.dtype, order=_order_of(ary), stream=stream)


def to_device(obj, stream=0, copy=True, to=None):
    """A copy of `obj` (an array, a list, a number) in the memory of the device; of what is there
    already, the array itself unless copy=True asks for another. to: an array of the device to copy
    into."""
    if is_cuda_array(obj):
        source = as_cuda_array(obj)
        if to is None and not copy:
            return source
        to = device_array_like(source, stream) if to is None else to
        to.copy_to_device(source, stream)
        return to
    host = np.asarray(obj)
    made = device_array_like(host, stream) if to is None else to
    made.copy_to_device(host, stream)
    if to is None and isinstance(obj, np.ndarray):
        made._host = obj
    return made


def is_cuda_array(obj):
    """Does it lie in the memory of a device: has it a __cuda_array_interface__?"""
    return hasattr(type(obj), "__cuda_array_interface__") or hasattr(obj,
                                                                     "__cuda_array_interface__")


class _Memory:
    """What __array_interface__ makes an array of, and what keeps the memory alive."""

    def __init__(self, interface, owner):
        self.__array_interface__ = interface
        self.owner = owner


def _check_address(interface):
    """Raise for memory that the processor cannot reach, such as that of a GPU."""
    import ctypes
    import mmap

    itemsize = np.dtype(interface["typestr"]).itemsize
    ends = [0, itemsize]
    steps = interface["strides"]
    if steps is None:
        ends[1] = int(np.prod(interface["shape"], dtype=object)) * itemsize
    else:
        for n, step in zip(interface["shape"], steps):
            ends[step > 0] += (n - 1) * step
    first = interface["data"][0] + ends[0]
    start = first // mmap.PAGESIZE * mmap.PAGESIZE
    length = interface["data"][0] + ends[1] - start
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.msync(ctypes.c_void_p(start), ctypes.c_size_t(length), 1) != 0:
        raise ValueError("the array does not lie in memory that the CPU reaches: copy it there "
                         "first")


def from_cuda_array_interface(desc, owner=None, sync=True):
    """An array of the device on the memory that a __cuda_array_interface__ describes, which is the
    CPU's here."""
    for key in ("shape", "typestr", "data"):
        if key not in desc:
            raise ValueError(f"__cuda_array_interface__ has no {key!r}")
    if desc.get("mask") is not None:
        raise NotImplementedError("masked arrays")
    interface = {"shape": tuple(desc["shape"]), "typestr": desc["typestr"],
                 "data": tuple(desc["data"]), "strides": desc.get("strides"), "version": 3}
    size = int(np.prod(interface["shape"], dtype=object))
    if not size or not interface["data"][0]:
        return DeviceNDArray(np.empty(interface["shape"], interface["typestr"]))
    _check_address(interface)
    return DeviceNDArray(np.asarray(_Memory(interface, owner)))


def as_cuda_array(obj, sync=True):
    """An array of the device on the memory of another object that has __cuda_array_interface__ or
    DLPack; not copied."""
    if isinstance(obj, DeviceNDArray):
        return obj
    if is_cuda_array(obj):
        return from_cuda_array_interface(obj.__cuda_array_interface__, owner=obj, sync=sync)
    if hasattr(obj, "__dlpack__") and not isinstance(obj, np.ndarray):
        return DeviceNDArray(np.from_dlpack(obj))
    raise TypeError(f"{type(obj).__name__} has no __cuda_array_interface__; copy it with "
                    "cuda.to_device")


def from_dlpack(obj):
    """An array of the device on the memory of another array, not copied."""
    return DeviceNDArray(np.from_dlpack(obj))


# -- memory of both ------------------------------------------------------------------------------

def pinned_array(shape, dtype=np.float64, strides=None, order="C"):
    """A new array of NumPy that copies quickly: any one does on the CPU."""
    return np.empty(shape, dtype, order)


def pinned_array_like(ary):
    """A pinned array with the shape, the type and the order of another."""
    return pinned_array(ary.shape, ary.dtype, order=_order_of(ary))


class MappedNDArray(np.ndarray):
    """An array of NumPy whose memory kernels work on too. Synchronize before looking at it."""

    @property
    def __cuda_array_interface__(self):
        strides = None if self.flags.c_contiguous else self.strides
        return {"shape": self.shape, "strides": strides, "typestr": self.dtype.str,
                "data": (self.ctypes.data, not self.flags.writeable), "version": 3, "stream": None}


def mapped_array(shape, dtype=np.float64, strides=None, order="C", stream=0, portable=False,
                 wc=False):
    """A new array that the program and kernels both work on, without copies."""
    return np.empty(shape, dtype, order).view(MappedNDArray)


def mapped_array_like(ary, stream=0, portable=False, wc=False):
    """A mapped array with the shape, the type and the order of another."""
    return mapped_array(ary.shape, ary.dtype, order=_order_of(ary))


def managed_array(shape, dtype=np.float64, strides=None, order="C", stream=0, attach_global=True):
    """A new array that the program and kernels both work on, without copies."""
    return mapped_array(shape, dtype, order=order)


@contextlib.contextmanager
def pinned(*arrays):
    """A block in which the arrays copy quickly: they always do on the CPU."""
    yield


@contextlib.contextmanager
def mapped(*arrays, stream=0):
    """A block in which kernels work on the memory of the arrays: gives arrays of the device."""
    views = [DeviceNDArray(a) for a in arrays]
    try:
        yield views[0] if len(views) == 1 else views
    finally:
        as_stream(stream).synchronize()


@contextlib.contextmanager
def defer_cleanup():
    """A block in which memory of the device is not given back: on the CPU that never waits."""
    yield
