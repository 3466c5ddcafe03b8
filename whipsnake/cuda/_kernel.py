"""`cuda.jit`: kernels and how they are launched."""

import functools
import types as _pytypes

from whipsnake import _core
from whipsnake.cuda._options import core_options
from whipsnake.cuda._streams import as_stream

MAX_THREADS = 1024
_MAX_BLOCK = (1024, 1024, 64)
_MOST_SIZES = 8  # of blocks that a kernel is compiled for, each; others share one code
_ANY = (0xFFFFFFFF,) * 3  # the size is known at the launch
_MOST_SHARED = 227 << 10


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
    if max(out) > 2**31 - 1:
        raise ValueError(f"each extent of the {what} is at most 2147483647, but it is {value!r}")
    return out + (1,) * (3 - len(out))


def _block_extents(value):
    block = _extents(value, "block")
    if block[0] * block[1] * block[2] > MAX_THREADS or any(
            n > most for n, most in zip(block, _MAX_BLOCK)):
        raise ValueError(f"a block of {value!r} is too large: it has at most {MAX_THREADS} "
                         f"threads, and at most {_MAX_BLOCK} along x, y, z")
    return block


def _shared_bytes(value):
    try:
        size = int(value.__index__())
    except AttributeError:
        raise TypeError(f"the size of dynamic shared memory is an int, not {value!r}") from None
    if not 0 <= size <= _MOST_SHARED:
        raise ValueError(f"dynamic shared memory has 0 to {_MOST_SHARED} bytes, not {size}")
    return size


class Kernel:
    """What cuda.jit makes of a function. `kernel[grid, block](args)` runs it on the device,
    compiled for the types of the arguments and the size of the block."""

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
        if function is None and len(self._functions) >= _MOST_SIZES:
            block = _ANY
            function = self._functions.get(block)
        if function is None:
            from whipsnake._function import promise_signature

            function = _core.Dispatcher(self.py_func, kernel=True, block=block, **self._options)
            for signature in self.signatures_wanted:
                promise_signature(function, signature)
            if self.signatures_wanted:
                function.disable_compile()
            self._functions[block] = function
        return function

    def __getitem__(self, config):
        """kernel[grid, block], kernel[grid, block, stream] or kernel[grid, block, stream, bytes of
        dynamic shared memory]."""
        try:
            return self._launches[config]
        except (KeyError, TypeError):
            pass
        if not isinstance(config, tuple) or not 2 <= len(config) <= 4:
            raise ValueError(f"launch {self.__name__} with {self.__name__}[grid, block](arguments)")
        launch = self.configure(*config)
        if len(self._launches) < 1000:
            try:
                self._launches[config] = launch
            except TypeError:  # given as lists
                pass
        return launch

    def configure(self, griddim, blockdim, stream=0, sharedmem=0):
        """What to call for a launch: the same as kernel[griddim, blockdim, stream, sharedmem]."""
        grid, block = _extents(griddim, "grid"), _block_extents(blockdim)
        return _core.Launch(self, self._for_block(block), as_stream(stream), grid, block,
                            _shared_bytes(sharedmem))

    def forall(self, ntasks, tpb=0, stream=0, sharedmem=0):
        """What to call for a launch of at least ntasks threads in one dimension."""
        block = tpb or 256
        return self.configure(max(1, -(-ntasks // block)), block, stream, sharedmem)

    def specialize(self, *args):
        """A kernel for the types of these arguments alone: it converts what it is launched with."""
        from whipsnake import typeof, types
        from whipsnake.cuda._arguments import as_argument

        kinds = [typeof(as_argument(a)[0]) for a in args]
        return Kernel(self.py_func, self._given[1], [types.void(*kinds)])

    def __call__(self, *args, **kwargs):
        raise ValueError(f"{self.__name__} is a kernel: launch it with "
                         f"{self.__name__}[grid, block](arguments)")

    # -- what was compiled

    @property
    def overloads(self):
        """Argument types -> what was compiled for them, for any size of block."""
        found = {}
        for function in self._functions.values():
            for args, result in function.overloads.items():
                found.setdefault(args, result)
        return found

    @property
    def signatures(self):
        """The argument types compiled so far, for any size of block."""
        found = (args for f in self._functions.values() for args in f.signatures)
        return list(dict.fromkeys(found))

    def compile(self, sig, block=None):
        """Compile for a signature, and blocks of this size."""
        from whipsnake import types
        from whipsnake._function import compile_signature

        compile_signature(self._for_block(self._a_block(block)), types.parse_signature(sig))

    def recompile(self):
        """Compile all again, with what globals and closure hold now."""
        for function in self._functions.values():
            function.recompile()

    def _a_block(self, block):
        if block is not None:
            return _block_extents(block)
        return next(iter(self._functions), (128, 1, 1))

    def _text(self, what, signature, block):
        from whipsnake import types

        if signature is None:
            return {args: self._text(what, types.void(*args), block) for args in self.signatures}
        args = types.parse_signature(signature).args
        block = self._a_block(block)
        return self._functions.get(block, None)._text(what, args) if block == _ANY else \
            self._for_block(block)._text(what, args)

    def inspect_ir(self, signature=None, block=None):
        """whipsnake's IR of the kernel for this block size, split into loops over threads. Without
        a signature a dict of all compiled ones, here and below."""
        return self._text("ir", signature, block)

    def inspect_llvm(self, signature=None, block=None):
        """Optimised LLVM IR for the CPU and this block size."""
        return self._text("llvm", signature, block)

    def inspect_asm(self, signature=None, block=None):
        """Assembly for the CPU and this block size."""
        return self._text("asm", signature, block)

    def inspect_ptx(self, signature=None, cc=None):
        """PTX for a GPU of this compute capability."""
        from whipsnake import types
        from whipsnake.cuda._compile import compile_ptx

        if signature is None:
            return {args: self.inspect_ptx(types.void(*args), cc) for args in self.signatures}
        return compile_ptx(self.py_func, signature, cc=cc, **self._given[1])[0]

    def inspect_types(self, file=None):
        """Print the types of all values."""
        for function in self._functions.values():
            function.inspect_types(file)

    def inspect_sass(self, signature=None):
        """Refused: the CPU has other machine code."""
        from whipsnake.errors import UnsupportedError

        raise UnsupportedError("inspect_sass: this kernel was compiled for the CPU; see "
                               "inspect_asm, or assemble inspect_ptx(signature) with ptxas")

    inspect_sass_cfg = inspect_sass

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

    # -- properties

    def _property(self, signature, what):
        if signature is not None:
            return what(self.inspect_ptx(signature))
        return {args: what(text) for args, text in self.inspect_ptx().items()}

    def get_shared_mem_per_block(self, signature=None):
        """Bytes of the shared arrays of a block, without what a launch adds."""
        return self._property(signature, lambda ptx: _declared(ptx, "shared"))

    def get_local_mem_per_thread(self, signature=None):
        """Bytes of the local arrays of a thread."""
        return self._property(signature, lambda ptx: _declared(ptx, "local"))

    def get_const_mem_size(self, signature=None):
        """Bytes of constant arrays."""
        return self._property(signature, lambda ptx: _declared(ptx, "const"))

    def get_max_threads_per_block(self, signature=None):
        """The most threads that a block may have."""
        return self._property(signature, lambda ptx: MAX_THREADS)

    def get_regs_per_thread(self, signature=None):
        """Refused: the CPU shares its registers out otherwise."""
        from whipsnake.errors import UnsupportedError

        raise UnsupportedError("get_regs_per_thread: on the CPU no thread has registers of its "
                               "own; ptxas -v tells it of the PTX that inspect_ptx gives")

    def max_cooperative_grid_blocks(self, blockdim, dynsmemsize=0):
        """How many blocks a grid that waits for itself may have."""
        x, y, z = _block_extents(blockdim)
        return max(1, (1 << 18) // (x * y * z))

    def __repr__(self):
        return f"<kernel {self.__qualname__}>"


def _declared(ptx, space):
    """Bytes of all variables that the PTX declares in a space."""
    import re

    found = re.findall(rf"\.{space}\s+\.align\s+\d+\s+\.b8\s+\w+\[(\d+)\]", ptx)
    return sum(int(n) for n in found)


def _decorate(func, options, signatures):
    if isinstance(func, _core.Dispatcher):
        func = func.py_func
    if isinstance(func, Kernel):
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

    if isinstance(func_or_sig, (_pytypes.FunctionType, _core.Dispatcher, Kernel)):
        return _decorate(func_or_sig, options, [])
    signatures = []
    if func_or_sig is not None:
        many = func_or_sig if isinstance(func_or_sig, list) else [func_or_sig]
        signatures = [types.parse_signature(s) for s in many]
        for signature in signatures:
            _check_return(signature, options)
    core_options(options, boundscheck=True)  # complains at once
    return lambda func: _decorate(func, options, signatures)


def _check_return(signature, options):
    from whipsnake import types

    if not options.get("device") and signature.return_type not in (None, types.none):
        raise TypeError(f"a kernel returns nothing, but the signature says "
                        f"{signature.return_type}: write the result into an array")
