"""What makes a new entry, and what does not."""

import collections
import enum
import textwrap
import types as pytypes

import numpy as np
import pytest
from support import make, needs_compiler
from ways import compile_from, fresh, origin, origins

from whipsnake import njit, types
from whipsnake.extending import overload, overload_method

pytestmark = needs_compiler

PLAIN = """
def f(x):
    return x + FRESH
"""


def test_the_same_function_from_another_file_and_line():
    assert origins(PLAIN, 1) == "hit"
    assert origins(PLAIN, 1, again="\n\n# moved down\n" + PLAIN) == "hit"


def test_a_comment_inside_moves_the_lines_of_tracebacks():
    assert origins(PLAIN, 1, again=PLAIN.replace("    return", "    # why\n    return")) == "miss"


@pytest.mark.parametrize("change", [
    ("x + FRESH", "x - FRESH"),
    ("x + FRESH", "x + FRESH + 1"),
    ("x + FRESH", "x + float(FRESH)"),
    ("def f(x):", "def f(x, y=1):"),
], ids=["operator", "constant", "call", "parameter"])
def test_another_body(change):
    assert origins(PLAIN, 1, again=PLAIN.replace(*change)) == "miss"


def test_other_types_and_options():
    source = PLAIN.replace("FRESH", str(fresh()))
    assert compile_from(source, 1)[1] == "miss"
    assert compile_from(source, 1.0)[1] == "miss"
    assert compile_from(source, 1)[1] == compile_from(source, 1.0)[1] == "hit"
    for options in ({"fastmath": True}, {"boundscheck": False}, {"error_model": "numpy"},
                    {"nogil": True}, {"inline": "always"}, {"locals": {"x": types.float32}}):
        assert compile_from(source, 1, options=options)[1] == "miss", options
        assert compile_from(source, 1, options=options)[1] == "hit", options


NAMED = """
def f(x):
    return (x, K, FRESH)
"""


@pytest.mark.parametrize("one, other", [
    (1, 2), (1, 1.0), (1, True), (0.0, -0.0), ("a", "b"), (None, 0), ((1, 2), (1, 3)),
    ((1,), (1.0,)), (np.float32(1), np.float64(1)), (np.int8(1), np.int8(2)), (1j, 2j),
    (2**63, 2**63 + 1), (range(3), range(4)),
], ids=repr)
def test_a_changed_global(one, other):
    assert origins(NAMED, 1, scope={"K": one}) == "hit"
    assert origins(NAMED, 1, scope={"K": one}, other_scope={"K": other}) == "miss"


def test_a_global_that_is_not_a_number_but_the_same_bits():
    nan = float("nan")
    assert origins(NAMED, 1, scope={"K": nan}, other_scope={"K": float("nan")}) == "hit"


CALLER = """
def f(x):
    return g(x) + FRESH
"""


def callee(body):
    return make(f"def g(x):\n    return {body}\n", "g")


@pytest.mark.parametrize("wrap", [lambda g: g, njit], ids=["plain", "compiled"])
def test_a_callee_in_another_file(wrap):
    scope, same, other = ({"g": wrap(callee(body))} for body in ("x * 3", "x * 3", "x * 4"))
    assert origins(CALLER, 1, scope=scope, other_scope=same) == "hit"
    assert origins(CALLER, 1, scope=scope, other_scope=other) == "miss"


def test_options_of_a_callee():
    scope, other = {"g": njit(callee("x * 3"))}, {"g": njit(fastmath=True)(callee("x * 3"))}
    assert origins(CALLER, 1, scope=scope, other_scope=other) == "miss"


def test_what_a_callee_uses():
    def scope(k, default):
        inner = make("def h(x=1):\n    return x + K\n", "h", K=k)
        inner.__defaults__ = (default,)
        return {"g": make("def g(x):\n    return h() * x\n", "g", h=inner)}

    assert origins(CALLER, 1, scope=scope(5, 1), other_scope=scope(5, 1)) == "hit"
    assert origins(CALLER, 1, scope=scope(5, 1), other_scope=scope(6, 1)) == "miss"
    assert origins(CALLER, 1, scope=scope(5, 1), other_scope=scope(5, 2)) == "miss"


def module_with(**values):
    module = pytypes.ModuleType("settings")
    module.__dict__.update(values)
    return module


def test_attributes_of_modules_and_classes():
    source = "def f(x):\n    return x + m.sub.K + FRESH\n"

    def scope(k):
        return {"m": module_with(sub=module_with(K=k))}

    assert origins(source, 1, scope=scope(1), other_scope=scope(1)) == "hit"
    assert origins(source, 1, scope=scope(1), other_scope=scope(2)) == "miss"
    source = "def f(x):\n    return x + C.K + FRESH\n"
    one, same, other = ({"C": type("C", (), {"K": k})} for k in (1, 1, 2))
    assert origins(source, 1, scope=one, other_scope=same) == "hit"
    assert origins(source, 1, scope=one, other_scope=other) == "miss"


def test_an_attribute_that_only_a_callee_names():
    """The module reaches g as an argument: its attribute is named in g alone."""
    source = "def f(x):\n    return g(m, x) + FRESH\n"
    g = make("def g(m, x):\n    return m.K + x\n", "g")
    one, same, other = ({"g": g, "m": module_with(K=k)} for k in (1, 1, 2))
    assert origins(source, 1, scope=one, other_scope=same) == "hit"
    assert origins(source, 1, scope=one, other_scope=other) == "miss"


def test_captured_values():
    source = """
    def outer(k):
        def f(x):
            return x + k + FRESH
        return f
    """.replace("FRESH", str(fresh()))
    for k, expected in ((1, "miss"), (1, "hit"), (2, "miss"), (1.0, "miss"), (2, "hit")):
        f = njit(make(source, "outer")(k))
        assert f(1) == 1 + k + int(source.split("k + ")[1].split()[0])
        assert origin(f) == expected


def test_functions_as_arguments():
    source = "def f(g, x):\n    return g(x) + FRESH\n".replace("FRESH", str(fresh()))
    for body, expected in (("x * 3", "miss"), ("x * 3", "hit"), ("x * 4", "miss")):
        f = njit(make(source))
        f(njit(callee(body)), 2)
        assert origin(f) == expected


def test_lambdas_made_by_exec():
    source = f"f = lambda x: x * {fresh()}\n"
    assert [compile_from(source, 2)[1] for _ in range(2)] == ["miss", "hit"]


def test_captured_arrays_are_read_when_it_runs():
    source = f"def f(i):\n    return A[i] + {fresh()} * 0\n"
    results = []
    for values in (np.array([1, 2, 3]), np.array([4, 5]), np.array([7, 8])[::-1]):
        results.append(compile_from(source, 1, A=values))
    assert results == [(2, "miss"), (5, "hit"), (7, "miss")]  # the last has another layout


def test_an_array_that_only_dead_code_names():
    source = f"def f(i):\n    if K:\n        return A[i]\n    return i + {fresh()} * 0\n"
    assert [compile_from(source, 1, K=False, A=np.arange(3)) for _ in range(2)] == [
        (1, "miss"), (1, "hit")]


def test_exception_classes_are_those_of_this_process():
    source = f"""
    def f(x):
        if x < 0:
            raise E("negative", x, {fresh()})
        return x
    """
    made = []
    for _ in range(2):
        cls = type("E", (ValueError,), {})
        f = njit(make(source, E=cls))
        with pytest.raises(cls, match="negative") as caught:
            f(-1)
        assert type(caught.value) is cls
        made.append(origin(f))
    assert made == ["miss", "hit"]


def test_classes_of_results():
    source = f"def f(x):\n    return P(x, {fresh()}), C.RED\n"
    made = []
    for _ in range(2):
        point = collections.namedtuple("P", "x y")
        color = enum.Enum("C", "RED GREEN")
        f = njit(make(source, P=point, C=color))
        result = f(1)
        assert type(result[0]) is point and result[1] is color.RED
        made.append(origin(f))
    assert made == ["miss", "hit"]


def test_members_of_an_enum():
    source = "def f(x):\n    return x + C.RED.value + FRESH\n"
    one, same, other = ({"C": enum.Enum("C", [("RED", k)])} for k in (1, 1, 2))
    assert origins(source, 1, scope=one, other_scope=same) == "hit"
    assert origins(source, 1, scope=one, other_scope=other) == "miss"


def test_overloads():
    def other(x):
        raise AssertionError

    source = "def f(x):\n    return other(x) + FRESH\n".replace("FRESH", str(fresh()))

    def register(body):
        from whipsnake.extending import _registry

        _registry.functions.pop(other, None)
        overload(other)(make(f"def ol(x):\n    return lambda x: {body}\n", "ol"))

    made = []
    for body in ("x + 1", "x + 1", "x + 2"):
        register(body)
        made.append(compile_from(source, 1, other=other)[1])
    assert made == ["miss", "hit", "miss"]


def test_an_overload_of_a_library_function():
    source = "def f(x):\n    return np.trim_zeros(x) + FRESH\n".replace("FRESH", str(fresh()))
    made = []
    for k in (1, 1, 2):
        from whipsnake.extending import _registry

        _registry.functions.pop(np.trim_zeros, None)
        overload(np.trim_zeros, strict=False)(
            make(f"def ol(filt):\n    return lambda filt: filt + {k}\n", "ol"))
        try:
            made.append(compile_from(source, 1)[1])
        finally:
            _registry.functions.pop(np.trim_zeros)
    assert made == ["miss", "hit", "miss"]


def test_overloads_of_methods():
    source = "def f(x):\n    return x.cache_test() + FRESH\n".replace("FRESH", str(fresh()))
    made = []
    for k in (1, 1, 2):
        from whipsnake.extending import _registry

        _registry.methods.pop((types.Integer, "cache_test"), None)
        overload_method(types.Integer, "cache_test")(
            make(f"def ol(x):\n    return lambda x: x + {k}\n", "ol"))
        try:
            made.append(compile_from(source, 1)[1])
        finally:
            _registry.methods.pop((types.Integer, "cache_test"))
    assert made == ["miss", "hit", "miss"]


def test_an_overload_that_looks_at_something_unknown():
    class Settings:
        k = 1

    def other(x):
        raise AssertionError

    overload(other)(
        make("def ol(x):\n    k = s.k\n    return lambda x: x + k\n", "ol", s=Settings()))
    assert "class Settings" in compile_from(f"def f(x):\n    return other(x) + {fresh()}\n", 1,
                                            other=other)[1]


def test_what_is_not_kept():
    source = PLAIN.replace("FRESH", str(fresh()))
    assert compile_from(source, 1, options={"cache": False})[1] == "cache=False"
    assert compile_from(source, 1, options={"debug": True})[1] == "debug=True"
    f = njit(make(source))
    f(1)
    assert origin(f) == "miss" and f.stats.cache_path


def test_switches_that_change_after_the_import(monkeypatch):
    source = PLAIN.replace("FRESH", str(fresh()))
    monkeypatch.setenv("WHIPSNAKE_CPU_NAME", "x86-64-v2")
    assert "WHIPSNAKE_CPU_NAME changed" in compile_from(source, 1)[1]


def test_a_class_that_does_not_like_to_be_looked_at():
    class Angry(type):
        def __getattr__(cls, name):
            raise Exception("do not ask")

    cls = Angry("Fine", (ValueError,), {})
    source = f"""
    def f(x):
        if K:
            raise E({fresh()})
        return x.real
    """
    result, where = compile_from(source, 1, E=cls, K=False)
    assert result == 1 and "raises an exception" in where


def test_source_that_is_not_the_code_is_not_kept():
    """An import hook rewrote the code: the text is compiled, under no key."""
    number = fresh()
    f = make(f"def f(x):\n    return x + {number}\n")
    f.__code__ = f.__code__.replace(co_consts=(None, 1))
    compiled = njit(f)
    assert compiled(1) in (2, 1 + number)
    assert "source text" in origin(compiled)


def test_tracebacks_show_where_the_function_is_now():
    number = fresh()
    body = textwrap.dedent("""
    def f(a, i):
        def inner(k):
            return a[k] + NUMBER
        return inner(i)
    """).replace("NUMBER", str(number))
    for shift in (0, 7):
        f = njit(make("\n" * shift + body))
        with pytest.raises(IndexError) as caught:
            f(np.arange(3), 5)
        places = [(entry.path.name if hasattr(entry.path, "name") else str(entry.path),
                   entry.lineno + 1) for entry in caught.traceback]
        name = f.__code__.co_filename
        assert places[-2:] == [(name, 5 + shift), (name, 4 + shift)]
        assert origin(f) == ("hit" if shift else "miss")
