"""Finding the source: files, notebooks, doctest, exec, python -c, lambdas, decorated, none."""

import functools
import linecache
import textwrap

import pytest

from support import PLAIN, compiled, errors, make, njit, run_python

if PLAIN:
    pytest.skip("looks at the compiler itself", allow_module_level=True)


def run_cell(source, filename, **scope):
    """Execute `source` as a notebook does: registered in linecache under a made-up name."""
    source = textwrap.dedent(source)
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    namespace = {"njit": njit, "__name__": "__main__", **scope}
    exec(compile(source, filename, "exec"), namespace)
    return namespace


@pytest.mark.parametrize("filename", ["<ipython-input-3-a1b2c3d4e5f6>",
                                      "/tmp/ipykernel_1234/987654321.py", "<made up>",
                                      "<doctest module.f[0]>"])
def test_notebook_cells(filename):
    cell = run_cell("""
        @njit
        def f(x):
            return x * 2

        def g(x):
            return f(x) + 1
    """, filename)
    assert cell["f"](4) == 8 and njit(cell["g"])(4) == 9


def test_a_cell_that_is_run_again_with_new_text():
    for k in (1, 2):
        cell = run_cell(f"@njit\ndef f(x):\n    return x + {k}\n", "<ipython-input-7-0000>")
        assert cell["f"](1) == 1 + k


def test_exec_without_registered_source_says_so_in_one_sentence():
    namespace = {}
    exec("def f(x):\n    return x + 1\n", namespace)
    with pytest.raises(errors.CompileError) as caught:
        njit(namespace["f"])(1)
    text = str(caught.value)
    assert "source" in text and "f" in text and text.count("\n") < 12


def test_lambdas():
    assert njit(lambda x: x + 1)(1) == 2
    double = lambda x: x * 2
    assert njit(double)(4) == 8


def test_two_lambdas_on_one_line():
    f, g = njit(lambda x: x + 1), njit(lambda x: x + 2)
    assert f(1) == 2 and g(1) == 3
    pair = (lambda x: x * 2, lambda x: x * 3)
    assert [njit(p)(5) for p in pair] == [10, 15]


def test_two_lambdas_that_differ_only_in_a_constant_and_a_name():
    a, b = 10, 20
    f, g = (lambda x: x + a), (lambda x: x + b)
    assert njit(f)(1) == 11 and njit(g)(1) == 21


def test_a_lambda_over_several_lines():
    f = njit(lambda x, y=(
        3
    ): (
        x +
        y
    ))
    assert f(1) == 4


def test_a_lambda_inside_a_call_inside_an_expression():
    assert sum(map(njit(lambda x: x * x), range(4))) + njit(
        lambda x: x - 1)(1) == 14


def test_a_lambda_in_a_default_and_in_a_comprehension():
    fs = [njit(lambda x, k=k: x + k) for k in range(3)]
    assert [f(10) for f in fs] == [10, 11, 12]


def keep(func):
    """A decorator that returns the function."""
    return func


def wrapped(func):
    """A decorator in the usual way: a wrapper with the function's name."""
    @functools.wraps(func)
    def wrapper(*args):
        return func(*args)
    return wrapper


def test_decorated_functions():
    @keep
    @njit
    @keep
    def f(x):
        return x + 1

    @wrapped
    @njit(
        nogil=True,
    )
    def g(x):
        return x + 2

    assert f(1) == 2 and g(1) == 3


def test_nested_functions_of_equal_name():
    def first():
        def f(x):
            return x + 1
        return f

    def second():
        def f(x):
            return x + 2
        return f

    assert njit(first())(1) == 2 and njit(second())(1) == 3


def test_functions_defined_under_if_try_and_with():
    made = []
    for flag in (True, False):
        if flag:
            def f(x):
                return x + 1
        else:
            def f(x):
                return x + 2
        made.append(njit(f))
    try:
        def g(x):
            return x + 3
    finally:
        made.append(njit(g))
    assert [m(1) for m in made] == [2, 3, 4]


def test_odd_layouts_of_text():
    f = make('def f(x): return x + 1; y = 2\n')
    assert compiled(f)(1) == 2
    g = make('def f(\n    x,  # first\n    y=2,\n):\n    """doc\nwith lines at the margin\n"""\n'
             '    # comment\n\n    return (x +\ny)\n')
    assert compiled(g)(1) == 3
    h = make("def f(x):\n\tif x:\n\t\treturn x + 1\n\treturn 0\n")
    assert compiled(h)(1) == 2
    k = make("class A:\n    def g(x):\n        s = '''\n  text\n'''\n"
             "        return x + 1\nf = A.g\n")
    assert compiled(k)(1) == 2


def test_names_that_are_not_ascii():
    f = make("def f(größe, Δ):\n    λ = größe * Δ\n    return λ + 1\n")
    assert compiled(f)(2, 3) == 7


def test_private_names_in_a_class_body():
    class Holder:
        @staticmethod
        def f(x):
            __y = x + 1
            return __y

    assert njit(Holder.f)(1) == 2


def test_an_edited_file_is_not_compiled_in_place_of_the_running_code(tmp_path, monkeypatch):
    path = tmp_path / "edited_module.py"
    path.write_text("def f(x):\n    return x + 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    import importlib
    module = importlib.import_module("edited_module")
    path.write_text("def f(x):\n    return x + 1000\n")
    linecache.checkcache(str(path))
    try:
        assert njit(module.f)(1) == 2
    except errors.CompileError as refused:
        assert "changed" in str(refused)


CODE = """
    from whipsnake import njit
    import sys
    @njit
    def f(x):
        return x + 1
    g = njit(lambda x: x * 2); h = njit(lambda x: x * 3)
    print(f(1), g(2), h(2))
"""


def test_python_dash_c():
    assert run_python(CODE).stdout.split() == ["2", "4", "6"]


def test_python_from_a_pipe_names_the_way_out():
    import subprocess
    import sys
    result = subprocess.run([sys.executable, "-"], input=textwrap.dedent(CODE), text=True,
                            capture_output=True, timeout=120)
    assert result.stdout.split() == ["2", "4", "6"] or "source" in result.stderr


def test_a_script_a_module_and_a_zip(tmp_path):
    import subprocess
    import sys
    import zipfile
    code = textwrap.dedent(CODE)
    (tmp_path / "script.py").write_text(code)
    with zipfile.ZipFile(tmp_path / "bundle.zip", "w") as bundle:
        bundle.writestr("packed.py", code)
    for command, cwd in ((["script.py"], tmp_path), (["-m", "script"], tmp_path),
                         (["-c", "import sys; sys.path.insert(0, 'bundle.zip'); import packed"],
                          tmp_path)):
        result = subprocess.run([sys.executable, *command], cwd=cwd, text=True,
                                capture_output=True, timeout=120)
        assert result.stdout.split() == ["2", "4", "6"], result.stderr


def test_doctest(tmp_path):
    import subprocess
    import sys
    (tmp_path / "documented.py").write_text(textwrap.dedent('''
        """
        >>> from whipsnake import njit
        >>> @njit
        ... def f(x):
        ...     return x + 1
        >>> f(1)
        2
        """
    '''))
    result = subprocess.run([sys.executable, "-m", "doctest", "documented.py"], cwd=tmp_path,
                            text=True, capture_output=True, timeout=120)
    assert result.returncode == 0, result.stdout + result.stderr


def test_builtin_functions_have_no_source():
    with pytest.raises((TypeError, errors.CompileError)):
        njit(len)((1, 2))


def test_code_made_from_a_tree_without_text():
    import ast
    tree = ast.parse("def f(x):\n    return x + 1\n")
    namespace = {}
    exec(compile(tree, "<no text>", "exec"), namespace)
    with pytest.raises(errors.CompileError, match="source"):
        njit(namespace["f"])(1)


def test_a_function_whose_file_is_gone(tmp_path, monkeypatch):
    path = tmp_path / "vanishing_module.py"
    path.write_text("def f(x):\n    return x + 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    import importlib
    module = importlib.import_module("vanishing_module")
    path.unlink()
    linecache.checkcache(str(path))
    with pytest.raises(errors.CompileError, match="source"):
        njit(module.f)(1)


def test_a_source_that_another_thread_drops_from_linecache_is_read(monkeypatch):
    calls = []

    def getlines(name, module_globals=None):
        calls.append(name)
        raise KeyError(name)  # what its own look-up raises then

    f = njit(lambda x: x + 1)
    monkeypatch.setattr(linecache, "getlines", getlines)
    assert f(1) == 2 and calls == [__file__]
