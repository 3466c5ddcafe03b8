"""Globals and closure values: constants that are noticed when they change."""

import enum
import gc
import math
import threading
import types as pytypes

import numpy as np
import pytest

from whipsnake import extending

from support import check, compiled, make, needs_compiler, njit

GRAVITY = 9.81
SIZE = 4
FLAG = True
NAME = "metres"
POINT = (1.5, 2, (3, True))
TABLE = np.array([1.0, 4.0, 9.0, 16.0])
NOTHING = None


class Color(enum.Enum):
    RED = 1
    GREEN = 2


class Level(enum.IntEnum):
    LOW = 3
    HIGH = 10


def fall(t):
    return 0.5 * GRAVITY * t * t


def uses_everything(x):
    total = x + SIZE + POINT[0] + POINT[2][0]
    if FLAG:
        total += 100.0
    if NAME == "metres":
        total *= 2
    if NOTHING is None:
        total += 0.25
    return total + math.pi + math.e + math.tau


def table_sum(i):
    return TABLE[i] + TABLE.sum() + len(TABLE)


def test_globals_are_read():
    check(fall, 2.0)
    check(uses_everything, 1)
    check(table_sum, 2)
    check(table_sum, 9)


def test_enums():
    def code(x):
        return x + Level.HIGH

    def named(c):
        if c is Color.RED:
            return 1
        return 2 if c == Color.GREEN else 3

    def value(c):
        return c.value

    def pick(flag):
        return Color.RED if flag else Color.GREEN

    check(code, 5)
    check(named, Color.RED)
    check(named, Color.GREEN)
    check(value, Color.GREEN)
    check(pick, True)
    check(pick, False)


@needs_compiler
@pytest.mark.parametrize("old, new", [
    (2, 3), (2, 2.5), (1.5, -1.5), (0.0, -0.0), (1, True), ((1, 2), (1, 3)), ((1,), (1, 2)),
])
def test_a_changed_global_is_noticed(old, new):
    f = make("def f(x):\n    return x, K\n", K=old)
    fast = njit(f)
    for value in (old, new, old, new, new):
        f.__globals__["K"] = value
        assert repr(fast(1)) == repr((1, value))


def compiles_of(fast):
    """How many specialisations the function has."""
    return len(fast._entries())


@needs_compiler
def test_a_counter_global_becomes_a_hidden_argument():
    f = make("def f(x):\n    return x * 10 + K\n", K=0)
    fast = njit(f)
    for k in range(50):
        f.__globals__["K"] = k
        assert fast(1) == 10 + k
    assert compiles_of(fast) == 3  # 0, 1, and then any int
    for k in (2.5, 3.5, 7, 2**62, -1.25, True, 9):
        f.__globals__["K"] = k
        assert repr(fast(1)) == repr(10 + k)
    f.__globals__["K"] = 2**64
    with pytest.raises(TypeError, match="beyond 64 bits"):
        fast(1)
    f.__globals__["K"] = 1
    assert fast(1) == 11


@needs_compiler
def test_a_hidden_argument_keeps_its_weak_mark():
    f = make("def f(a):\n    return a[0] * K, a[0] < K, (a[0] + 1) * K\n", K=0.5)
    fast = njit(f)
    a = np.full(1, 0.1, np.float32)
    for k in (0.5, 0.1, 0.7, 0.3, 0.9):
        f.__globals__["K"] = k
        product = np.float32(0.1) * np.float32(k)
        assert fast(a) == (product, np.float32(0.1) < np.float32(k),
                           (a[0] + np.float32(1)) * np.float32(k))
    assert compiles_of(fast) == 3
    g = make("def f(x, u):\n    return u + K, x * K\n", K=1)
    fast = njit(g)
    for k in range(1, 6):
        g.__globals__["K"] = k
        result = fast(np.float32(0.5), np.uint64(2**63))
        assert result == (2**63 + k, 0.5 * k)
        assert type(result[0]) is int  # the number's sign counts: it stays a constant


@needs_compiler
def test_a_number_that_must_be_constant_stays_one():
    f = make("def f():\n    t = (1, 2.5, 'x')\n    return t[K]\n", K=0)
    fast = njit(f)
    for k in (0, 1, 2, 0, 1, 2, -1):
        f.__globals__["K"] = k
        assert fast() == (1, 2.5, "x")[k]


@needs_compiler
def test_a_number_that_decides_the_result_type_stays_constant():
    f = make("def f(x):\n    if K > 0:\n        return x + K\n    return x * 0.5\n", K=1)
    fast = njit(f)
    for k in (1, 2, 3, 0, 4, -1, 5):
        f.__globals__["K"] = k
        assert repr(fast(3)) == repr(f(3))


@needs_compiler
def test_hidden_arguments_of_all_homes():
    """Of callees, cells, modules; complex and bool; checked where they are used as subscripts."""
    module = pytypes.ModuleType("settings")
    module.LIMIT, module.PHASE = 0, 1j
    source = """
        K = 0
        FLAG = False
        @njit
        def inner(a):
            return a[K] + settings.LIMIT
        @njit
        def outer(a):
            return inner(a) * settings.PHASE, K, FLAG
    """
    outer = make(source, "outer", settings=module)
    names = outer.py_func.__globals__
    a = np.arange(10.0)
    for k in range(10):
        names["K"], module.LIMIT, module.PHASE, names["FLAG"] = k, 2 * k, 1j * k, k % 2 == 1
        assert outer(a) == ((a[k] + 2 * k) * 1j * k, k, k % 2 == 1)
    assert compiles_of(outer) <= 4
    names["K"] = 10
    with pytest.raises(IndexError):
        outer(a)
    read, bump = counter()
    for k in range(10):
        assert read(0) == 1 + k
        bump()
    assert compiles_of(read) == 3


@needs_compiler
def test_what_is_no_number_is_specialised_each_time():
    f = make("def f(x):\n    return S + str(x), T[0] + x, g(x)\n", S="", T=(0,),
             g=njit(lambda x: x))
    fast = njit(f)
    for k in range(5):
        f.__globals__.update(S="a" * k, T=(k, "q"), g=njit(lambda x, k=k: x + k))
        assert fast(1) == ("a" * k + "1", k + 1, k + 1)


@needs_compiler
def test_a_changed_global_function_is_noticed():
    f = make("def f(x):\n    return g(x) + 1\n", g=njit(lambda x: x * 2))
    fast = njit(f)
    assert fast(5) == 11
    f.__globals__["g"] = njit(lambda x: x * 3)
    assert fast(5) == 16


@needs_compiler
def test_a_changed_global_of_a_callee_is_noticed():
    source = """
        K = 1
        @njit
        def inner(x):
            return x + K
        @njit
        def outer(x):
            return inner(x) * 2
    """
    outer = make(source, "outer")
    assert outer(1) == 4
    outer.py_func.__globals__["K"] = 10
    assert outer(1) == 22


def test_global_arrays_are_seen_by_reference():
    f = make("def f(i):\n    return A[i]\n", A=np.zeros(3))
    fast = compiled(f)
    assert fast(1) == 0.0
    f.__globals__["A"][1] = 5.0
    assert fast(1) == 5.0
    f.__globals__["A"] = np.ones(3)
    assert fast(1) == 1.0


def test_global_arrays_can_be_written():
    f = make("def f(i, x):\n    A[i] += x\n", A=np.zeros(3))
    compiled(f)(2, 1.5)
    compiled(f)(2, 1.5)
    assert f.__globals__["A"].tolist() == [0.0, 0.0, 3.0]


def make_adder(k):
    @njit
    def add(x):
        return x + k
    return add


def test_closures_with_different_values():
    adders = [make_adder(k) for k in (1, 2.5, 10)]
    assert [a(1) for a in adders] == [2, 3.5, 11]
    assert [type(a(1)) for a in adders] == [int, float, int]


def make_nested(f, power):
    @njit
    def apply(x):
        return f(x) ** power
    return apply


def test_closures_over_functions():
    assert make_nested(make_adder(1), 2)(3) == 16
    assert make_nested(make_adder(0.5), 3)(1) == 3.375
    assert make_nested(math.sqrt, 2)(9.0) == 9.0


def counter():
    n = 1

    @njit
    def read(x):
        return x + n

    def bump():
        nonlocal n
        n += 1

    return read, bump


def test_a_closure_cell_that_changes_is_noticed():
    read, bump = counter()
    assert read(0) == 1
    bump()
    assert read(0) == 2


def test_a_closure_over_an_array():
    data = np.arange(3.0)

    @njit
    def total():
        s = 0.0
        for x in data:
            s += x
        return s

    assert total() == 3.0
    data[0] = 7.0
    assert total() == 10.0


def test_constants_of_modules():
    module = pytypes.ModuleType("settings")
    module.LIMIT = 5
    f = make("def f(x):\n    return x + settings.LIMIT\n", settings=module)
    check(f, 1)
    module.LIMIT = 7
    check(f, 1)


def test_numpy_constants():
    def f(x):
        return x * np.pi, np.inf, -np.inf, np.e, np.isnan(np.nan), np.newaxis is None

    check(f, 2.0)


def test_branches_on_constants_that_cannot_be_typed_are_not_compiled():
    def f(x, mode=None):
        if mode is None:
            return x + 1
        return x[mode]

    check(f, 5)
    check(f, np.arange(3.0), 1)
    check(f, (4, 5), 1)


def test_a_module_named_like_numpy_is_watched():
    source = "def scale(x):\n    return x * FACTOR\n"
    scale = make(source, "scale", __name__="numpy_tools", FACTOR=2)

    def twice(x):
        return scale(x) + scale(x)

    f = compiled(twice)
    assert f(3) == 12
    scale.__globals__["FACTOR"] = 5
    assert f(3) == 30


def check_changes(owner, name, values, f, *args):
    """f(*args) as compiled, after each of the values was put there, against plain Python."""
    fast = njit(f)
    for value in values * 2:
        setattr(owner, name, value)
        assert repr(fast(*args)) == repr(f(*args)), (name, value)


@needs_compiler
def test_attributes_of_modules_in_modules_are_noticed():
    pkg, sub = pytypes.ModuleType("pkg"), pytypes.ModuleType("pkg.sub")
    pkg.sub, sub.X, sub.scale = sub, 1, njit(lambda x: x * 2)
    f = make("def f(x):\n    return pkg.sub.scale(x) + pkg.sub.X\n", pkg=pkg)
    check_changes(sub, "X", [1, 2.5, 3, (1 > 0)], f, 4)
    check_changes(sub, "scale", [njit(lambda x: x * 3), njit(lambda x: x + 0.5)], f, 4)
    other = pytypes.ModuleType("pkg.sub")
    other.X, other.scale = 100, njit(lambda x: -x)
    check_changes(pkg, "sub", [other, sub], f, 4)


@needs_compiler
def test_attributes_that_only_a_callee_names_are_noticed():
    settings = pytypes.ModuleType("settings")
    settings.RATE = 2
    helper = make("def helper(m, x):\n    return m.RATE * x\n", "helper")
    f = make("def f(x):\n    return helper(settings, x)\n", helper=njit(helper), settings=settings)
    check_changes(settings, "RATE", [2, 5, 0.5], f, 4)


@needs_compiler
def test_attributes_of_classes_are_noticed():
    class Base:
        N = 3

    class Config(Base):
        SCALE = 1.5

    f = make("def f(x):\n    return x * Config.SCALE + Config.N\n", Config=Config)
    check_changes(Config, "SCALE", [1.5, 2.5, 4], f, 2)
    check_changes(Base, "N", [3, 4, 0.25], f, 2)
    fast = njit(f)
    assert fast(1) == f(1)
    Config.N = 70  # hides the base's
    assert fast(1) == f(1)
    del Config.N
    assert fast(1) == f(1)


@needs_compiler
def test_other_bases_of_a_class_are_noticed():
    class First:
        N = 3

    class Second:
        N = 40

    class Config(First):
        pass

    f = make("def f(x):\n    return x + Config.N\n", Config=Config)
    fast = njit(f)
    assert fast(1) == 4
    Config.__bases__ = (Second,)
    assert fast(1) == 41
    Second.N = 500  # of a class that the first compile has not met
    assert fast(1) == 501
    Config.__bases__ = (First,)
    assert fast(1) == 4
    First.N = 7
    assert fast(1) == 8
    Config.__bases__ = (type("Gone", (), {"N": 90}),)
    assert fast(1) == 91
    Config.__bases__ = (First,)
    gc.collect()  # what the code for 91 watches is still there to be looked at
    assert fast(1) == 8 and fast(1.0) == 8.0


@needs_compiler
def test_looking_at_guards_may_change_them():
    """A metaclass runs Python while the guards are looked at: it changes what was looked at before,
    and calls the function once more."""
    class Meta(type):
        def __getattribute__(cls, name):
            if name == "SCALE" and armed:
                armed.clear()
                f.__globals__["K"] = 20
                assert fast(1.0) == 1 * 3 + 20
            return type.__getattribute__(cls, name)

    armed = []

    class Settings(metaclass=Meta):
        SCALE = 3

    f = make("K = 10\ndef f(x):\n    return K + x * Settings.SCALE\n", "f", Settings=Settings)
    fast = njit(f)
    assert fast(1.0) == 13.0
    armed.append(True)
    Settings.SCALE = 3  # the same; but all guards are looked at
    assert fast(1.0) in (13.0, 23.0)  # it began before the change
    assert fast(1) == 23
    assert fast(1.0) == 23.0


@needs_compiler
def test_a_changing_number_of_another_type_at_the_same_address():
    def counter():
        n = 1 << 40

        @njit
        def read(x):
            return x + n

        def put(value):
            nonlocal n
            n = value

        return read, put

    read, put = counter()
    for k in range(6):  # until it is read at each call
        put((1 << 40) + k)
        assert read(1) == (1 << 40) + k + 1
    waiting = [float(k) for k in range(200)]
    seen = set()
    for k in range(3000):
        put((1 << 41) + k)
        assert read(1) == (1 << 41) + k + 1
        put(None)  # the int is gone, and its place is free
        value = k + 0.5 if k % 2 else complex(k, 1)
        seen.add(id(value))
        put(value)
        got = read(1)
        assert got == 1 + value and type(got) is type(value)
    assert waiting and seen


@needs_compiler
def test_names_that_hide_builtins_are_noticed():
    f = make("def f(x):\n    return abs(x) + max(x, 1)\n")
    fast = njit(f)
    assert fast(-5) == 6
    f.__globals__["abs"] = njit(lambda x: x * 100)
    assert fast(-5) == -499
    del f.__globals__["abs"]
    assert fast(-5) == 6


@needs_compiler
def test_a_name_that_becomes_another_module_is_noticed():
    one, two = pytypes.ModuleType("one"), pytypes.ModuleType("two")
    one.K, two.K = 1, 2
    f = make("def f(x):\n    return x + m.K\n", m=one)
    fast = njit(f)
    for module in (one, two, one, two):
        f.__globals__["m"] = module
        assert fast(10) == 10 + module.K


def change_while_compiling(f, name, new):
    """Calls the function for the first time, while another thread changes a global of it as soon as
    the compile lets it run."""
    started, stop = threading.Event(), threading.Event()

    def change():
        started.set()
        while not f._entries() and not stop.is_set():  # runs when the compile gives up the GIL
            f.py_func.__globals__[name] = new

    thread = threading.Thread(target=change)
    thread.start()
    started.wait()
    result = f(1)
    stop.set()
    thread.join()
    f.py_func.__globals__[name] = new
    return result


@needs_compiler
@pytest.mark.parametrize("cache", [False, True])
def test_a_global_that_changes_while_compiling(cache):
    for _ in range(5):
        f = njit(make("def f(x):\n    return x + K\n", K=10), cache=cache)
        assert change_while_compiling(f, "K", 20) in (11, 21)
        assert [f(1), f(1)] == [21, 21]
        f.py_func.__globals__["K"] = 10
        assert f(1) == 11


@needs_compiler
def test_a_change_and_back_while_compiling():
    """Overloads are Python: one changes a global before it is read, one changes it back later."""
    g = make("def g(x):\n    return K\n", "g", K=10)
    values = {"first": [20], "second": [10]}

    def swap(when):
        def plain(x):
            return x

        @extending.overload(plain)
        def choose(x):
            if values[when]:
                g.__globals__["K"] = values[when].pop()
            return lambda x: x

        return plain

    f = make("def f(x):\n    return first(x) + g(x) + second(x)\n", first=swap("first"), g=g,
             second=swap("second"))
    fast = njit(f)
    fast(1)
    assert values == {"first": [], "second": []}
    assert [fast(1), fast(1)] == [12, 12]
