"""The text form of the IR: what is printed reads back to the same text; bad text says why."""

import re
from pathlib import Path

import pytest
from tool import ir_tool

TEXTS = sorted((Path(__file__).parent / "text").glob("*.ir"))
OPS_DEF = Path(__file__).parents[2] / "src" / "ir" / "ops.def"


@pytest.mark.parametrize("path", TEXTS, ids=lambda p: p.stem)
def test_prints_what_it_reads(path):
    text = path.read_text()
    assert ir_tool("print-spans", text) == text


def test_every_operation_is_in_a_text():
    texts = "".join(path.read_text() for path in TEXTS)
    names = re.findall(r'^OP\(\w+,\s*"([^"]+)"', OPS_DEF.read_text(), re.MULTILINE)
    assert len(names) > 70
    used = set(re.findall(r"^    (?:%\d+(?:: [^=]+)? = )?([a-z_.]+)", texts, re.MULTILINE))
    assert set(names) - used == {
        "nop",
        "param",
    }  # deleted ones are not printed; parameters are in the heads


def test_spans_only_on_request():
    text = "fn high @f() {\nb0:\n    %1 = const int64 1 at 3:4-3:5\n    return %1 at 4:0-4:9\n}\n"
    assert " at " not in ir_tool("print", text)
    assert ir_tool("print-spans", text) == text


def test_blanks_comments_and_order_do_not_matter():
    loose = """

    ; a comment
    fn low @f ( n : int64 )->int64   {   ; another
    b1 : ; blocks may come in any order
      return   %7
    b0:
      %7:int64=arg #0

      jump b1
    }
    """
    tight = """fn low @f(n: int64) -> int64 {
b0:
    %7: int64 = arg #0
    jump b1
b1:
    return %7
}
"""
    assert ir_tool("print", loose) == tight


def test_numbers_are_given_to_what_has_none():
    text = "fn low @f() -> none {\nb0:\n    poll\n    %1 = const int64 1\n    poll\n    return\n}\n"
    assert ir_tool("print", text) == text
    assert ir_tool("verify", text) == "ok"


@pytest.mark.parametrize("value", [
    "0.0", "-0.0", "1.0", "0.1", "1e+300", "5e-324", "3.141592653589793", "inf", "-inf", "nan",
    "bits:7ff8000000000001", "bits:fff8000000000000", "123456789.0", "1e+16",
])  # fmt: skip
def test_floats_keep_their_bits(value):
    text = f"fn high @f() {{\nb0:\n    %1 = const float64 {value}\n    return %1\n}}\n"
    assert ir_tool("print", text) == text


HEAD = "fn low @f() -> none {\nb0:\n"

BAD = {
    "x": "line 1 of the IR text: fn, classes or captured expected",
    "fn mid @f() {": "line 1 of the IR text: high or low expected",
    "fn low f() {": "line 1 of the IR text: '@' expected",
    "fn low @f(a: int63) {": "line 1 of the IR text: no such type: int63",
    "fn low @f(a: array(int64, 2d, X)) {": "line 1 of the IR text: bad array type",
    "fn low @f(a: slice(int64)) {": "line 1 of the IR text: a slice has three types",
    "fn low @f() {\n}": "line 2 of the IR text: @f has no blocks",
    "fn low @f() {\nb0:\n    %0 = poll\n": "line 3 of the IR text: %0 is no value",
    HEAD + "    %1 = frobnicate %2\n": "line 3 of the IR text: no such operation: frobnicate",
    HEAD + "    %1 = param\n": "line 3 of the IR text: no such operation: param",
    HEAD + "    poll\n    poll poll\n": "line 4 of the IR text: end of line expected",
    HEAD + "    %1 = const int64 x\n": "line 3 of the IR text: a number expected",
    HEAD + "    %1 = const bool 1\n": "line 3 of the IR text: true or false expected",
    HEAD + "    %1 = const str \"x\n": "line 3 of the IR text: quoted text expected",
    HEAD + "    %1 = const str \"\\q\"\n": "line 3 of the IR text: quoted text expected",
    HEAD + "    %1: float64 = math sine %1\n": "line 3 of the IR text: no such kind of math: sine",
    HEAD + "    call.rt ws_none\n": "line 3 of the IR text: no such runtime function: ws_none",
    HEAD + "    %1: exc = exc.make Nope\n": "line 3 of the IR text: no such exception class: Nope",
    HEAD + "    %1 = const int64 1\n    %1 = poll\n": "line 5 of the IR text: %1 is defined twice",
    HEAD + "    %1 = return\n": "line 3 of the IR text: a terminator yields nothing",
    HEAD + "    return\nb0:\n    return\n}": "line 4 of the IR text: b0 is defined twice",
    HEAD + "    return\n}\n" + HEAD + "    return\n}": "line 5 of the IR text: @f is defined twice",
    HEAD + "    call.fn @g\n    return\n}\n": "line 6 of the IR text: @g is not defined",
    HEAD + "    jump 1\n": "line 3 of the IR text: a block expected",
    HEAD + "    %1 = add fast(quick) %1, %1\n": "line 3 of the IR text: no such flag: quick",
    HEAD + "    %99999999 = poll\n": "line 3 of the IR text: the number is too large",
    HEAD + "    poll\n}\n": "line 4 of the IR text: an operation expected",
}  # fmt: skip


@pytest.mark.parametrize("text", BAD, ids=range(len(BAD)))
def test_bad_text(text):
    with pytest.raises(Exception) as caught:
        ir_tool("print", text)
    assert str(caught.value) == BAD[text]


def test_unknown_tool():
    with pytest.raises(Exception, match="no such tool: paint"):
        ir_tool("paint", "fn low @f() -> none {\nb0:\n    return\n}\n")
