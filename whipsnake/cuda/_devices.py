"""The device that kernels run on: the CPU, as one CUDA device among a list of one."""

import contextlib
import os

from whipsnake import _core


class _MemoryLimit:
    """WHIPSNAKE_CUDA_MEMORY_LIMIT: bytes that arrays of the device may have in all, as far as this
    process can tell: what is asked for at once."""

    def check(self, size):
        """Raise MemoryError for an array that the device has no room for."""
        limit = _physical_bytes()
        if size > limit:
            raise MemoryError(f"an array of {size} bytes: the device has {limit}")


memory_limit = _MemoryLimit()


def _physical_bytes():
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _free_bytes():
    try:
        with open("/proc/meminfo") as file:
            for line in file:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")


def _processor_name():
    try:
        with open("/proc/cpuinfo") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    import platform

    return platform.processor() or platform.machine()


class Device:
    """The CPU as a device. Attributes are those that CUDA names, as far as they mean anything."""

    MAX_THREADS_PER_BLOCK = 1024
    MAX_BLOCK_DIM_X, MAX_BLOCK_DIM_Y, MAX_BLOCK_DIM_Z = 1024, 1024, 64
    MAX_GRID_DIM_X = MAX_GRID_DIM_Y = MAX_GRID_DIM_Z = 2**31 - 1
    MAX_SHARED_MEMORY_PER_BLOCK = 48 * 1024
    TOTAL_CONSTANT_MEMORY = 64 * 1024
    WARP_SIZE = 32
    UNIFIED_ADDRESSING = CONCURRENT_KERNELS = CAN_MAP_HOST_MEMORY = MANAGED_MEMORY = 1
    INTEGRATED = 1
    COOPERATIVE_LAUNCH = 1
    id = 0
    supports_float16 = True
    supports_bfloat16 = False

    @property
    def name(self):
        """The name of the processor, as bytes."""
        return _processor_name().encode()

    @property
    def compute_capability(self):
        """What kernels may use: all that the newest GPU of these numbers has."""
        return 9, 0

    @property
    def MULTIPROCESSOR_COUNT(self):
        """How many threads of the system run blocks at the same time."""
        return _core.thread_settings()[1]

    @property
    def uuid(self):
        """A name that this machine keeps."""
        import uuid

        return f"CPU-{uuid.UUID(int=uuid.getnode())}"

    @property
    def primary_context(self):
        """The device's only context."""
        return _context

    def get_primary_context(self):
        """The device's only context."""
        return _context

    def reset(self):
        """Wait for all work."""
        _context.synchronize()

    def release_primary_context(self):
        """Nothing to release."""

    def get_device_id(self):
        """0"""
        return 0

    def __eq__(self, other):
        return isinstance(other, Device)

    def __hash__(self):
        return hash(Device)

    def __repr__(self):
        return f"<CUDA device 0, the CPU: {_processor_name()}>"


class _MemoryInfo(tuple):
    """(free, total), in bytes."""

    __slots__ = ()
    free = property(lambda self: self[0])
    total = property(lambda self: self[1])

    def __repr__(self):
        return f"MemoryInfo(free={self[0]}, total={self[1]})"


class Context:
    """What belongs to a device: here, all."""

    device = property(lambda self: _device)

    def synchronize(self):
        """Wait for all streams."""
        _core.wait_for_streams()

    def get_memory_info(self):
        """(free, total) bytes of the machine's memory."""
        return _MemoryInfo((_free_bytes(), _physical_bytes()))

    def get_max_potential_block_size(self, func, b2d_func, memsize, blocksizelimit,
                                     flags=None):
        """(blocks, threads of a block) that keep the device busy."""
        return _device.MULTIPROCESSOR_COUNT, min(blocksizelimit or 256, 256)

    def get_active_blocks_per_multiprocessor(self, func, blocksize, memsize, flags=None):
        """1: a thread of the system runs one block at a time."""
        return 1

    def memalloc(self, size):
        """New memory: an array of bytes."""
        from whipsnake.cuda._memory import device_array

        return device_array(size, "u1")

    def push(self):
        """Nothing to do."""

    def pop(self):
        """Nothing to do."""

    def reset(self):
        """Wait for all work."""
        self.synchronize()

    def __enter__(self):
        return self

    def __exit__(self, *args):
        return None

    def __repr__(self):
        return "<CUDA context of the CPU>"


class _DeviceList:
    """All devices: the CPU. A device is a context manager; `cuda.gpus[0]`, `cuda.gpus.current`."""

    def __getitem__(self, item):
        return [_managed][item]

    def __len__(self):
        return 1

    def __iter__(self):
        return iter([_managed])

    @property
    def lst(self):
        """The devices as a list."""
        return [_managed]

    @property
    def current(self):
        """The device that is used now."""
        return _managed

    def __str__(self):
        return f"<Managed Device 0: {_device!r}>"

    __repr__ = __str__


class _Managed(Device):
    """A device to be used in a `with` block."""

    def __enter__(self):
        return _context

    def __exit__(self, *args):
        return None


_device = Device()
_managed = _Managed()
_context = Context()
gpus = _DeviceList()


def list_devices():
    """All devices."""
    return gpus


def current_context(devnum=None):
    """The context of the device."""
    _check_number(0 if devnum is None else devnum)
    return _context


def get_current_device():
    """The device that kernels run on."""
    return _device


def _check_number(number):
    if number not in (0, "cpu"):
        raise ValueError(f"there is no device {number!r}: kernels run on the CPU, which is device "
                         "0 and 'cpu'")


def select_device(device_id):
    """Use this device from now on: 0 or "cpu", the only one."""
    _check_number(device_id)
    return _context


def require_context(function=None):
    """A decorator of functions that need a device: there is always one."""
    return function if function is not None else require_context


def close():
    """Wait for all work: there is nothing else to give back."""
    _context.synchronize()


def is_available():
    """Can kernels run? Yes: there is always the CPU."""
    return True


def is_supported_version():
    """Yes."""
    return True


def detect():
    """Print the devices."""
    print(f"Found 1 CUDA devices\nid 0    {_processor_name()!r}    [SUPPORTED, the CPU]")
    return True


def profile_start():
    """Nothing: profilers of CPUs need no sign."""


def profile_stop():
    """Nothing: profilers of CPUs need no sign."""


@contextlib.contextmanager
def profiling():
    """A block that a profiler is to look at."""
    yield


@contextlib.contextmanager
def open_ipc_array(handle, shape, dtype, strides=None, offset=0):
    """Refused: the memory of the CPU device belongs to this process."""
    from whipsnake.errors import UnsupportedError

    raise UnsupportedError("open_ipc_array: the memory of the CPU device is not shared between "
                           "processes; use multiprocessing.shared_memory")
    yield
