"""vectorize and guvectorize, and what their ufuncs do that needs no speed (see src/ufunc).

A ufunc has loops, one per signature. Without given signatures each call adds the one for its types,
as compiled functions do: what a call gives never depends on the calls before it. NumPy takes the
first loop that the arguments can be cast to, so the order is: a loop comes before those that its
inputs could be cast to. Given signatures stay in their order.
"""

import linecache
import types as _pytypes

import numpy as np

from whipsnake import _core, decorators, prange, types
from whipsnake.errors import TypingError, UnsupportedError

# -- the decorators -----------------------------------------------------------------------------

_IDENTITIES = (None, 0, 1, "reorderable")


def vectorize(ftylist_or_function=(), **options):
    """Make a NumPy ufunc of a function of numbers.

    Use it bare, or with a list of signatures (`@vectorize(["float64(float64)"])`). Without,
    each call adds the signature of its arguments. The result is called with numbers and arrays,
    which are broadcast, and has the attributes and methods of NumPy's ufuncs. Options: identity
    (None, 0, 1 or "reorderable"), target ("cpu", "parallel" or "cuda"), and those of jit; the
    error model is "numpy": a division by zero gives inf or nan.
    """
    if isinstance(ftylist_or_function, (_pytypes.FunctionType, _core.Dispatcher)):
        return _vectorize(ftylist_or_function, [], options)
    signatures = _signatures(ftylist_or_function) if ftylist_or_function else []
    return lambda func: _vectorize(func, signatures, options)


def guvectorize(*args, **options):
    """Make a generalized ufunc of a function that fills arrays.

    `@guvectorize(["void(float64[:], float64[:])"], "(n)->()")`, or the layout alone: then each call
    adds the signature of its arguments, outputs included. The function gets arrays with the
    dimensions of the layout, numbers for inputs without any, and writes to its last arguments. A
    layout without "->" has no outputs: the function writes to what it is given.
    """
    if not 1 <= len(args) <= 2 or not isinstance(args[-1], str):
        raise TypeError("guvectorize takes signatures and a layout such as '(n),(n)->()', or the "
                        "layout alone")
    if "(" not in args[-1]:
        raise ValueError(f"the layout of guvectorize names the dimensions of each argument, as in "
                         f"'(n),(n)->()'; {args[-1]!r} names none")
    signatures = _signatures(args[0]) if len(args) == 2 else []
    return lambda func: _guvectorize(func, signatures, args[-1], options)


def _signatures(given):
    if types.is_signature(given):
        given = [given]
    return [types.parse_signature(s) for s in given]


def _compiled(func, options):
    """(the compiled function, identity) of a decorated one."""
    options = dict(options)
    target, identity = options.pop("target", "cpu"), options.pop("identity", None)
    options.pop("writable_args", None)
    if target not in ("cpu", "parallel", "cuda"):
        raise UnsupportedError(f"target={target!r}: it is 'cpu', 'parallel' or 'cuda'")
    if not any(identity is i or (identity == i and i is not None) for i in _IDENTITIES):
        raise ValueError(f"identity is None, 0, 1 or 'reorderable', not {identity!r}")
    if isinstance(func, _core.Dispatcher):
        func = func.py_func
    if not isinstance(func, _pytypes.FunctionType):
        raise TypeError(f"{func!r} is not a Python function")
    options.setdefault("error_model", "numpy")
    if target == "parallel":
        options["parallel"] = True
    return _core.Dispatcher(func, **decorators._core_options(options)), identity


def _on_device(ufunc):
    from whipsnake.cuda._ufunc import DeviceUfunc

    return DeviceUfunc(ufunc)


def _make(function, nin, nout, identity, layout):
    name = function.__name__.encode()
    doc = (function.__doc__ or "").encode()
    return _core.Ufunc(function, nin, nout, name, doc, identity, layout)


def _with_signatures(u, signatures):
    """u with these alone; frozen first, so that they are tried in the order given."""
    u.disable_compile(bool(signatures))
    for signature in signatures:
        add(u, signature)
    return u


def _vectorize(func, signatures, options):
    if decorators._is_disabled():
        return np.vectorize(func)
    if options.get("target") == "cuda":
        return _on_device(_vectorize(func, signatures, {**options, "target": "cpu"}))
    function, identity = _compiled(func, options)
    nin = len(function._parameters)
    if not nin:
        raise TypeError(f"{function.__name__}() has no parameter: there is nothing to vectorize")
    return _with_signatures(_make(function, nin, 1, identity, None), signatures)


def _guvectorize(func, signatures, layout, options):
    if decorators._is_disabled():
        return _plain_generalized(func, layout, signatures)
    if options.get("target") == "cuda":
        return _on_device(_guvectorize(func, signatures, layout, {**options, "target": "cpu"}))
    function, identity = _compiled(func, options)
    inputs, _, outputs = layout.partition("->")
    nin, nout = inputs.count("("), outputs.count("(")
    if len(function._parameters) != nin + nout:
        raise TypeError(f"{function.__name__}() has {len(function._parameters)} parameters, and "
                        f"the layout {layout!r} {nin + nout} arguments")
    u = _make(function, nin, nout, identity, layout.replace(" ", "").encode())
    return _with_signatures(u, signatures)


def _core_names(side):
    """"(m,n),()": [["m", "n"], []]."""
    parts = (part.split(")")[0].replace(" ", "") for part in side.split("(")[1:])
    return [part.split(",") if part else [] for part in parts]


def _plain_generalized(func, layout, signatures):
    """The same in plain Python, for WHIPSNAKE_DISABLE_JIT."""
    inputs, outputs = map(_core_names, layout.partition("->")[::2])
    nin = len(inputs)

    def call(*args, out=None):
        given = [np.asarray(a) for a in args[:nin]]
        outs = list(args[nin:]) or ([] if out is None else
                                    list(out) if isinstance(out, tuple) else [out])
        loop = np.broadcast_shapes(*(a.shape[:a.ndim - len(c)] for a, c in zip(given, inputs)))
        sizes = {name: n for a, c in zip(given, inputs)
                 for name, n in zip(c, a.shape[a.ndim - len(c):])}
        for k, core in enumerate(outputs):
            if k >= len(outs):
                ty = signatures[0].args[nin + k] if signatures else None
                dtype = _core.as_dtype(getattr(ty, "dtype", ty)) if ty else np.result_type(*given)
                outs.append(np.empty(loop + tuple(sizes[name] for name in core), dtype))
        given = [np.broadcast_to(a, loop + a.shape[a.ndim - len(c):])
                 for a, c in zip(given, inputs)]
        for at in np.ndindex(*loop):
            func(*(a[at] for a in given),
                 *(o[at] if core else o[at + (None,)] for o, core in zip(outs, outputs)))
        results = tuple(o[()] if isinstance(o, np.ndarray) and not o.ndim else o for o in outs)
        return results[0] if len(results) == 1 else results

    return call


# -- loops --------------------------------------------------------------------------------------

def _write(name, text, function):
    """A Python function of that text, whose global `f` is the compiled function."""
    filename = f"<whipsnake {name}>"
    if filename not in linecache.cache:
        lines = text.splitlines(keepends=True)
        linecache.cache[filename] = (len(text), None, lines, filename)
    namespace = {"f": function, "prange": prange, "__name__": function.__module__}
    exec(compile(text, filename, "exec"), namespace)
    written = namespace["loop"]
    options = dict(function._options)
    options["inline_always"] = False
    return _core.Dispatcher(written, **options)


def _row_code(u):
    """The compiled function (x0, x1 ... out) over contiguous rows."""
    row = getattr(u, "_row", None)
    if row is None:
        names = [f"x{i}" for i in range(u.nin)]
        text = (f"def loop({', '.join(names)}, out):\n"
                "    for i in prange(out.size):\n"
                f"        out[i] = f({', '.join(f'{name}[i]' for name in names)})\n")
        row = u._row = _write(f"row of {u.nin}", text, u._function)
    return row


def _fold_code(u):
    """The compiled function (acc, x) that reduces."""
    fold = getattr(u, "_fold", None)
    if fold is None:
        text = ("def loop(acc, x):\n"
                "    for i in range(x.size):\n"
                "        acc[0] = f(acc[0], x[i])\n")
        fold = u._fold = _write("fold", text, u._function)
    return fold


def _dtypes(elems):
    return tuple(map(_core.as_dtype, elems))


def _can_cast(a, b):
    """Could the inputs of one signature be given to the other?"""
    return all(map(np.can_cast, _dtypes(a), _dtypes(b)))


def _insert(u, elems, codes):
    """Adds a loop, unless it is there; its types. Another thread may add one meanwhile."""
    while True:
        loops = u._loops()
        if elems in loops:
            return elems
        at = len(loops)
        if not u._frozen:
            wider = (i for i, loop in enumerate(loops) if _can_cast(elems[:u.nin], loop[:u.nin]))
            at = next(wider, at)
        if u._add(len(loops), at, elems, codes):
            return elems


def _check_number(u, ty, what):
    if not isinstance(ty, types.Number) and ty is not types.boolean:
        raise TypingError(f"{u.__name__}() cannot be a ufunc: {what} is {ty}, and ufuncs are made "
                          "of numbers")
    return ty


def _result(u, args):
    """Type of the function's result."""
    name = u._function._text("result", args)
    return types.boolean if name == "bool" else getattr(types, name, name)


def _add_elementwise(u, args, result):
    """A loop for these types of numbers; its types."""
    if len(args) != u.nin:
        raise TypingError(f"a signature of {u.__name__}() has {u.nin} argument types, not "
                          f"{len(args)}")
    for name, ty in zip(u._function._parameters, args):
        _check_number(u, ty, f"argument '{name}'")
    result = result or _result(u, args)
    _check_number(u, result, "its result")
    elems = (*args, result)
    rows = tuple(types.Array(t, 1, "C") for t in elems)
    codes = [(_row_code(u), rows), (None, ())]
    if u.nin == 2:
        codes[1] = (_fold_code(u), (rows[2], types.Array(args[1], 1, "A")))
    return _insert(u, elems, tuple(codes))


def _core_ndims(u):
    """Number of core dimensions of each argument."""
    return list(map(len, _core_names(u.signature)))


def _add_generalized(u, args, result):
    """A loop for the types that the function's parameters have; its types."""
    ndims = _core_ndims(u)
    if result not in (None, types.none):
        raise TypingError(f"{u.__name__}() is written for guvectorize: it fills its last arguments "
                          f"and returns nothing, not {result}")
    if len(args) != len(ndims):
        raise TypingError(f"a signature of {u.__name__}() has {len(ndims)} argument types, not "
                          f"{len(args)}")
    for k, (name, ty, ndim) in enumerate(zip(u._function._parameters, args, ndims)):
        is_array = isinstance(ty, types.Array)
        _check_number(u, ty.dtype if is_array else ty, f"argument '{name}'")
        if (ty.ndim if is_array else 0) != ndim and not (is_array and ty.ndim == 1 and ndim == 0):
            raise TypingError(f"argument '{name}' of {u.__name__}() is {ty}, and has {ndim} "
                              f"dimension{'' if ndim == 1 else 's'} in the layout {u.signature}")
        if k >= u.nin and not is_array:
            raise TypingError(f"argument '{name}' of {u.__name__}() is an output, so an array: "
                              f"write {ty}[:]")
    elems = tuple(t.dtype if isinstance(t, types.Array) else t for t in args)
    codes = tuple((u._function, tuple(t.copy(layout=layout) if isinstance(t, types.Array) else t
                                      for t in args)) for layout in "CA")
    return _insert(u, elems, codes)


def add(u, sig):
    """Add a signature, in any form that vectorize takes."""
    signature = types.parse_signature(sig)
    adder = _add_generalized if u.signature else _add_elementwise
    adder(u, tuple(signature.args), signature.return_type)


def build_ufunc(u):
    """The ufunc itself, which is always ready."""
    return u


def _find(u, inputs):
    """Types of the first loop for exactly these element types; None: there is none."""
    return next((loop for loop in u._loops() if loop[:len(inputs)] == inputs), None)


def _elem(obj):
    """Element type of an argument as NumPy will see it."""
    if _is_number(obj):
        return _core.typeof(obj)
    return _core.from_dtype(np.asarray(obj).dtype)


def _prepare(u, inputs):
    """Types of the loop for these inputs, made if it may be; None: NumPy is to choose."""
    return _find(u, inputs) or (None if u._frozen else _add_elementwise(u, inputs, None))


# -- calls --------------------------------------------------------------------------------------

def call(u, args, kwargs):
    """What is not a plain call with numbers, or with arguments of last time's types."""
    overrides = _overrides(args, kwargs)
    if overrides:
        return _call_override(u, overrides, "__call__", args, kwargs)
    if len(args) < u.nin:
        return u._run("__call__", args, kwargs)
    if not u.signature and not kwargs and len(args) == u.nin and all(map(_is_number, args)):
        value = _call_function(u, args)
        if value is not None:
            return value
    if u.signature:
        args = _apart_from_outputs(u, args, kwargs)
    if not u._frozen:
        (_prepare_generalized if u.signature else _prepare_call)(u, args, kwargs)
        _remember(u, args)
        kwargs = _with_signature(u, args, kwargs)
    return u._run("__call__", args, kwargs)


def _is_number(obj):
    return isinstance(obj, (bool, int, float, complex, np.generic))


def _call_function(u, args):
    """The function itself on numbers; None: not with these types."""
    elems = tuple(_elem(a) for a in args)
    loop = _prepare(u, elems)
    if loop is None:
        return None
    u._function._compile(elems, loop[-1] if u._frozen else None)
    return _core.as_dtype(loop[-1]).type(u._function(*args))


def _remember(u, args):
    """Notes the loop for plain arrays and numbers: the next such call goes straight to NumPy."""
    operands = args[:u.nin] if not u.signature else args
    plain = all(type(a) is np.ndarray or _is_number(a) for a in operands)
    u._remember(_find(u, tuple(_elem(a) for a in operands)) if plain else None)


def _prepare_call(u, args, kwargs):
    dtype = kwargs.get("dtype")
    if kwargs.get("signature") is not None or kwargs.get("sig") is not None:
        return
    if dtype is not None:
        inputs = (_core.from_dtype(np.dtype(dtype)),) * u.nin
    else:
        inputs = tuple(_elem(a) for a in args[:u.nin])
    _prepare(u, inputs)


def _with_signature(u, args, kwargs):
    """kwargs, with the loop named where NumPy would take a number for any type."""
    if u._frozen or u.signature or len(args) < u.nin or u.ntypes < 2:
        return kwargs
    if any(kwargs.get(name) is not None for name in ("dtype", "signature", "sig")):
        return kwargs
    if all(isinstance(a, np.ndarray) and a.ndim for a in args[:u.nin]):
        return kwargs
    loop = _find(u, tuple(_elem(a) for a in args[:u.nin]))
    return {**kwargs, "signature": _dtypes(loop)} if loop else kwargs


def _outputs(u, args, kwargs):
    out = kwargs.get("out", args[u.nin:])
    return out if isinstance(out, tuple) else (out,)


def _apart_from_outputs(u, args, kwargs):
    """args, with a copy of each input that begins where an output does. NumPy copies what overlaps
    otherwise, but takes one array as input and output for safe, as it is element by element."""
    outputs = {a.ctypes.data for a in _outputs(u, args, kwargs) if isinstance(a, np.ndarray)}
    return (*(a.copy(order="K") if isinstance(a, np.ndarray) and a.ctypes.data in outputs else a
              for a in args[:u.nin]), *args[u.nin:])


def _prepare_generalized(u, args, kwargs):
    out = _outputs(u, args, kwargs)
    if len(out) != u.nout or any(o is None for o in out):
        what = "arrays" if u.nout > 1 else "an array"
        raise TypeError(f"{u.__name__}() was made without signatures, so the types of its outputs "
                        f"are not known: pass {what} for them, as in {u.__name__}"
                        f"({', '.join(u._function._parameters)})")
    operands = (*args[:u.nin], *out)
    elems = tuple(_elem(a) for a in operands)
    if _find(u, elems) is None:
        ndims = _core_ndims(u)
        _add_generalized(u, tuple(
            elem if not ndim and k < u.nin else types.Array(elem, max(ndim, 1), "A")
            for k, (elem, ndim) in enumerate(zip(elems, ndims))), None)


def _overrides(args, kwargs):
    """Arguments that want to do the call themselves (NEP 13), in the order of asking."""
    plain, found = np.ndarray.__array_ufunc__, []
    out = kwargs.get("out", ())
    for arg in (*args, *(out if isinstance(out, tuple) else (out,))):
        cls = type(arg)
        if cls is np.ndarray or getattr(cls, "__array_ufunc__", plain) is plain:
            continue
        if any(cls is type(f) for f in found):
            continue
        at = next((i for i, f in enumerate(found) if issubclass(cls, type(f))), len(found))
        found.insert(at, arg)
    return found


def _call_override(u, overrides, method, args, kwargs):
    if len(args) > u.nin and method == "__call__":
        kwargs = {**kwargs, "out": args[u.nin:]}
        args = args[:u.nin]
    elif "out" in kwargs and not isinstance(kwargs["out"], tuple):
        kwargs = {**kwargs, "out": (kwargs["out"],)}
    for arg in overrides:
        if type(arg).__array_ufunc__ is None:
            raise TypeError(f"operand '{type(arg).__name__}' does not support ufuncs "
                            "(__array_ufunc__=None)")
        result = type(arg).__array_ufunc__(arg, u, method, *args, **kwargs)
        if result is not NotImplemented:
            return result
    names = ", ".join(type(a).__name__ for a in args)
    raise TypeError(f"operand type(s) all returned NotImplemented from __array_ufunc__({u!r}, "
                    f"{method!r}): {names}")


# -- methods ------------------------------------------------------------------------------------

def _fold_dtype(u, array, dtype):
    """The dtype to reduce in: one that the function's result has again."""
    elem = _core.from_dtype(np.dtype(dtype)) if dtype is not None else _elem(array)
    for _ in range(4):
        loop = _prepare(u, (elem, elem))
        if loop is None:
            return dtype
        if loop[-1] is elem:
            break
        elem = loop[-1]
    return _core.as_dtype(elem)


def _fold(method):
    def fold(u, array, *args, **kwargs):
        overrides = _overrides((array,), kwargs)
        if overrides:
            return _call_override(u, overrides, method, (array, *args), kwargs)
        if not u._frozen and u.nin == 2 and not u.signature:
            dtype_at = 1 if method != "reduceat" else 2
            given = args[dtype_at] if len(args) > dtype_at else kwargs.get("dtype")
            if len(args) <= dtype_at:
                kwargs = {**kwargs, "dtype": _fold_dtype(u, array, given)}
        return u._run(method, (array, *args), kwargs)

    fold.__name__ = method
    return fold


reduce = _fold("reduce")
accumulate = _fold("accumulate")
reduceat = _fold("reduceat")


def outer(u, a, b, /, **kwargs):
    """The ufunc of each pair of elements."""
    overrides = _overrides((a, b), kwargs)
    if overrides:
        return _call_override(u, overrides, "outer", (a, b), kwargs)
    if not u._frozen and u.nin == 2 and not u.signature:
        _prepare_call(u, (a, b), kwargs)
        kwargs = _with_signature(u, (a, b), kwargs)
    return u._run("outer", (a, b), kwargs)


def at(u, a, indices, *b):
    """In place, at the indices; repeated ones count each time."""
    overrides = _overrides((a, *b), {})
    if overrides:
        return _call_override(u, overrides, "at", (a, indices, *b), {})
    if not u._frozen and not u.signature and len(b) + 1 == u.nin:
        _prepare(u, tuple(_elem(x) for x in (a, *b)))
    return u._run("at", (a, indices, *b), {})


def __repr__(u):
    return f"<ufunc {u.__name__!r}, compiled>"


# -- pickling -----------------------------------------------------------------------------------

def __reduce__(u):
    """By name where another process can import it, else by what it is made of."""
    from whipsnake import _pickle

    return _pickle.reduce(u)


def _pickled_parts(u):
    loops = u._loops() if u._frozen else []
    return _rebuild, (u._function, u.nin, u.nout, u._identity, u.signature, loops)


def _rebuild(function, nin, nout, identity, layout, loops):
    if decorators._is_disabled():
        function = getattr(function, "py_func", function)
        if not layout:
            return np.vectorize(function)
        signatures = [types.Signature(types.none, args) for args in loops]
        return _plain_generalized(function, layout, signatures)
    u = _make(function, nin, nout, identity, layout and layout.encode())
    u.disable_compile(bool(loops))  # before: they are tried in this order
    for elems in loops:
        if not layout:
            _add_elementwise(u, elems[:-1], elems[-1])
            continue
        _add_generalized(u, tuple(
            elem if not ndim and k < nin else types.Array(elem, max(ndim, 1), "A")
            for k, (elem, ndim) in enumerate(zip(elems, _core_ndims(u)))), None)
    return u
