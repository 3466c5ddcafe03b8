"""The IR of a real program, as WHIPSNAKE_DUMP prints it at every stage, reads back."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tool import ir_tool

PROGRAM = Path(__file__).parent / "dumped.py"
STAGES = ["ir", "low", "opt"]


@pytest.fixture(scope="module")
def dumps():
    """Texts by stage; the program's own output is not among them."""
    env = {**os.environ, "WHIPSNAKE_DUMP": ",".join(STAGES)}
    run = subprocess.run([sys.executable, PROGRAM], env=env, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    dump = r"^; --- (\w+) ---\n(.*?)\n(?=; ---|\Z)"
    found = re.findall(dump, run.stderr, re.MULTILINE | re.DOTALL)
    return {stage: [text for name, text in found if name == stage] for stage in STAGES}


@pytest.mark.parametrize("stage", STAGES)
def test_reads_back(dumps, stage):
    assert dumps[stage]
    for text in dumps[stage]:
        assert ir_tool("print", text) == text
        assert ir_tool("verify", text) == "ok"
