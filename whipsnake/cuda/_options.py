"""Options of cuda.jit and of the compile functions."""

from whipsnake import decorators

# Change nothing on the CPU and in PTX without debug information.
_ACCEPTED = frozenset(["inline", "forceinline", "opt", "max_registers", "launch_bounds",
                       "lto", "shared_memory_carveout", "extensions", "func_or_sig", "abi",
                       "abi_info", "output", "lineinfo"])
_MEANT = frozenset(["device", "fastmath", "fma", "debug", "boundscheck", "cache"])
_NOT_YET = frozenset(["link"])


def core_options(options, *, boundscheck):
    """Keywords of _core.Dispatcher for options as users write them; `boundscheck`: the default.

    All code of a kernel divides as NumPy does and, unless fma=False, fuses a product and a sum."""
    for name, value in options.items():
        if (name in _NOT_YET and value) or (name, value) == ("debug", "race"):
            from whipsnake.errors import UnsupportedError

            raise UnsupportedError(f"not built yet: cuda.jit({name}={value!r})")
        if name not in _ACCEPTED | _MEANT | _NOT_YET:
            import difflib

            near = difflib.get_close_matches(name, sorted(_MEANT | _ACCEPTED | _NOT_YET), 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise TypeError(f"cuda.jit has no option {name}{hint}")
    fast = decorators._fast_bits(options.get("fastmath", False))
    if options.get("fma", True):
        fast |= decorators._FAST["contract"]
    checks = options.get("boundscheck")
    return {"fast": fast, "numpy_errors": not options.get("debug"), "nogil": True,
            "boundscheck": boundscheck if checks is None else bool(checks),
            "debug": bool(options.get("debug", False)),
            "cache": bool(options.get("cache", True)),
            "inline_always": options.get("inline") in (True, "always")}
