"""Random IR does after the passes what it did before, in the interpreter: the same result or
exception, the same contents of the arrays.

WHIPSNAKE_FUZZ_N programs (240; 4000 with --all) from the seed WHIPSNAKE_FUZZ_SEED on.
"""

import os
import pathlib
import sys

import pytest
from tool import ir_tool

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "fuzz"))

import ir_programs

ALL = os.environ.get("WHIPSNAKE_TEST_ALL", "0") not in ("", "0")
COUNT = int(os.environ.get("WHIPSNAKE_FUZZ_N", "4000" if ALL else "240"))
FIRST = int(os.environ.get("WHIPSNAKE_FUZZ_SEED", "0"))
BATCH = 20
# By themselves too, so that one does not hide what another does.
SINGLE = ["simplify", "inline", "cse", "range", "hoist", "version", "strip", "wrap", "poll"]


def outcome(text, args):
    """Result or exception, then the arrays; without the lines of the traceback, which name
    functions that come and go."""
    lines = ir_tool("interp " + " ".join(map(str, args)), text).split("\n")
    return "\n".join(line for line in lines if not line.startswith("  in "))


def compare(text, passes, cases, label):
    changed = text
    for name in passes:
        changed = ir_tool(f"pass {name}", changed)
        assert ir_tool("verify", changed) == "ok", f"{label}, after {name}\n{text}"
    for args in cases:
        before, after = outcome(text, args), outcome(changed, args)
        assert before == after, f"{label}, passes {passes}, arguments {args}\n{text}\n{changed}"
    return changed


def chains(seed):
    return (["all"], [SINGLE[seed % len(SINGLE)]])


@pytest.mark.parametrize("batch", range((COUNT + BATCH - 1) // BATCH))
def test_random_programs(batch):
    for seed in range(FIRST + batch * BATCH, FIRST + (batch + 1) * BATCH):
        text = ir_programs.program(seed)
        for passes in chains(seed):
            compare(text, passes, ir_programs.CASES, f"seed {seed}")


@pytest.mark.parametrize("batch", range((COUNT // 2 + BATCH - 1) // BATCH))
def test_random_strips(batch):
    for seed in range(FIRST + batch * BATCH, FIRST + (batch + 1) * BATCH):
        text = ir_programs.strip_program(seed)
        for passes in (["all"], ["strip"], ["cse", "range", "simplify", "version", "strip"]):
            compare(text, passes, ir_programs.STRIP_CASES, f"strip seed {seed}")


def test_the_programs_are_worth_it():
    """Many do get strips, slow copies, hoisted checks, inlined calls; and they differ."""
    texts = [ir_programs.strip_program(seed) for seed in range(60)]
    striped = [ir_tool("pass all", text) for text in texts]
    assert sum("strip" in text for text in striped) > 10
    texts = [ir_programs.program(seed) for seed in range(60)]
    assert len(set(texts)) == 60
    assert texts == [ir_programs.program(seed) for seed in range(60)]
    done = [ir_tool("pass all", text) for text in texts]
    assert sum(".slow" in text for text in done) > 10
    assert sum("@h" in text and "call.fn @h" not in after for text, after in zip(texts, done)) > 5
