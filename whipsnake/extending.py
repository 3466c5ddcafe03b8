"""Teaching compiled code new functions, methods and attributes.

The compiler reads `_registry`, three plain dicts:

    _registry.functions:  {callable: [overload function, ...]}
    _registry.methods:    {(type class, name): [overload function, ...]}
    _registry.attributes: {(type class, name): [overload function, ...]}

An overload function takes the types of the arguments and returns an implementation (a Python
function with the same parameters, compiled in place of the callable) or None if the types are not
for it. The newest registered one is asked first.
"""

from whipsnake import _core


class _Registry:
    def __init__(self):
        self.functions = {}
        self.methods = {}
        self.attributes = {}


_registry = _Registry()


def _find(table, ty, name):
    """The overload functions for `name` of values of type `ty`, from the nearest class; or None.
    table: "methods" or "attributes"."""
    rows = getattr(_registry, table)
    if not rows:
        return None
    for cls in type(ty).__mro__:
        found = rows.get((cls, name))
        if found:
            return found
    return None


def _check_parameters(target, overload_func):
    """The overload must take what the function takes, as far as the function tells."""
    import inspect

    try:
        wanted = list(inspect.signature(target).parameters.values())
        given = list(inspect.signature(overload_func).parameters.values())
    except (ValueError, TypeError):
        return  # builtin functions often have no signature
    stars = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    if any(p.kind in stars for p in wanted + given):
        return
    if len(given) > len(wanted):
        raise TypeError(f"the overload {overload_func.__qualname__} has parameters that "
                        f"{getattr(target, '__qualname__', target)} does not have")


def overload(func, jit_options=None, strict=True, inline="never", prefer_literal=False, **kwargs):
    """Give `func` an implementation in compiled code.

    The decorated function is called at compile time with the types of the arguments:

        @overload(my_function)
        def ol_my_function(x):
            if isinstance(x, types.Integer):
                return lambda x: x + 1
    """
    def decorate(overload_func):
        if strict and callable(func):
            _check_parameters(func, overload_func)
        _registry.functions.setdefault(func, []).append(overload_func)
        return overload_func

    return decorate


def overload_method(typ, attr, **kwargs):
    """Give values of a type class (types.Array ...) a method in compiled code."""
    def decorate(overload_func):
        _registry.methods.setdefault((_class_of(typ), attr), []).append(overload_func)
        return overload_func

    return decorate


def overload_attribute(typ, attr, **kwargs):
    """Give values of a type class (types.Array ...) an attribute in compiled code."""
    def decorate(overload_func):
        _registry.attributes.setdefault((_class_of(typ), attr), []).append(overload_func)
        return overload_func

    return decorate


def _class_of(typ):
    return typ if isinstance(typ, type) else type(typ)


def register_jitable(*args, **options):
    """Mark a Python function as callable from compiled code; it stays a Python function."""
    def decorate(func):
        from whipsnake import decorators

        if not decorators._is_disabled():
            compiled = decorators.njit(**options)(func) if options else func
            _registry.functions.setdefault(func, []).append(lambda *a, **k: compiled)
        return func

    if len(args) == 1 and callable(args[0]) and not options:
        return decorate(args[0])
    if args:
        raise TypeError("register_jitable takes options by keyword only")
    return decorate


def is_jitted(obj):
    """Is `obj` a compiled function?"""
    return isinstance(obj, _core.Dispatcher)


def _not_yet(name):
    def refuse(*args, **kwargs):
        from whipsnake.errors import UnsupportedError

        raise UnsupportedError(f"not built yet: whipsnake.extending.{name}")

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


def __getattr__(name):
    if name in _NOT_YET:
        return _not_yet(name)
    raise AttributeError(f"module 'whipsnake.extending' has no attribute {name!r}")


_NOT_YET = frozenset([
    "intrinsic", "overload_classmethod", "make_attribute_wrapper", "type_callable",
    "get_cython_function_address", "include_path", "SentryLiteralArgs", "typeof_impl",
    "as_numba_type", "register_model", "models", "box", "unbox", "reflect", "NativeValue", "infer",
    "infer_getattr", "lower_builtin", "lower_getattr", "lower_getattr_generic", "lower_setattr",
    "lower_setattr_generic", "lower_cast",
])
