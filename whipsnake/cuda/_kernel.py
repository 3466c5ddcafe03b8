"""`cuda.jit`: kernels and how they are launched."""

import functools
import types as _pytypes

from whipsnake import _core
from whipsnake.cuda._options import core_options

MAX_THREADS = 1024
_MAX_BLOCK = (1024, 1024, 64)


def _extents(value, what):
    """(x, y, z) from an int or a tuple of one to three ints."""
    items = value if isinstance(value, (tuple, list)) else (value,)
    if not 1 <= len(items) <= 3:
        raise ValueError(f"the {what} has one to three extents, not {len(items)}")
    try:
        out = tuple(int(n.__index__()) for n in items)
    except AttributeError:
        raise TypeError(f"the {what} is an int or a tuple of ints, not {value!r}") from None
    if min(out) < 1:
        raise ValueError(f"each extent of the {what} is at least 1, but it is {value!r}")
    return out + (1,) * (3 - len(out))


def _block_extents(value):
    block = _extents(value, "block")
    if block[0] * block[1] * block[2] > MAX_THREADS or any(
            n > most for n, most in zip(block, _MAX_BLOCK)):
        raise ValueError(f"a block of {value!r} is too large: it has at most {MAX_THREADS} "
                         f"threads, and at most {_MAX_BLOCK} along x, y, z")
    return block


class Launch:
    """A kernel with its grid and block: call it with the kernel's arguments."""

    __slots__ = ("kernel", "grid", "block", "_function")

    def __init__(self, kernel, grid, block):
        self.kernel = kernel
        self.grid = grid
        self.block = block
        self._function = kernel._for_block(block)

    def __call__(self, *args):
        """Run the grid; the results are in the arrays when this returns."""
        return _core.launch(self._function, *self.grid, *args)

    def __repr__(self):
        return f"<{self.kernel!r} on grid {self.grid}, block {self.block}>"


class Kernel:
    """What cuda.jit makes of a function. `kernel[grid, block](args)` runs it on the CPU, compiled
    for the types of the arguments and the size of the block."""

    def __init__(self, func, options, signatures):
        functools.update_wrapper(self, func)
        self.py_func = func
        self.signatures_wanted = signatures
        self._given = func, options, signatures
        self._options = core_options(options, boundscheck=True)
        self._functions = {}
        self._launches = {}
        # Called from another kernel it is a device function.
        self._device_function = _core.Dispatcher(func, **self._options)

    def __reduce__(self):
        from whipsnake import _pickle

        return _pickle.reduce(self)

    def _pickled_parts(self):
        return Kernel, self._given

    def __copy__(self, memo=None):
        return self

    __deepcopy__ = __copy__

    def _for_block(self, block):
        """The _core.Dispatcher for blocks of this size."""
        function = self._functions.get(block)
        if function is None:
            function = _core.Dispatcher(self.py_func, kernel=True, block=block, **self._options)
            for signature in self.signatures_wanted:
                function._compile(signature.args)
            if self.signatures_wanted:
                function.disable_compile()
            self._functions[block] = function
        return function

    def __getitem__(self, config):
        """kernel[grid, block] or kernel[grid, block, stream, shared_bytes]."""
        try:
            return self._launches[config]
        except (KeyError, TypeError):
            pass
        if not isinstance(config, tuple) or not 2 <= len(config) <= 4:
            raise ValueError(f"launch {self.__name__} with {self.__name__}[grid, block](arguments)")
        return self.configure(*config)

    def configure(self, grid, block, stream=0, shared_bytes=0):
        """A Launch for this grid and block."""
        from whipsnake.errors import UnsupportedError

        if stream:
            raise UnsupportedError("not built yet: launching on a stream")
        if shared_bytes:
            raise UnsupportedError("not built yet: dynamic shared memory")
        launch = Launch(self, _extents(grid, "grid"), _block_extents(block))
        if len(self._launches) < 1000:
            try:
                self._launches[grid, block] = launch
            except TypeError:  # given as lists
                pass
        return launch

    def forall(self, ntasks, tpb=0, stream=0, sharedmem=0):
        """A Launch with at least ntasks threads in one dimension."""
        block = tpb or 256
        return self.configure(max(1, -(-ntasks // block)), block, stream, sharedmem)

    def __call__(self, *args, **kwargs):
        raise ValueError(f"{self.__name__} is a kernel: launch it with "
                         f"{self.__name__}[grid, block](arguments)")

    @property
    def signatures(self):
        """The argument types compiled so far, for any size of block."""
        found = (args for f in self._functions.values() for args in f.signatures)
        return list(dict.fromkeys(found))

    def _text(self, what, signature, block):
        from whipsnake import types

        args = types.parse_signature(signature).args
        return self._for_block(_block_extents(block))._text(what, args)

    def inspect_ir(self, signature, block):
        """whipsnake's IR of the kernel for this block size, split into loops over threads."""
        return self._text("ir", signature, block)

    def inspect_llvm(self, signature, block):
        """Optimised LLVM IR for the CPU and this block size."""
        return self._text("llvm", signature, block)

    def inspect_asm(self, signature, block):
        """Assembly for the CPU and this block size."""
        return self._text("asm", signature, block)

    def explain(self, signature=None, block=None):
        """What the compiler did with each line, as f.explain() says it of functions: for the sizes
        of block that it was launched with, or for `block`."""
        from whipsnake._explain import Report, explain

        if block is not None:
            functions = [self._for_block(_block_extents(block))]
        else:
            functions = list(self._functions.values())
        found = [s for f in functions for s in explain(f, signature).signatures]
        return Report(self.__qualname__, found)

    def __repr__(self):
        return f"<kernel {self.__qualname__}>"


def _decorate(func, options, signatures):
    if isinstance(func, _core.Dispatcher):
        func = func.py_func
    if options.get("device"):
        return _core.Dispatcher(func, **core_options(options, boundscheck=True))
    return Kernel(func, options, signatures)


def jit(func_or_sig=None, **options):
    """Make a kernel of a function, or a device function (device=True) that kernels call.

    Bare, with options, or with signatures ("void(float32[:], int64)", or a list of them), to which
    the arguments of a launch are then converted.

    Options: device, fastmath, fma (fuse products and sums; on), boundscheck (on), debug. The others
    of Numba's are accepted."""
    from whipsnake import types

    if isinstance(func_or_sig, (_pytypes.FunctionType, _core.Dispatcher)):
        return _decorate(func_or_sig, options, [])
    signatures = []
    if func_or_sig is not None:
        many = func_or_sig if isinstance(func_or_sig, list) else [func_or_sig]
        signatures = [types.parse_signature(s) for s in many]
    core_options(options, boundscheck=True)  # complains at once
    return lambda func: _decorate(func, options, signatures)
