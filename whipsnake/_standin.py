"""`import numba` means whipsnake: for programs that were written for Numba.

`install()` puts a finder in front of all others. Tables say which module of Numba's is which of
ours. Names that we do not have yet are there and say so when they are used; modules that we do not
know raise ModuleNotFoundError with the reason.

Processes that multiprocessing, joblib or Dask start get the folder `_numba` on their path, where a
module called numba installs the same.
"""

import importlib
import importlib.abc
import importlib.machinery
import os
import sys
import types

import whipsnake

NUMBA_VERSION = "0.68.1"  # whose interface this is
_FOLDER = os.path.join(os.path.dirname(__file__), "_numba")
_ROOTS = ("numba", "numba_cuda", "numba_cuda_mlir")

# Module of Numba's -> module of ours.
_SAME = {
    "numba.types": "whipsnake.types",
    "numba.core.types": "whipsnake.types",
    "numba.errors": "whipsnake.errors",
    "numba.core.errors": "whipsnake.errors",
    "numba.config": "whipsnake.config",
    "numba.core.config": "whipsnake.config",
    "numba.extending": "whipsnake.extending",
    "numba.core.extending": "whipsnake.extending",
    "numba.decorators": "whipsnake.decorators",
    "numba.core.decorators": "whipsnake.decorators",
    "numba.cuda": "whipsnake.cuda",
    "numba_cuda.numba.cuda": "whipsnake.cuda",
    "numba_cuda_mlir.cuda": "whipsnake.cuda",
}

# Module of Numba's -> what it has of ours: name -> "module:name".
_MADE = {
    "numba.core": {},
    "numba.core.caching": {"NullCache": "whipsnake._standin:NullCache"},
    "numba.core.dispatcher": {"Dispatcher": "whipsnake._core:Dispatcher"},
    "numba.core.registry": {"CPUDispatcher": "whipsnake._core:Dispatcher"},
    "numba.core.typing": {"Signature": "whipsnake.types:Signature",
                          "signature": "whipsnake._standin:signature"},
    "numba.core.typing.typeof": {"typeof": "whipsnake:typeof"},
    "numba.np": {},
    "numba.np.numpy_support": {"from_dtype": "whipsnake:from_dtype",
                               "as_dtype": "whipsnake._core:as_dtype"},
    "numba.misc": {},
    "numba.misc.special": {"prange": "whipsnake:prange", "typeof": "whipsnake:typeof"},
    "numba.typing": {"Signature": "whipsnake.types:Signature",
                     "signature": "whipsnake._standin:signature"},
    "numba.cuda.cudadrv.devicearray": {"DeviceNDArray": "whipsnake.cuda._memory:DeviceNDArray",
                                       "is_cuda_ndarray": "whipsnake.cuda:is_cuda_array"},
    "numba_cuda": {},
    "numba_cuda.numba": {},
    "numba_cuda_mlir": {},
}

# Modules that programs import and that we do not have yet: their names say so when they are used.
_LATER = frozenset("""
    numba.typed numba.typed.typedlist numba.typed.typeddict numba.experimental
    numba.experimental.structref numba.experimental.function_type
    numba.pycc numba.stencils numba.testing numba.parfors numba.cpython
    numba.np.arrayobj numba.np.extensions numba.np.linalg numba.np.ufunc numba.np.ufunc.dufunc
    numba.np.unsafe numba.np.unsafe.ndarray
    numba.core.analysis numba.core.ccallback numba.core.cgutils numba.core.codegen
    numba.core.compiler numba.core.compiler_machinery numba.core.cpu numba.core.datamodel
    numba.core.event numba.core.imputils numba.core.ir numba.core.ir_utils numba.core.options
    numba.core.pythonapi numba.core.rewrites numba.core.runtime numba.core.runtime.nrt
    numba.core.serialize numba.core.target_extension numba.core.typed_passes numba.core.typeinfer
    numba.core.typing.ctypes_utils numba.core.typing.templates numba.core.unsafe
    numba.core.unsafe.refcount numba.core.untyped_passes numba.core.utils
    numba.cuda.cudadrv numba.cuda.cudadrv.driver numba.cuda.libdevice numba.cuda.stubs""".split())


def signature(return_type, *args):
    """numba.core.typing.signature."""
    return whipsnake.types.Signature(return_type, args)


class NullCache:
    """What a function without a cache has in Numba; ours is not kept in Python."""


class _Module(types.ModuleType):
    """A module of Numba's whose names are some of ours; what we lack says so when it is used."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        full = f"{self.__name__}.{name}"
        if _find(full):
            return importlib.import_module(full)
        return whipsnake._NotBuiltYet(full.partition(".")[2])


class _Top(types.ModuleType):
    """The module `numba` itself."""

    def __getattr__(self, name):
        full = f"numba.{name}"
        if _find(full) and full not in _LATER:
            return importlib.import_module(full)
        try:
            return getattr(whipsnake, name)
        except AttributeError:
            raise AttributeError(f"module 'numba' has no attribute {name!r} (this is whipsnake's "
                                 "stand-in for Numba)") from None

    def __dir__(self):
        return sorted({*self.__dict__, *dir(whipsnake)})


def _make_top(name):
    top = _Top(name, whipsnake.__doc__)
    top.__file__ = os.path.join(_FOLDER, "numba", "__init__.py")
    top.__version__ = NUMBA_VERSION
    top.version_info = types.SimpleNamespace(
        short=tuple(map(int, NUMBA_VERSION.split(".")[:2])), full=NUMBA_VERSION)
    top.__all__ = list(whipsnake.__all__)
    for name in whipsnake.__all__:
        value = getattr(whipsnake, name)
        if not isinstance(value, types.ModuleType):
            setattr(top, name, value)
    return top


def _make_module(name):
    module = _Module(name, f"What whipsnake has of {name}.")
    for attribute, place in _MADE.get(name, {}).items():
        where, _, what = place.partition(":")
        setattr(module, attribute, getattr(importlib.import_module(where), what))
    return module


def _find(name):
    """Is this a module that the stand-in has?"""
    return name == "numba" or name in _SAME or name in _MADE or name in _LATER or (
        name.startswith("numba.cuda.") and _below_ours(name))


def _below_ours(name):
    """A module of ours with the same place below cuda."""
    import importlib.util

    path = name.replace("numba.cuda", "whipsnake.cuda", 1)
    try:
        return importlib.util.find_spec(path) is not None
    except ModuleNotFoundError:  # the part before the last dot has no modules in it
        return False


class _Loader(importlib.abc.Loader):
    def create_module(self, spec):
        if spec.name == "numba":
            return _make_top(spec.name)
        return _make_module(spec.name) if spec.name in _MADE or spec.name in _LATER else None

    def exec_module(self, module):
        name = module.__spec__.name
        if name in _SAME:
            sys.modules[name] = importlib.import_module(_SAME[name])
        elif name.startswith("numba.cuda.") and name not in _LATER and name not in _MADE:
            ours = name.replace("numba.cuda", "whipsnake.cuda", 1)
            sys.modules[name] = importlib.import_module(ours)


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in _ROOTS:
            return None
        if not _find(name):
            raise ModuleNotFoundError(
                f"No module named {name!r}: whipsnake, which stands in for Numba here, has nothing "
                "of that name", name=name)
        return importlib.machinery.ModuleSpec(name, _Loader(), origin="whipsnake",
                                              is_package=True)


_finder = _Finder()


def install():
    """From now on, `import numba` gives whipsnake, in this process and in those it starts with
    multiprocessing. Call it before anything imports Numba."""
    if _finder in sys.meta_path:
        return
    loaded = getattr(sys.modules.get("numba"), "__file__", None)
    if loaded and not loaded.startswith(_FOLDER):
        raise RuntimeError("Numba is imported already: call whipsnake.install_as_numba() first")
    sys.meta_path.insert(0, _finder)
    if _FOLDER not in sys.path:
        sys.path.insert(1, _FOLDER)


# -- running programs -----------------------------------------------------------------------------

def run(args):
    """`python -m whipsnake program.py args...` and `python -m whipsnake -m module args...`."""
    import runpy

    install()
    if args[0] == "-m":
        sys.argv = args[1:]
        sys.path[0] = os.getcwd()
        runpy.run_module(args[1], run_name="__main__", alter_sys=True)
        return 0
    sys.argv = args
    if os.path.isdir(args[0]) or not args[0].endswith(".py"):
        runpy.run_path(args[0], run_name="__main__")
        return 0
    sys.path[0] = os.path.dirname(os.path.abspath(args[0]))
    _run_file(args[0])
    return 0


def _run_file(path):
    """As `python path` does it: the program is the module __main__ until the process ends."""
    import io

    with io.open_code(path) as file:
        code = compile(file.read(), path, "exec")
    main = types.ModuleType("__main__")
    main.__file__ = path
    main.__builtins__ = __builtins__
    main.__loader__ = importlib.machinery.SourceFileLoader("__main__", path)
    sys.modules["__main__"] = main
    exec(code, main.__dict__)
