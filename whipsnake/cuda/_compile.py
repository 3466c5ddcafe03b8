"""Compiling for a GPU without one: PTX as text."""

from whipsnake import _core
from whipsnake.cuda._options import core_options

_OLDEST = (5, 0)


def _target(cc):
    """The PTX target for a compute capability: what our LLVM knows, which newer GPUs run too."""
    try:
        major, minor = cc
        cc = (int(major), int(minor))
    except (TypeError, ValueError):
        raise ValueError(f"cc is a pair such as (7, 5), not {cc!r}") from None
    if cc < _OLDEST:
        raise ValueError(f"compute capability {cc[0]}.{cc[1]} is older than "
                         f"{_OLDEST[0]}.{_OLDEST[1]}, the oldest that is supported")
    known = [(5, 0), (5, 2), (6, 0), (6, 1), (7, 0), (7, 5), (8, 0), (8, 6), (8, 9), (9, 0)]
    major, minor = max(k for k in known if k <= cc)
    return f"sm_{major}{minor}"


def compile_ptx(pyfunc, sig, debug=False, lineinfo=False, device=False, fastmath=False, cc=None,
                opt=None, abi=None, **options):
    """(PTX, None) of a kernel for argument types and a compute capability, (7, 5) if not given.

    The kernel's name in the PTX is that of the function. An array argument becomes its address, its
    shape, and, unless it is known to be contiguous, its strides in bytes. Subscripts are not
    checked unless boundscheck=True."""
    from whipsnake import types
    from whipsnake.errors import UnsupportedError

    if device:
        raise UnsupportedError("not built yet: PTX of a device function; compile a kernel that "
                               "calls it")
    if lineinfo:
        raise UnsupportedError("not built yet: compile_ptx(lineinfo=True)")
    options.update(fastmath=fastmath, debug=debug)
    func = getattr(pyfunc, "py_func", pyfunc)
    function = _core.Dispatcher(func, kernel=True, **core_options(options, boundscheck=False))
    signature = types.parse_signature(sig)
    if signature.return_type not in (None, types.none):
        raise TypeError(f"a kernel returns nothing, not {signature.return_type}")
    return function._text("ptx", signature.args, _target((7, 5) if cc is None else cc)), None


def compile(pyfunc, sig, output="ptx", **options):
    """The same as compile_ptx, the only output there is."""
    if output != "ptx":
        from whipsnake.errors import UnsupportedError

        raise UnsupportedError(f"not built yet: cuda.compile(output={output!r})")
    return compile_ptx(pyfunc, sig, **options)


def _no_device(name):
    raise RuntimeError(f"{name}: there is no current device, because no GPU driver is used yet; "
                       "name one: cuda.compile_ptx(function, signature, cc=(9, 0))")


def compile_ptx_for_current_device(pyfunc, sig, **options):
    """Refused: there is no GPU to ask for its compute capability."""
    _no_device("compile_ptx_for_current_device")


def compile_for_current_device(pyfunc, sig, **options):
    """Refused: there is no GPU to ask for its compute capability."""
    _no_device("compile_for_current_device")
