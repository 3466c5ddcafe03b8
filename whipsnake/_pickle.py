"""How compiled functions are pickled.

What a module holds under its own name is pickled as that name, like a Python function. Everything
else (closures, lambdas, what a notebook or __main__ defines, modules that cloudpickle was told to
pickle by value) is pickled by value: its code, the globals that the code names, its closure, and
the source text, so that the process that loads it compiles it, or takes it from its cache, without
having the file.

By value an object is bytes of a pickler of our own inside the pickle at hand. So it does not matter
which pickler that is; and equal bytes give the same object, so a worker that is sent a function
with each of its tasks loads it once.
"""

import collections
import enum
import functools
import hashlib
import importlib
import io
import linecache
import marshal
import pickle
import sys
import types
import weakref
import zlib

import numpy as np

from whipsnake import _core

_MAGIC = importlib._bootstrap_external.MAGIC_NUMBER  # what marshal's code belongs to
_KEPT = 256  # loaded objects that stay for the next time they are sent

# No lock: single operations of dictionaries are safe, and unpickling may import.
_dumped = weakref.WeakValueDictionary()  # digest -> what was pickled here
_loaded = collections.OrderedDict()  # digest -> what was loaded here and has no state of its own


# -- what is pickled by name ----------------------------------------------------------------------

def _by_value_modules():
    """The modules that cloudpickle.register_pickle_by_value was called with, by name."""
    cloudpickle = sys.modules.get("cloudpickle")
    return cloudpickle.list_registry_pickle_by_value() if cloudpickle else ()


def _is_there(obj):
    """Does its module hold this very object under its name?"""
    found = sys.modules.get(obj.__module__)
    for part in obj.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is obj


def is_by_name(obj):
    """Can another process find this object by importing its module?"""
    module = obj.__module__
    if module in (None, "__main__", "__mp_main__") or not _is_there(obj):
        return False
    by_value = _by_value_modules()
    parts = module.split(".")
    return not any(".".join(parts[:n]) in by_value for n in range(1, len(parts) + 1))


def reduce(obj):
    """__reduce__ of compiled functions, kernels and the like."""
    if is_by_name(obj):
        return obj.__qualname__
    try:
        data, stateless = _dump(obj)
    except Exception:
        if _is_there(obj):  # __main__, with something that has no value to pickle
            return obj.__qualname__
        raise
    digest = hashlib.blake2b(data, digest_size=16).digest()
    _dumped[digest] = obj
    return load, (_MAGIC, digest, stateless, data)


# -- by value -------------------------------------------------------------------------------------

def _dump(obj):
    out = io.BytesIO()
    pickler = _pickler_class()(out)
    pickler.dump(obj)
    return out.getvalue(), pickler.stateless


def _pickler_class():
    """Classes of __main__ and the like are for cloudpickle, where it is installed."""
    try:
        from cloudpickle import CloudPickler as base
    except ImportError:
        base = pickle.Pickler
    return _make_pickler(base)


class _Rules:
    """What the pickler does otherwise than its base class."""

    def __init__(self, out):
        super().__init__(out, protocol=5)
        self.spaces = {}  # id of a module's dict -> what stands for it
        self.stateless = True  # nothing that calls could change: those who load it may share it
        self.sources = {}  # file name -> (file name, its text, compressed, or None)

    def reducer_override(self, obj):
        kind = type(obj)
        rule = _RULES.get(kind) or (_parts if hasattr(kind, "_pickled_parts") else None)
        found = rule(self, obj) if rule else NotImplemented
        if found is NotImplemented and hasattr(super(), "reducer_override"):
            return super().reducer_override(obj)
        return found

    def look_at(self, values):
        self.stateless = self.stateless and all(map(_is_stateless, values))

    def space(self, names):
        """The dict that takes the place of a module's."""
        if id(names) not in self.spaces:
            here = {"__name__": names.get("__name__"), "__package__": names.get("__package__")}
            self.spaces[id(names)] = here
        return self.spaces[id(names)]

    def source(self, code, names):
        name = code.co_filename
        if name not in self.sources:
            text = "".join(linecache.getlines(name, names))
            self.sources[name] = (name, _compress(text) if text else None)
        return self.sources[name]


@functools.lru_cache(maxsize=32)
def _compress(text):
    return zlib.compress(text.encode("utf-8", "surrogateescape"), 1)


_picklers = {}


def _make_pickler(base):
    if base not in _picklers:
        _picklers[base] = type("_Pickler", (_Rules, base), {})
    return _picklers[base]


_STATELESS = (type(None), bool, int, float, complex, str, bytes, range, type, np.generic, np.dtype,
              types.FunctionType, types.BuiltinFunctionType, types.ModuleType, np.ufunc, enum.Enum,
              _core.Dispatcher, _core.Type)


def _is_stateless(value):
    if isinstance(value, (tuple, frozenset)):
        return all(map(_is_stateless, value))
    return isinstance(value, _STATELESS) or hasattr(type(value), "_pickled_parts")


def _global_names(code):
    """The globals that the code, or the code in it, may read."""
    import dis

    names = {i.argval for i in dis.get_instructions(code)
             if i.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            names |= _global_names(const)
    return names


def _reduce_function(pickler, func):
    if is_by_name(func):
        return NotImplemented
    code, names = func.__code__, func.__globals__
    made = (marshal.dumps(code), pickler.source(code, names), pickler.space(names),
            func.__module__, func.__name__, func.__qualname__, func.__doc__, func.__defaults__,
            func.__kwdefaults__, func.__closure__)
    used = {name: names[name] for name in sorted(_global_names(code)) if name in names}
    cells = [c.cell_contents for c in func.__closure__ or () if not _is_empty(c)]
    pickler.look_at([*used.values(), *cells, *(func.__defaults__ or ()),
                     *(func.__kwdefaults__ or {}).values()])
    return _make_function, made, (used, func.__dict__), None, None, _finish_function


def _reduce_dispatcher(pickler, f):
    if is_by_name(f):
        return f.__qualname__
    frozen, signatures = f._given()
    made = f.py_func, f._options, frozen, signatures if frozen else []
    extra = {k: v for k, v in f.__dict__.items() if k not in _OWN and k not in f.py_func.__dict__}
    return _make_dispatcher, made, extra or None, None, None, _set_attributes


_OWN = frozenset(["__module__", "__name__", "__qualname__", "__doc__", "__annotations__",
                  "__wrapped__"])


def _reduce_cell(pickler, cell):
    if _is_empty(cell):
        return types.CellType, ()
    return types.CellType, (), cell.cell_contents, None, None, _fill_cell


def _is_empty(cell):
    try:
        _ = cell.cell_contents
    except ValueError:
        return True
    return False


def _reduce_module(pickler, module):
    if sys.modules.get(module.__name__) is not module or module.__name__ == "__main__":
        return NotImplemented
    return importlib.import_module, (module.__name__,)


def _parts(pickler, obj):
    return obj.__qualname__ if is_by_name(obj) else obj._pickled_parts()


_RULES = {types.FunctionType: _reduce_function, _core.Dispatcher: _reduce_dispatcher,
          types.CellType: _reduce_cell, types.ModuleType: _reduce_module}


# -- loading --------------------------------------------------------------------------------------

def load(magic, digest, stateless, data):
    """The object that was pickled: the same one, if it was pickled or loaded here before."""
    if magic != _MAGIC:
        raise pickle.UnpicklingError("this compiled function was pickled by another version of "
                                     "Python: both processes need the same one")
    obj = _dumped.get(digest) or _loaded.get(digest)
    if obj is None:
        obj = pickle.loads(data)
        if stateless:
            obj = _loaded.setdefault(digest, obj)  # another thread may have been quicker
            if len(_loaded) > _KEPT:
                _loaded.popitem(last=False)
    return obj


def _make_function(code, source, names, module, name, qualname, doc, defaults, kwdefaults, closure):
    import builtins

    names.setdefault("__builtins__", builtins)
    code = _place(marshal.loads(code), source)
    func = types.FunctionType(code, names, name, defaults, closure)
    func.__kwdefaults__ = kwdefaults
    func.__module__, func.__qualname__, func.__doc__ = module, qualname, doc
    return func


def _finish_function(func, state):
    used, attributes = state
    func.__globals__.update(used)
    func.__dict__.update(attributes)


def _make_dispatcher(func, options, frozen, signatures):
    from whipsnake import decorators

    if decorators._is_disabled():
        return func
    f = _core.Dispatcher(func, **options)
    for args, ret in signatures:
        f._promise(args, ret)
    f.disable_compile(frozen)
    return f


def _set_attributes(obj, attributes):
    obj.__dict__.update(attributes)


def _fill_cell(cell, value):
    cell.cell_contents = value


# -- source text ----------------------------------------------------------------------------------

def _place(code, source):
    """The code, under a file name whose text here is what it was there."""
    name, packed = source
    if packed is None:
        return code
    text = zlib.decompress(packed).decode("utf-8", "surrogateescape")
    here = "".join(linecache.getlines(name))
    if here == text:
        return code
    if here:  # another file of that name
        name = f"<{name}, as it was pickled: {zlib.crc32(packed):08x}>"
        code = _rename(code, name)
    linecache.cache[name] = len(text), None, text.splitlines(True), name
    return code


def _rename(code, name):
    consts = tuple(_rename(c, name) if isinstance(c, types.CodeType) else c for c in code.co_consts)
    return code.replace(co_filename=name, co_consts=consts)
