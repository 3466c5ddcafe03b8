"""`jit` and its relatives."""

import types as _pytypes

from whipsnake import _core, config

# Bits of the flags that `fastmath` names (FastFlag in src/ir/ir.h).
_FAST = {"nnan": 1, "ninf": 2, "nsz": 4, "arcp": 8, "contract": 16, "afn": 32, "reassoc": 64}
_FAST_ALL = 127
# fastmath=True: isnan and isinf keep their meaning unless nnan and ninf are asked for by name.
_FAST_TRUE = _FAST_ALL & ~(_FAST["nnan"] | _FAST["ninf"])

# Options of Numba's that change nothing here.
_ACCEPTED = frozenset([
    "nopython", "forceobj", "looplift", "no_rewrites", "no_cpython_wrapper", "no_cfunc_wrapper",
    "deterministic", "writable_args", "pipeline_class", "target", "target_backend", "forceinline",
    "_nrt", "_dbg_extend_lifetimes", "_dbg_optnone", "_target",
])
_MEANT = frozenset(["nogil", "parallel", "fastmath", "error_model", "boundscheck", "inline",
                    "debug", "locals", "cache"])


# `python -m whipsnake explain` puts a list here, to hear of all compiled functions.
made = None


def _is_disabled():
    """WHIPSNAKE_DISABLE_JIT=1: decorators leave functions as they are."""
    return bool(config.DISABLE_JIT)


def _fast_bits(fastmath):
    if not isinstance(fastmath, (bool, set, frozenset, dict, list, tuple)):
        raise TypeError(f"fastmath is True, False or a set of flags, not {fastmath!r}")
    if fastmath is True:
        return _FAST_TRUE
    if isinstance(fastmath, dict):
        fastmath = [flag for flag, on in fastmath.items() if on]
    bits = 0
    for flag in fastmath or ():
        if flag == "fast":
            bits |= _FAST_ALL
        elif flag in _FAST:
            bits |= _FAST[flag]
        else:
            raise ValueError(f"fastmath does not know the flag {flag!r}; it has fast, "
                             f"{', '.join(_FAST)}")
    return bits


def _refuse_unknown(options):
    for name in options:
        if name in _MEANT or name in _ACCEPTED:
            continue
        import difflib

        near = difflib.get_close_matches(name, sorted(_MEANT | _ACCEPTED), 1)
        hint = f"; did you mean {near[0]}?" if near else f"; it has {', '.join(sorted(_MEANT))}"
        raise TypeError(f"jit has no option {name}{hint}")


def _core_options(options):
    """Options as users write them -> keywords of _core.Dispatcher."""
    _refuse_unknown(options)
    error_model = options.get("error_model", "python")
    if error_model not in ("python", "numpy"):
        raise ValueError(f"error_model is 'python' or 'numpy', not {error_model!r}")
    inline = options.get("inline", "never")
    if inline not in ("never", "always") and not callable(inline):
        raise ValueError(f"inline is 'never' or 'always', not {inline!r}")
    boundscheck = options.get("boundscheck")
    if config.BOUNDSCHECK is not None:
        boundscheck = config.BOUNDSCHECK
    return {
        "fast": _fast_bits(options.get("fastmath", False)),
        "numpy_errors": error_model == "numpy",
        "boundscheck": boundscheck is None or bool(boundscheck),
        "nogil": bool(options.get("nogil", False)),
        "parallel": bool(options.get("parallel", False)),
        "debug": bool(options.get("debug", config.DEBUGINFO_DEFAULT)),
        "inline_always": inline == "always",
        "cache": bool(options.get("cache", True)),
        "locals": options.get("locals") or None,
    }


def _warn_of_object_mode(options):
    if not options.get("forceobj") and options.get("nopython", True) is not False:
        return
    import warnings

    from whipsnake.errors import NumbaDeprecationWarning

    warnings.warn("whipsnake has no object mode: forceobj and nopython=False compile as "
                  "nopython=True does", NumbaDeprecationWarning, stacklevel=3)


def _split_signatures(first):
    """(function or None, list of signatures) from jit's first argument."""
    if first is None:
        return None, []
    if isinstance(first, (_pytypes.FunctionType, _core.Dispatcher)):
        return first, []
    if isinstance(first, (staticmethod, classmethod)):
        raise TypeError(f"put @{type(first).__name__} above the jit decorator, not below it")
    from whipsnake import types

    if isinstance(first, list):
        return None, [types.parse_signature(s) for s in first]
    if types.is_signature(first):
        return None, [types.parse_signature(first)]
    if isinstance(first, type):
        raise TypeError(f"jit compiles functions, and {first.__name__} is a class: decorate "
                        "functions that take its numbers and arrays")
    if callable(first):
        name = getattr(first, "__name__", repr(first))
        raise TypeError(f"jit compiles functions written in Python, and {name} is not one")
    raise TypeError(f"jit takes a function, or signatures such as 'int64(float64)', "
                    f"not {first!r}")


def _decorate(func, signatures, options):
    if isinstance(func, _core.Dispatcher):
        func = func.py_func
    if _is_disabled():
        return func
    compiled = _core.Dispatcher(func, **options)
    if made is not None:
        made.append(compiled)
    if signatures:
        from whipsnake._function import promise_signature

        for signature in signatures:
            promise_signature(compiled, signature)
        compiled.disable_compile()
    return compiled


def jit(signature_or_function=None, **options):
    """Compile a function to machine code at its first call, for the types it is called with.

    Use it bare (`@jit`), with options (`@jit(nogil=True)`), or with signatures
    (`@jit("float64(float64[:], int64)")`, or a list of them), which compile when they are first
    needed and convert the arguments of every call.

    Options: nogil, parallel, fastmath (True or a set of flags), error_model ("python" raises
    ZeroDivisionError, "numpy" gives inf and nan), boundscheck (on unless False), inline, debug,
    cache, locals (name -> type). The others of Numba's are accepted.
    """
    func, signatures = _split_signatures(signature_or_function)
    _warn_of_object_mode(options)
    core_options = _core_options(options)
    if func is not None:
        return _decorate(func, signatures, core_options)

    def decorator(func):
        return _decorate(func, signatures, core_options)

    return decorator


def njit(signature_or_function=None, **options):
    """The same as jit: there is no other mode than nopython."""
    if options.get("nopython", True) is False or options.get("forceobj"):
        return jit(signature_or_function, **options)
    func, signatures = _split_signatures(signature_or_function)
    core_options = _core_options(options)
    if func is not None:
        return _decorate(func, signatures, core_options)
    return lambda func: _decorate(func, signatures, core_options)


def generated_jit(function=None, **options):
    """Numba removed it; overload does what it did."""
    from whipsnake.errors import UnsupportedError

    raise UnsupportedError("generated_jit: use whipsnake.extending.overload")


def jit_module(**options):
    """Decorate every function of the calling module that was defined in it so far."""
    import sys

    module = sys._getframe(1).f_globals
    for name, value in list(module.items()):
        if isinstance(value, _pytypes.FunctionType) and value.__module__ == module["__name__"]:
            module[name] = jit(value, **options)
