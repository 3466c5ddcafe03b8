"""The interpreter of LOW IR: aggregates, control flow, exceptions, memory, calls of the runtime."""

import re
from pathlib import Path

import numpy as np
import pytest
from tool import interp, result

ROOT = Path(__file__).parents[2]


# --- aggregates ----------------------------------------------------------------------------------


def test_aggregates():
    nested = "tuple(bool, float32)"
    to = "tuple(float32, int8, bool, optional(int64), optional(int64), complex64)"
    text = f"""fn low @f(t: tuple(int8, {nested}), o: optional(int64), z: complex64) -> {to} {{
b0:
    %1: tuple(int8, {nested}) = arg #0
    %2: optional(int64) = arg #1
    %3: complex64 = arg #2
    %4: {nested} = field #1 %1
    %5: float32 = field #1 %4
    %6: int8 = field #0 %1
    %7: bool = field #0 %2
    %8: int64 = field #1 %2
    %9: bool = xor %7, %7
    %10: optional(int64) = make %9, %8
    %11: float32 = field #1 %3
    %12: complex64 = make %11, %5
    %13: {to} = make %5, %6, %7, %2, %10, %12
    return %13
}}
"""
    assert result(text, "(-3,(true,1.5))", "7", "(1,2)") == "(1.5, -3, true, 7, none, (2.0, 1.5))"
    assert (
        result(text, "(-3,(true,1.5))", "none", "(1,2)")
        == "(1.5, -3, false, none, none, (2.0, 1.5))"
    )


def test_constants():
    items = {
        "str": ('str "plain \\n"', '"plain \\n"'),
        "str ": ('str "\u00e4\u20ac"', '"\\u00e4\\u20ac"'),
        "bytes": ('bytes "\\xff"', '"\\xff"'),
        "optional(float64)": ("optional(float64) (float64 2.5)", "2.5"),
        "range": ("range (int64 1, int64 9, int64 2)", "(1, 9, 2)"),
        "slice(int64, none, int64)": (
            "slice(int64, none, int64) (int64 3, none, int64 -1)",
            "(3, -1)",
        ),
        "none": ("none", "none"),
        "bool": ("bool true", "true"),
    }
    ty = f"tuple({', '.join(items)})"
    value = ", ".join(text for text, _ in items.values())
    text = f"fn low @f() -> {ty} {{\nb0:\n    %1 = const {ty} ({value})\n    return %1\n}}\n"
    assert result(text) == f"({', '.join(shown for _, shown in items.values())})"


def test_select_of_aggregates():
    text = """fn low @f(c: bool) -> tuple(int64, bool) {
b0:
    %1: bool = arg #0
    %2 = const tuple(int64, bool) (int64 1, bool true)
    %3: tuple(int64, bool) = unset
    %4: tuple(int64, bool) = select %1, %2, %3
    return %4
}
"""
    assert result(text, "true") == "(1, true)"
    assert result(text, "false") == "(0, false)"


# --- control flow --------------------------------------------------------------------------------

FIB = """fn low @fib(n: int64) -> int64 {
b0:
    %1: int64 = arg #0
    %2 = const int64 0
    %3 = const int64 1
    jump b1(%1, %2, %3)
b1(%4: int64, %5: int64, %6: int64):
    %7: bool = gt %4, %2
    branch %7, b2, b3
b2:
    %8: int64 = sub %4, %3
    %9: int64 = add %5, %6
    jump b1(%8, %6, %9)
b3:
    return %5
}
"""


def test_loop():
    assert [result(FIB, n) for n in (0, 1, 2, 10, 90)] == [
        "0",
        "1",
        "1",
        "55",
        "2880067194370816120",
    ]


def test_block_arguments_are_passed_all_at_once():
    text = """fn low @swap(n: int64, a: int64, b: int64) -> int64 {
b0:
    %1: int64 = arg #0
    %2: int64 = arg #1
    %3: int64 = arg #2
    jump b1(%1, %2, %3)
b1(%4: int64, %5: int64, %6: int64):
    %7 = const int64 1
    %8: int64 = sub %4, %7
    %9: bool = ge %8, %7
    branch %9, b1(%8, %6, %5), b2(%5, %6)
b2(%10: int64, %11: int64):
    %12: int64 = sub %10, %11
    return %12
}
"""
    assert result(text, 1, 10, 3) == "7"
    assert result(text, 2, 10, 3) == "-7"
    assert result(text, 5, 10, 3) == "7"


MUTUAL = """fn low @main(n: int64) -> bool {
b0:
    %1: int64 = arg #0
    %2: bool = call.fn @even %1
    return %2
}

fn low @even(n: int64) -> bool {
b0:
    %1: int64 = arg #0
    %2 = const int64 0
    %3: bool = eq %1, %2
    branch %3, b1, b2
b1:
    %4 = const bool true
    return %4
b2:
    %5 = const int64 1
    %6: int64 = sub %1, %5
    %7: bool = call.fn @odd %6 at 7:4-7:9
    return %7
}

fn low @odd(n: int64) -> bool {
b0:
    %1: int64 = arg #0
    %2: bool = call.fn @even %1
    %3: bool = xor %2, %2
    %4: bool = eq %2, %3
    return %4
}
"""


def test_calls():
    text = MUTUAL.replace(
        "call.fn @even %1\n    %3: bool", "call.fn @even %1 at 9:0-9:1\n    %3: bool"
    )
    assert result(text, 0) == "true"
    assert result(text, 1) == "false"
    assert result(text, 400) == "true"


def test_runaway_recursion_is_an_exception():
    outcome = interp(MUTUAL, -1).split("\n")
    assert outcome[0] == "raise RecursionError: maximum recursion depth exceeded"
    assert "in even line 7" in interp(MUTUAL, -1)


# --- exceptions ----------------------------------------------------------------------------------


def test_check_index():
    text = """fn low @f(i: int64, n: int64) -> int64 {
b0:
    %1: int64 = arg #0
    %2: int64 = arg #1
    %3: int64 = wrap %1, %2
    check.index #1 %3, %2, %1 at 4:8-4:12
    return %3
}
"""
    assert result(text, 2, 3) == "2"
    assert result(text, -3, 3) == "0"
    for i in (3, -4, 2**63 - 1, -(2**63)):
        outcome = interp(text, i, 3)
        assert (
            outcome
            == f"raise IndexError: index {i} is out of bounds for axis 1 with size 3\n  in f line 4"
        )


@pytest.mark.parametrize("kind, cls, message", [
    ("ZERO_DIV", "ZeroDivisionError", "division by zero"),
    ("MATH_RANGE", "OverflowError", "math range error"),
    ("IS_NONE", "TypeError", "the value is None here, a number was expected"),
])  # fmt: skip
def test_check(kind, cls, message):
    text = f"""fn low @f(ok: bool) -> none {{
b0:
    %1: bool = arg #0
    check {kind} %1
    return
}}
"""
    assert result(text, "true") == "none"
    assert interp(text, "false").split("\n")[0] == f"raise {cls}: {message}"


def test_check_with_operands():
    text = """fn low @f(a: int64, b: int32) -> none {
b0:
    %1: int64 = arg #0
    %2: int32 = arg #1
    %3 = const bool false
    check RESHAPE %3, %1, %2
    return
}
"""
    assert (
        interp(text, 6, -4).split("\n")[0]
        == "raise ValueError: cannot reshape array of size 6 into shape of size -4"
    )


CATCH = """classes #1

fn low @f(n: int64) -> int64 {
b0:
    %1: int64 = arg #0
    %2 = const int64 10
    jump b1(%2)
b1(%3: int64) handler b3(%3, %1):
    %4: int64 = call.fn @g %1 at 2:0-2:4
    return %4
b3(%5: exc, %6: int64, %7: int64):
    %8: bool = call.rt ws_exc_match %5, %9
    branch %8, b4, b5
b4:
    release %5
    %10: int64 = add %6, %7
    return %10
b5:
    raise %5 at 5:0-5:5
}

fn low @g(n: int64) -> int64 {
b0:
    %1: int64 = arg #0
    %2 = const int64 100
    %3: bool = lt %1, %2
    branch %3, b1, b2
b1:
    %4 = const int64 0
    %5: bool = ge %1, %4
    check NEG_COUNT %5 at 8:1-8:2
    return %2
b2:
    %6: exc = exc.make OverflowError %1, %2 at 9:0-9:20
    raise %6 at 9:0-9:30
}
"""


def test_handlers():
    text = CATCH.replace("    %8: bool", "    %9 = const int32 25\n    %8: bool")
    classes = (ROOT / "src" / "core" / "exceptions.def").read_text()
    names = re.findall(r"^EXCEPTION\((\w+),", classes, re.MULTILINE)
    assert names[25] == "ValueError"
    assert result(text, 5) == "100"
    assert result(text, -5) == "5"  # caught: 10 - 5
    assert (
        interp(text, 123)
        == "raise OverflowError: 123, 100\n  in g line 9\n  in f line 2\n  in f line 5"
    )


def test_raise_into_the_block_own_handler():
    text = """fn low @f() -> int64 {
b0 handler b1:
    %1: exc = exc.make ValueError
    raise %1
b1(%2: exc):
    release %2
    %3 = const int64 4
    return %3
}
"""
    assert result(text) == "4"


def test_user_exception_class():
    text = (
        "classes #2\n\nfn low @f() -> none {\nb0:\n    %1: exc = exc.make #257\n    raise %1\n}\n"
    )
    assert interp(text).startswith("raise class #257")


# --- memory --------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", "CF")
def test_two_dimensions(layout):
    text = f"""fn low @f(a: array(int32, 2d, {layout}), i: int64, j: int64) -> int32 {{
b0:
    %1: array(int32, 2d, {layout}) = arg #0
    %2: int64 = arg #1
    %3: int64 = arg #2
    %4: ptr = elem %1, %2, %3
    %5: int32 = load %4
    %6: int32 = neg %5
    store %4, %6
    return %5
}}
"""
    want = np.arange(6, dtype="int32").reshape((2, 3), order=layout)
    for i, j in np.ndindex(2, 3):
        outcome = interp(text, "2x3[0,1,2,3,4,5]", i, j).split("\n")
        after = want.copy()
        after[i, j] *= -1
        assert outcome == [f"result: {want[i, j]}", f"argument 0: {after.tolist()}"]


def test_strides():
    text = """fn low @f(a: array(float32, 1d, A), i: int64) -> float32 {
b0:
    %1: array(float32, 1d, A) = arg #0
    %2: int64 = arg #1
    %3: ptr = elem %1, %2
    %4: float32 = load %3
    return %4
}
"""
    assert [result(text, "~[1,2,3]", i) for i in range(3)] == ["1.0", "2.0", "3.0"]


def test_owned_memory():
    text = """fn low @f() -> int64 {
b0:
    %1 = const int64 24
    %2: ptr = alloc %1
    %3: ptr = data %2
    %4 = const int64 63
    %5: int64 = bitcast %3
    %6: int64 = and %5, %4
    %7 = const int64 3
    %8: ptr = offset %3, %7
    %9 = const int64 -77
    store #1 %8, %9
    %10: int64 = load #1 %8
    %11: int64 = add %10, %6
    retain %2
    release %2
    release %2
    return %11
}
"""
    assert result(text) == "-77"  # and the memory is 64-byte aligned


def test_failed_allocation_raises():
    body = "b0:\n    %1: int64 = arg #0\n    %2: ptr = alloc %1\n    return\n"
    text = f"fn low @f(n: int64) -> none {{\n{body}}}\n"
    assert interp(text, -1).startswith("raise MemoryError")


def test_stack_is_one_place_per_instruction():
    ty = "tuple(int8, bool, str)"
    text = f"""fn low @f() -> {ty} {{
b0:
    %1 = const {ty} (int8 -5, bool true, str "ab")
    %2: ptr = stack #100
    %3: ptr = stack #48
    %4 = const int64 5
    store %2, %4
    store %3, %1
    store %2, %4
    %5: {ty} = load %3
    return %5
}}
"""
    assert result(text) == '(-5, true, "ab")'


def test_bool_is_any_byte_but_zero():
    text = """fn low @f(a: array(uint8, 1d, C)) -> tuple(bool, bool) {
b0:
    %1: array(uint8, 1d, C) = arg #0
    %2 = const int64 0
    %3 = const int64 1
    %4: ptr = elem %1, %2
    %5: ptr = elem %1, %3
    %6: bool = load %4
    %7: bool = load %5
    %8: tuple(bool, bool) = make %6, %7
    return %8
}
"""
    assert result(text, "[0,2]") == "(false, true)"


@pytest.mark.parametrize("op, now", [
    ("add", 12), ("sub", 4), ("min", 4), ("max", 8),
    ("and", 0), ("or", 12), ("xor", 12), ("xchg", 4),
])  # fmt: skip
def test_atomics(op, now):
    text = f"""fn low @f(a: array(int32, 1d, C)) -> int32 {{
b0:
    %1: array(int32, 1d, C) = arg #0
    %2 = const int64 0
    %3: ptr = elem %1, %2
    %4 = const int32 4
    %5: int32 = atomic {op} %3, %4
    return %5
}}
"""
    assert interp(text, "[8]") == f"result: 8\nargument 0: [{now}]"


def test_atomic_load():
    text = """fn low @f(a: array(float64, 1d, C)) -> float64 {
b0:
    %1: array(float64, 1d, C) = arg #0
    %2: ptr = field #0 %1
    %3: float64 = atomic load %2
    return %3
}
"""
    assert interp(text, "[8]") == "result: 8.0\nargument 0: [8.0]"


def test_compare_and_swap():
    text = """fn low @f(a: array(float64, 1d, C), old: float64) -> float64 {
b0:
    %1: array(float64, 1d, C) = arg #0
    %2: float64 = arg #1
    %3: ptr = field #0 %1
    %4 = const float64 9.5
    %5: float64 = atomic cas %3, %2, %4
    return %5
}
"""
    assert interp(text, "[8]", 8) == "result: 8.0\nargument 0: [9.5]"
    assert interp(text, "[8]", 7) == "result: 8.0\nargument 0: [8.0]"


# --- the runtime ---------------------------------------------------------------------------------


def test_runtime_calls_of_each_shape():
    to = "tuple(int64, float64, float32, bool, float64, int64, str)"
    text = f"""fn low @f(n: int8, x: float64) -> {to} {{
b0:
    %1: int8 = arg #0
    %2: float64 = arg #1
    %3 = const int64 18
    %4: int64 = call.rt ws_gcd %1, %3
    %5: float64 = call.rt ws_ldexp %2, %3
    %6 = const float32 0.75
    %7: float32 = call.rt ws_ldexpf %6, %4
    %8 = const str "ab"
    %9 = const str "ab"
    %10: bool = call.rt ws_str_eq %8, %9
    %11 = const int64 1
    %12: float64 = call.rt ws_round_digits %2, %11
    %15: int64 = call.rt ws_hash_complex %2, %2
    %16 = const int64 2
    %17: tuple(str, str) = make %8, %9
    %18: str = call.rt ws_str_concat %16, %17
    %19: {to} = make %4, %5, %7, %10, %12, %15, %18
    return %19
}}
"""
    outcome = result(text, -12, 0.26)
    assert outcome == f'(6, {0.26 * 2**18!r}, 48.0, true, 0.3, {hash(complex(0.26, 0.26))}, "abab")'


def test_runtime_call_that_raises():
    text = """fn low @f(x: float64) -> float64 {
b0:
    %1: float64 = arg #0
    %2 = const int64 -308
    %3: float64 = call.rt ws_round_digits %1, %2 at 3:1-3:9
    return %3
}
"""
    assert result(text, "1.5") == "0.0"
    assert interp(text, "1.7e308").startswith(
        "raise OverflowError: rounded value too large to represent"
    )


def test_poll_without_a_signal():
    assert result("fn low @f() -> none {\nb0:\n    poll\n    return\n}\n") == "none"


def test_bind_does_nothing():
    text = """fn low @f(n: int64) -> int64 {
b0:
    %1: int64 = arg #0
    bind "n" %1
    return %1
}
"""
    assert result(text, "5") == "5"
