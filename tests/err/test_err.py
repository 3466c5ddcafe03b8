"""Whole texts of the error messages: one program per distinct mistake.

A program `name.py` begins with three comment lines: its name and the rule it breaks; the class
that is raised (`any` for whatever is documented); the pieces of text without which the message
would be useless. The exact text is in `name.err`; `--bless` rewrites that from what comes out, and
you read the difference. Paths are reduced to file names.
"""

import linecache
import os
import pathlib
import re

import pytest

from support import PLAIN, errors

FOLDER = pathlib.Path(__file__).parent
PROGRAMS = sorted(p for p in FOLDER.glob("*.py") if not p.name.startswith("test_"))
INTERNAL = ("Traceback", "assertion failed", "0x7f", "NULL", "numba")


def read_head(path):
    """The expected class and the pieces of text that the first three lines of a program ask for."""
    lines = path.read_text().splitlines()
    name = re.fullmatch(r"# (\w+): (.+)", lines[0])
    assert name and name[1] == path.stem, f"{path.name} must begin with its own name and rule"
    expect = re.fullmatch(r"# expect: (\w+)", lines[1])
    tells = re.fullmatch(r"# tells: (.+)", lines[2])
    assert expect and tells, f"{path.name}: # expect: and # tells: are missing"
    return expect[1], tells[1].split(" | ")


def run(path):
    """Run a program as a script. Result: the exception that it ends with."""
    linecache.checkcache(str(path))
    code = compile(path.read_text(), str(path), "exec")
    try:
        exec(code, {"__name__": "__main__", "__file__": str(path)})
    except Exception as error:
        return error
    raise AssertionError(f"{path.name} ran without an error")


def text_of(error):
    """Class and message as a user sees them last, with paths reduced to file names."""
    text = f"{type(error).__name__}: {error}"
    text = re.sub(r"(?:/[\w.+-]+)+/([\w.+-]+\.py)", r"\1", text)
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


def test_there_are_enough_mistakes():
    assert len(PROGRAMS) >= 140
    for path in PROGRAMS:
        expect, tells = read_head(path)
        assert tells and (expect == "any" or hasattr(errors, expect))
        compile(path.read_text(), str(path), "exec")


@pytest.mark.skipif(PLAIN, reason="needs the compiler's messages")
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)
def test_message(path, bless):
    expect, tells = read_head(path)
    error = run(path)
    text = text_of(error)
    if expect != "any":
        assert isinstance(error, getattr(errors, expect)), text
        assert isinstance(error, errors.CompileError), text
    missing = [piece for piece in tells if piece not in text]
    assert not missing, f"{missing} not in\n{text}"
    found = [word for word in INTERNAL if word in text]
    assert not found, f"{found} in\n{text}"
    placed = expect not in ("any", "SourceError") and "signature" not in path.stem
    if placed and isinstance(error, errors.CompileError):
        assert f"{path.name}:" in text or f'{path.name}"' in text, f"no place in\n{text}"
        assert "^" in text, f"no caret in\n{text}"
    golden = path.with_suffix(".err")
    if bless:
        golden.write_text(text)
    assert golden.exists(), f"no {golden.name}; --bless writes it:\n{text}"
    assert text == golden.read_text()


@pytest.mark.skipif(PLAIN, reason="needs the compiler's messages")
def test_no_expected_text_without_its_program():
    names = {p.stem for p in PROGRAMS}
    assert [p.name for p in FOLDER.glob("*.err") if p.stem not in names] == []


@pytest.mark.skipif(PLAIN, reason="needs the compiler's messages")
def test_an_error_comes_again_at_the_next_call():
    path = FOLDER / "string_plus_int.py"
    assert text_of(run(path)) == text_of(run(path))


def test_paths_are_reduced_to_file_names():
    error = ValueError(f"{os.path.abspath(__file__)}:3: text  \nnext")
    assert text_of(error) == "ValueError: test_err.py:3: text\nnext\n"
