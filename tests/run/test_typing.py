"""Type stubs: they name what there is, and checkers understand decorated functions."""

import ast
import importlib
import importlib.util
import inspect
import pathlib
import re
import subprocess
import sys

import pytest

import whipsnake

PACKAGE = pathlib.Path(whipsnake.__file__).parent
STUBS = sorted(PACKAGE.rglob("*.pyi"))
IDS = [str(p.relative_to(PACKAGE)) for p in STUBS]

needs_mypy = pytest.mark.skipif(importlib.util.find_spec("mypy") is None,
                                reason="mypy is not installed")


def module_of(path):
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return importlib.import_module(".".join(p for p in parts if p != "__init__"))


def names_of(body):
    """(name, node) of what a stub defines or gives on."""
    for node in body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            yield node.name, node
        elif isinstance(node, ast.AnnAssign):
            yield node.target.id, node
        elif isinstance(node, ast.Assign):
            yield from ((target.id, node) for target in node.targets)
        elif isinstance(node, ast.ImportFrom):
            yield from ((a.asname, node) for a in node.names if a.asname == a.name)


def is_public(name):
    return not name.startswith("_")


def parameters(node):
    a = node.args
    return [p.arg for p in (*a.posonlyargs, *a.args, a.vararg, *a.kwonlyargs, a.kwarg) if p]


def check_function(node, found):
    """The stub's parameters are those of the function, where Python can tell."""
    if not isinstance(node, ast.FunctionDef) or not inspect.isfunction(found):
        return
    if any(isinstance(d, ast.Name) and d.id.endswith("overload") for d in node.decorator_list):
        return
    assert parameters(node) == list(inspect.signature(found).parameters), node.name


@pytest.mark.parametrize("path", STUBS, ids=IDS)
def test_stubs_name_what_there_is(path):
    module = module_of(path)
    for name, node in names_of(ast.parse(path.read_text()).body):
        if not is_public(name):
            continue
        found = getattr(module, name)
        check_function(node, found)
        if isinstance(node, ast.ClassDef):
            assert isinstance(found, type)
            for member, child in names_of(node.body):
                if isinstance(child, ast.FunctionDef):
                    assert hasattr(found, member), f"{name}.{member}"
                    check_function(child, inspect.getattr_static(found, member))


@pytest.mark.parametrize("path", STUBS, ids=IDS)
def test_what_there_is_is_in_the_stubs(path):
    module = module_of(path)
    named = {name for name, _ in names_of(ast.parse(path.read_text()).body)}
    if module.__name__ == "whipsnake._core":
        public = {name for name in dir(module.Dispatcher) if is_public(name)}
        classes = {node.name: node for node in ast.parse(path.read_text()).body
                   if isinstance(node, ast.ClassDef)}
        assert public == {name for name, _ in names_of(classes["Dispatcher"].body)
                          if is_public(name)}
        return
    public = getattr(module, "__all__", None) or [
        name for name, value in vars(module).items() if is_public(name)
        and not inspect.ismodule(value)
        and getattr(value, "__module__", module.__name__) in (module.__name__, None, "whipsnake")]
    assert set(public) - named == set()


def test_the_marker_is_there():
    assert (PACKAGE / "py.typed").exists()


PROGRAM = """
import numpy as np
from whipsnake import cfunc, float64, int64, jit, njit, prange, types
from whipsnake.extending import register_jitable

@njit
def bare(x: int, y: float = 2.0) -> float:
    return x * y

@njit(cache=True, nogil=True)
def options(a: np.ndarray) -> int:
    return len(a)

@jit("float64(float64)")
def text(x: float) -> float:
    return x

@njit([int64(int64), float64(float64)])
def several(x: float) -> float:
    return x

@cfunc("float64(float64)")
def callback(x: float) -> float:
    return x

@register_jitable
def plain(x: int) -> int:
    return x

class Holder:
    @njit
    def method(self, x: int) -> str:
        return ""

reveal_type(bare(1, 2.5))
reveal_type(options)
reveal_type(text(1.0))
reveal_type(several.py_func)
reveal_type(callback(1.0))
reveal_type(callback.address)
reveal_type(plain(2))
reveal_type(Holder().method(3))
reveal_type(types.float64[:, ::1])
bare("a")
options()
Holder().method("a")
for i in prange(3):
    reveal_type(i)
"""

SAYS = [
    "float", "whipsnake._core.Dispatcher[[a: numpy.ndarray", "float", "def (x: float) -> float",
    "float", "int", "int", "str", "whipsnake.types.Array",
    'Argument 1 to "__call__" of "Dispatcher" has incompatible type "str"',
    'Missing positional argument "a"', 'incompatible type "str"; expected "int"', "int"]


@needs_mypy
@pytest.mark.slow
def test_mypy_understands_decorated_functions(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    out = subprocess.run([sys.executable, "-m", "mypy", "program.py"], cwd=tmp_path, text=True,
                         capture_output=True).stdout.splitlines()
    assert len(out) == len(SAYS) + 1, out
    for line, said in zip(out, SAYS):
        assert re.sub(r'.*Revealed type is "', "", line).startswith(said) or said in line, line


@needs_mypy
@pytest.mark.slow
def test_stubtest(tmp_path):
    """mypy's own comparison of stubs and run-time objects, for the modules that have stubs."""
    stubbed = {module_of(p).__name__ for p in STUBS}
    unstubbed = [name for name in (f"whipsnake.{p.stem}" for p in PACKAGE.glob("*.py"))
                 if name not in stubbed]
    (tmp_path / "mypy.ini").write_text(
        "[mypy]\nignore_missing_imports = True\n"
        f"[mypy-{','.join(unstubbed)},whipsnake.cuda.*,whipsnake.prelude.*]\n"
        "ignore_errors = True\n")
    (tmp_path / "allowed").write_text("whipsnake.prange\nwhipsnake._core.[a-z_]+\n"
                                      "whipsnake._core.(Type|Dispatcher)\n")
    out = subprocess.run([sys.executable, "-m", "mypy.stubtest", "whipsnake", "--concise",
                          "--ignore-unused-allowlist", "--mypy-config-file", "mypy.ini",
                          "--allowlist", "allowed"], cwd=tmp_path, text=True,
                         capture_output=True).stdout
    assert "not checking stubs" not in out, out
    wrong = [line for line in out.splitlines()
             if any(re.match(rf"{re.escape(name)}\.[A-Z_]?[a-zA-Z_]+( |\.[a-z_]+ )", line)
                    for name in stubbed if name != "whipsnake")
             or line.startswith("whipsnake.__all__")]
    assert wrong == []
