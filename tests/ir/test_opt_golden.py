"""What each pass does to small functions.

`opt_<pass>/name.ir` holds a comment that says what should happen, the text before, a line
`; --- after <pass> ---`, and the text after. `--bless` rewrites the text after: read the diff.
"""

from pathlib import Path

import pytest
from tool import ir_tool

HERE = Path(__file__).parent
CASES = sorted(HERE.glob("opt_*/*.ir"))


@pytest.mark.parametrize("path", CASES, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_pass(path, bless):
    name = path.parent.name.removeprefix("opt_")
    mark = f"\n; --- after {name} ---\n"
    text = path.read_text()
    assert mark in text, f"no line '{mark.strip()}'"
    before, after = text.split(mark)
    assert before.startswith("; "), "what should happen here?"
    result = ir_tool(f"pass {name}", before)
    if bless:
        path.write_text(before + mark + result)
        return
    assert result == after


def test_every_pass_has_cases():
    names = {path.parent.name.removeprefix("opt_") for path in CASES}
    expected = {"simplify", "inline", "cse", "range", "hoist", "version", "strip", "carry",
                "select", "wrap", "poll", "escape", "catch", "lockstep",
                "promise"}
    assert expected | {"parallel", "rc_insert"} <= names


@pytest.mark.parametrize("path", CASES, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_text_before_is_sound(path):
    """A golden text is worth nothing if the pass was given something that does not verify."""
    assert ir_tool("verify", path.read_text().split("\n; --- after")[0]) == "ok"
