"""Strings as constants, f-strings, print through sys.stdout."""

import io
import math
import sys

import numpy as np
import pytest

from support import check, check_output, compiled, on

FLOATS = [0.0, -0.0, 1.0, 0.1, 1e16, 1e15, 123456789.125, 1e-5, 1e-4, 5e-324,
          1.7976931348623157e308, 1 / 3, math.inf, -math.inf, math.nan, 100.0, 2.5e-10,
          12345678901234567.0]


@pytest.mark.parametrize("x", [0, -1, 2**63 - 1, -2**63, True, False, None, 1 + 2j, -0.0j,
                               (1, 2.5), (1,), (), ((1, 2), True), *FLOATS])
def test_print_of_one_value(capsys, x):
    def show(x):
        print(x)

    check_output(capsys, show, x)


@pytest.mark.parametrize("x", FLOATS)
def test_f_string_of_floats(capsys, x):
    def show(x):
        print(f"x = {x}!")

    check_output(capsys, show, x)


def test_print_of_several_values(capsys):
    def show(a, b):
        print("a", a, b, "end")
        print()
        print(a, b, sep="-", end="!\n")
        print("line", a, end="")
        print(" goes on")

    check_output(capsys, show, 1, 2.5)
    check_output(capsys, show, (1, 2), True)


def test_print_in_a_loop_keeps_its_order(capsys):
    def show(n):
        total = 0.0
        for i in range(n):
            total += 1 / (i + 1)
            print("step", i, total)

    check_output(capsys, show, 5)


def test_print_before_an_exception_is_seen(capsys):
    def show(x):
        print("before", x)
        return 1 // x

    with pytest.raises(ZeroDivisionError):
        compiled(show)(0)
    assert capsys.readouterr().out == "before 0\n"


def test_print_goes_through_a_replaced_stdout(monkeypatch):
    def show(x):
        print("value", x)

    stream = io.StringIO()
    monkeypatch.setattr(sys, "stdout", stream)
    compiled(show)(7)
    assert stream.getvalue() == "value 7\n"


@pytest.mark.parametrize("fmt", ["", ".2f", ".0f", "8.3f", "<8.1f", ">10.4e", "+.3f", "e", "g",
                                 ".3g", "08.2f", "%", "^12.2f"])
def test_format_of_floats(capsys, fmt):
    source = f"def f(x):\n    print(f'[{{x:{fmt}}}]')\n"
    from support import make
    for x in (0.0, 3.14159, -2.5, 1e10, 1e-7, math.inf, math.nan):
        check_output(capsys, make(source), x)


@pytest.mark.parametrize("fmt", ["", "d", "5d", "<5", "^7", ">6", "05", "x", "X", "#x", "b", "o",
                                 ",", "+d", "_"])
def test_format_of_ints(capsys, fmt):
    source = f"def f(x):\n    print(f'[{{x:{fmt}}}]')\n"
    from support import make
    for x in (0, 7, -42, 1234567, 2**63 - 1, -2**63):
        check_output(capsys, make(source), x)


def test_f_string_forms(capsys):
    def show(n, x, flag):
        print(f"{n} {x} {flag} {{n}} {n + 1} {n!r} {x!s}")
        print(f"{n=} {x = }")
        print(f"{n:>{6}} and {'yes' if flag else 'no'}")

    check_output(capsys, show, 3, 2.5, True)
    check_output(capsys, show, -3, -0.0, False)


def test_text_that_is_not_ascii(capsys):
    def show(x):
        print("größe", x, "µm → 你好 🐍")
        print(f"Δ = {x}")

    check_output(capsys, show, 3)


def test_text_with_escapes(capsys):
    def show(x):
        print("tab\there\nnew 'quotes' \"double\" back\\slash \x41", x, r"\raw")

    check_output(capsys, show, 1)


def mode_of(kind):
    def f(x):
        if kind == "square":
            return x * x
        if kind in ("cube", "third"):
            return x * x * x
        return x
    return f


@pytest.mark.parametrize("kind", ["square", "cube", "third", "other"])
def test_comparison_of_literals(kind):
    check(mode_of(kind), 3)


@on("square", "none", "")
def test_string_arguments_compare(kind):
    if kind == "square":
        return 2
    if not kind:
        return 0
    return len(kind)


@on(3)
def test_bytes_constants(i):
    data = b"hello"
    return data[i], len(data), data == b"hello", data[1] == 101


@on(3)
def test_string_constants_come_back(x):
    return "text", x, b"bytes"


@on(2, -2)
def test_strings_are_chosen(x):
    return "positive" if x > 0 else "negative"


def test_print_of_array_elements(capsys):
    def show(a):
        for i in range(len(a)):
            print(a[i])

    check_output(capsys, show, np.array([1.5, 2.0]))
    check_output(capsys, show, np.array([True, False]))
    check_output(capsys, show, np.array([1, 2], np.int8))


@on("a", "0", "\0", "\x7f", "é", "€", "𝄞", "\ud800", "", "ab", "éa", b"x", b"\xff", b"", b"xy")
def test_code_of_a_character(s):
    return ord(s)


@on("", "7", "x-9", "1€2")
def test_code_of_constants_and_of_items(s):
    value = 0
    for c in s:
        if "0" <= c <= "9":
            value = value * 10 + ord(c) - ord("0")
    return value, ord("é"), ord("\n")


@on(0, 65, 127, 128, 0xE9, 0x20AC, 0xD800, 0x10FFFF, 0x110000, -1, True)
def test_character_of_a_code(i):
    return chr(i)


@on("", "abc", "zé€")
def test_texts_of_codes(s):
    text = ""
    for c in s:
        text += chr(ord(c) + 1)
    return text, len(text)
