"""Each rule of the verifier (the list at the top of src/ir/verify.c) has a text that breaks it."""

import pytest
from tool import ir_tool

# rule, text of the function with " | " between lines, the sentence
# fmt: off
BREACHES = [
    # 1: blocks, entry
    ("1", "b1: | unreachable",
     "f: there is no entry block"),
    ("1", "b0: | jump b0",
     "f: b0: the entry has a predecessor, b0"),
    ("1", "b0(%1: int64): | return %1",
     "f: b0: the entry has parameters"),
    # 2: terminators
    ("2", "b0: | unfinished",
     "f: b0: has no terminator"),
    ("2", "b0: | jump b1",
     "f: b0: goes to b1, which is not there"),
    # 4: operands
    ("4", "b0: | return %7",
     "f: b0: terminator operand 0 is %7, which was deleted"),
    ("4", "b0: | %1 = const int64 1 | %2: int64 = add %1 | return %2",
     "f: b0: %2 (add): 1 operands, 2 expected"),
    ("4", "b0: | %2: int64 = neg %9 | return %2",
     "f: b0: %2 (neg): operand 0 is %9, which was deleted"),
    # 5: stages
    ("5", "b0: | %1 = const int64 1 | %2: int64 = strong %1 | return %2",
     "f: b0: %2 (strong): does not belong in a LOW function"),
    # 6: arguments
    ("6", "b0: | jump b1 | b1: | %1: int64 = arg #0 | return %1",
     "f: b1: %1 (arg): stands elsewhere than at the start of the entry"),
    ("6", "b0: | %2 = const int64 1 | %1: int64 = arg #0 | return %1",
     "f: b0: %1 (arg): stands elsewhere than at the start of the entry"),
    ("6", "b0: | %1: int64 = arg #1 | return %1",
     "f: b0: %1 (arg): there is no argument 1"),
    ("6", "b0: | %1: int64 = arg #0 | %2: int64 = arg #0 | return %1",
     "f: b0: %2 (arg): arguments are out of order"),
    # 7: edges
    ("7", "b0: | jump b1 | b1(%1: int64): | return %1",
     "f: b0: passes 0 arguments to b1, which takes 1"),
    ("7", "b0 handler b1: | poll | unreachable | b1(%1: exc, %2: int64): | return %2",
     "f: b0: passes 0 arguments to b1, which takes 1"),
    ("8", "b0 handler b1: | poll | unreachable | b1: | unreachable",
     "f: b0: the handler b1 has no parameter for the exception"),
    # 10: dominance
    ("10", "b0: | %1: int64 = neg %2 | %2 = const int64 1 | return %1",
     "f: b0: %1 (neg): uses %2 before it is computed"),
    ("10", "b0: | %1: int64 = neg %1 | return %1",
     "f: b0: %1 (neg): uses %1 before it is computed"),
    ("10", "b0: | %1 = const bool true | branch %1, b1, b2 | b1: | %2 = const int64 1 | jump b2 | "
     "b2: | return %2",
     "f: b2: uses %2 before it is computed"),
    ("10", "b0: | %1 = const bool true | branch %1, b1, b2 | b1: | %2 = const int64 1 | jump "
     "b3(%2) | b2: | jump b3(%2) | b3(%3: int64): | return %3",
     "f: b2: uses %2 before it is computed"),
    ("10", "b0 handler b1: | %1 = const int64 1 | poll | return %1 | b1(%2: exc): | return %1",
     "f: b1: uses %1 before it is computed"),
    ("10", "b0 handler b1: | %1 = const int64 1 | poll | jump b2 | b1(%2: exc): | jump b2 | b2: | "
     "return %1",
     "f: b2: uses %1 before it is computed"),
    ("11", "b0 handler b1(%1): | %1 = const int64 1 | poll | return %1 | b1(%2: exc, %3: int64): "
     "| return %3",
     "f: b0: uses %1 before it is computed"),
    # 12: types of operations
    ("12", "b0: | %1: ? = const int64 1 | unreachable",
     "f: b0: %1 (const): has no type"),
    ("12", "b0: | %1: int32 = const int64 1 | unreachable",
     "f: b0: %1 (const): the result is int32, int64 expected"),
    ("12", "b0: | %1: float64 = arg #0 | unreachable",
     "f: b0: %1 (arg): the result is float64, int64 expected"),
    ("12", "b0: | %1 = const int64 1 | %2 = const int32 1 | %3: int64 = add %1, %2 | unreachable",
     "f: b0: %3 (add): operand 1 is int32, int64 expected"),
    ("12", "b0: | %1 = const bool true | %2: bool = add %1, %1 | unreachable",
     "f: b0: %2 (add): operand 0 is bool, an integer or a float or a complex number expected"),
    ("12", "b0: | %1 = const float64 1.0 | %2: float64 = and %1, %1 | unreachable",
     "f: b0: %2 (and): operand 0 is float64, bool or an integer expected"),
    ("12", "b0: | %1 = const float64 1.0 | %2: int64 = eq %1, %1 | unreachable",
     "f: b0: %2 (eq): the result is int64, bool expected"),
    ("12", "b0: | %1 = const float64 1.0 | %2 = const int64 1 | %3: bool = lt %1, %2 | unreachable",
     "f: b0: %3 (lt): operand 1 is int64, float64 expected"),
    ("12", "b0: | %1 = const complex128 (0.0, 0.0) | %3: bool = lt %1, %1 | unreachable",
     "f: b0: %3 (lt): operand 0 is complex128, bool or an integer or a float or an enum expected"),
    ("12", "b0: | %1 = const int64 1 | %2: int64 = select %1, %1, %1 | unreachable",
     "f: b0: %2 (select): operand 0 is int64, bool expected"),
    ("12", "b0: | %1 = const str \"x\" | %2: int64 = cast %1 | unreachable",
     "f: b0: %2 (cast): operand 0 is unicode_type, bool or an integer or a float or an enum or "
     "a complex number expected"),
    ("12", "b0: | %1 = const complex64 (0.0, 0.0) | %2: float64 = cast %1 | unreachable",
     "f: b0: %2 (cast): the result is float64, a complex number expected"),
    ("12", "b0: | %1 = const int64 1 | %2: float32 = bitcast %1 | unreachable",
     "f: b0: %2 (bitcast): int64 and float32 differ in width"),
    ("12", "b0: | %1 = const complex64 (0.0, 0.0) | %2: int64 = bitcast %1 | unreachable",
     "f: b0: %2 (bitcast): only scalars have bits to keep"),
    ("12", "b0: | %1 = const int64 1 | %2: int64 = math sqrt %1 | unreachable",
     "f: b0: %2 (math): operand 0 is int64, a float expected"),
    ("12", "b0: | %1 = const float64 1.0 | %2: float64 = math pow %1 | unreachable",
     "f: b0: %2 (math): 1 operands, 2 expected"),
    ("12", "b0: | %1 = const float64 1.0 | %2: float64 = math isnan %1 | unreachable",
     "f: b0: %2 (math): the result is float64, bool expected"),
    ("12", "b0: | %1 = const float64 1.0 | %2: float64 = math ldexp %1, %1 | unreachable",
     "f: b0: %2 (math): operand 1 is float64, int64 expected"),
    ("12", "b0: | %1 = const int64 1 | %2: tuple(int64, int64) = make %1 | unreachable",
     "f: b0: %2 (make): 1 fields, UniTuple(int64 x 2) has 2"),
    ("12", "b0: | %1 = const int64 1 | %2: tuple(int64, bool) = make %1, %1 | unreachable",
     "f: b0: %2 (make): operand 1 is int64, bool expected"),
    ("12", "b0: | %1 = const tuple(int64) (int64 1) | %2: int64 = field #1 %1 | unreachable",
     "f: b0: %2 (field): UniTuple(int64 x 1) has no field 1"),
    ("12", "b0: | %1 = const tuple(int64) (int64 1) | %2: bool = field #0 %1 | unreachable",
     "f: b0: %2 (field): the result is bool, int64 expected"),
    ("12", "b0: | %1 = const int64 1 | %2: ptr = elem %1 | unreachable",
     "f: b0: %2 (elem): an array and one index per axis expected"),
    ("12", "b0: | %1 = const int64 1 | %2: int64 = load %1 | unreachable",
     "f: b0: %2 (load): operand 0 is int64, a pointer expected"),
    ("12", "b0: | %1 = const int64 1 | store %1, %1 | unreachable",
     "f: b0: %2 (store): operand 0 is int64, pointer expected"),
    ("12", "b0: | %1 = const ptr 0 | %2: ptr = offset %1, %1 | unreachable",
     "f: b0: %2 (offset): operand 1 is pointer, int64 expected"),
    ("12", "b0: | %1: ptr = stack #0 | unreachable",
     "f: b0: %1 (stack): 0 bytes"),
    ("12", "b0: | %1 = const int64 1 | check STOP %1 | unreachable",
     "f: b0: %2 (check): operand 0 is int64, bool expected"),
    ("12", "b0: | %1 = const bool true | check RESHAPE %1 | unreachable",
     "f: b0: %2 (check): 1 operands, 3 expected"),
    ("12", "b0: | %1 = const int32 1 | check.index #0 %1, %1, %1 | unreachable",
     "f: b0: %2 (check.index): operand 0 is int32, int64 expected"),
    ("12", "b0: | %1: int64 = call.fn @f | unreachable",
     "f: b0: %1 (call.fn): 0 arguments, f takes 1"),
    ("12", "b0: | %2 = const bool true | %1: int64 = call.fn @f %2 | unreachable",
     "f: b0: %1 (call.fn): operand 0 is bool, int64 expected"),
    ("12", "b0: | %2 = const int64 1 | %1: bool = call.fn @f %2 | unreachable",
     "f: b0: %1 (call.fn): the result is bool, int64 expected"),
    ("12", "b0: | %2 = const int64 1 | %1: int64 = call.rt ws_gcd %2 | unreachable",
     "f: b0: %1 (call.rt): 1 operands, ws_gcd takes 2"),
    ("12", "b0: | %2 = const float64 1.0 | %1: int64 = call.rt ws_gcd %2, %2 | unreachable",
     "f: b0: %1 (call.rt): operand 0 is float64, but ws_gcd takes 'i'"),
    ("12", "b0: | %2 = const int64 1 | %1: float64 = call.rt ws_gcd %2, %2 | unreachable",
     "f: b0: %1 (call.rt): the result is float64, but ws_gcd is i(ii)"),
    ("12", "b0: | %1: exc = exc.make #256 | unreachable",
     "f: b0: %1 (exc.make): there is no exception class 256"),
    ("12", "b0: | %1: array(float64, 1d, C) = global #0 | unreachable",
     "f: b0: %1 (global): there is no captured array 0"),
    ("12", "b0: | poll | %1: int64 = poll | unreachable",
     "f: b0: %1 (poll): the result is int64, none expected"),
    ("12", "b0: | unreachable | b1(%2): | unreachable",
     "f: b1: %2 (param): has no type"),
    # 13: types of edges and terminators
    ("13", "b0: | %1 = const bool true | jump b1(%1) | b1(%2: int64): | return %2",
     "f: b0: edge argument 0 to b1 is bool, int64 expected"),
    ("13", "b0 handler b1: | poll | unreachable | b1(%2: int64): | return %2",
     "f: b0: the handler b1 takes no exception"),
    ("14", "b0: | %1 = const int64 1 | branch %1, b1, b1 | b1: | return %1",
     "f: b0: branches on int64, bool expected"),
    ("14", "b0: | return",
     "f: b0: returns nothing, int64 expected"),
    ("14", "b0: | %1 = const bool true | return %1",
     "f: b0: returns bool, int64 expected"),
    ("14", "b0: | %1 = const bool true | raise %1",
     "f: b0: raises bool, one exception expected"),
    ("14", "b0: | %1: exc = exc.make ValueError | raise %1, %1",
     "f: b0: raises two values, one exception expected"),
    # 15: marks and kernels
    ("15", "b0: | %1 = const int64 1 weak | return %1",
     "f: b0: %1 (const): is weak"),
    ("15", "b0: | barrier sync | unreachable",
     "f: b0: %1 (barrier): stands outside a kernel"),
    ("15", "b0: | %1: int64 = sreg tid #0 | return %1",
     "f: b0: %1 (sreg): stands outside a kernel"),
]
# fmt: on


def function(body: str, head: str = "fn low @f(n: int64) -> int64") -> str:
    """A whole function; "|" ends a line, as the end of a line does."""
    return f"{head} {{\n{body.replace('|', chr(10))}\n}}\n"


@pytest.mark.parametrize(
    "rule, body, sentence", BREACHES, ids=[f"{b[0]}-{n}" for n, b in enumerate(BREACHES)]
)
def test_breach(rule, body, sentence):
    assert ir_tool("verify", function(body)) == sentence


def test_high_has_no_low_operations():
    text = function("b0: | %1 = const int64 1 | %2 = neg %1 | return %2", "fn high @f()")
    assert ir_tool("verify", text) == "f: b0: %2 (neg): does not belong in a HIGH function"


def test_high_call_has_the_operands_it_says():
    body = 'b0: | %1 = const func"g" | %2 = call %1(%1, *%1, k=%1) | return %2'
    assert ir_tool("verify", function(body, "fn high @f()")) == "ok"


def test_types_of_high_are_not_judged():
    body = "b0: | %1 = arg #0 | jump b1(%1) | b1(%2: int64): | return %2"
    assert ir_tool("verify", function(body, "fn high @f(a)")) == "ok"


def test_unreachable_blocks_need_no_dominance():
    dead = "b1: | %2: int64 = neg %3 | %3: int64 = neg %2 | return %3"
    assert ir_tool("verify", function(f"b0: | %1: int64 = arg #0 | return %1 | {dead}")) == "ok"


def test_handler_arguments_may_be_own_parameters():
    body = """b0:
    %1: int64 = arg #0
    jump b1(%1)
b1(%2: int64) handler b2(%1, %2):
    poll
    %3: exc = exc.make ValueError
    jump b2(%3, %1, %2)
b2(%4: exc, %5: int64, %6: int64):
    return %6"""
    assert ir_tool("verify", function(body)) == "ok"


def test_second_function_is_checked_too():
    good = function("b0: | %1: int64 = arg #0 | return %1")
    text = good + function("b0: | unfinished", "fn low @g() -> none")
    assert ir_tool("verify", text) == "g: b0: has no terminator"


@pytest.mark.parametrize("body, message", [
    ("%1 = const int64 1 | barrier sync %1", "(barrier): operand 0 is int64, bool expected"),
    ("%1 = const bool true | %2: int64 = barrier grid %1", "%2 (barrier): no such barrier"),
    ("%1 = const int64 1 | %2: int64 = warp add #33 %1, %1",
     "%2 (warp): no such operation of a warp"),
    ("%1 = const int64 1 | %2: int64 = warp ballot #32 %1, %1",
     "%2 (warp): operand 1 is int64, bool expected"),
    ("%1 = const int64 1 | %2: bool = warp add #32 %1, %1",
     "%2 (warp): the result is bool, int64 expected"),
])
def test_operations_of_kernels(body, message):
    text = function(f"b0: | {body} | return", "fn low @k() -> none kernel")
    assert message in ir_tool("verify", text)


def test_barrier_is_fine_in_what_a_kernel_calls():
    kernel = function("b0: | call.fn @d | return", "fn low @k() -> none kernel")
    text = kernel + function("b0: | barrier sync | return", "fn low @d() -> none")
    assert ir_tool("verify", text) == "ok"
