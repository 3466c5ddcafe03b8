"""The split of kernels, on IR text: each `ir/name.ir` becomes `ir/name.split`, which --bless
rewrites."""

from pathlib import Path

import pytest

from whipsnake import _core

TEXTS = sorted((Path(__file__).parent / "ir").glob("*.ir"))


@pytest.mark.parametrize("path", TEXTS, ids=lambda p: p.stem)
def test_golden(path, bless):
    before = path.read_text()
    assert _core.ir_tool("print", before) == before
    after = _core.ir_tool("pass simt_split", before)
    assert _core.ir_tool("verify", after) == "ok"
    assert _core.ir_tool("print", after) == after
    tidy = after
    for name in ("simplify", "cse", "range", "simplify"):
        tidy = _core.ir_tool(f"pass {name}", tidy)
    golden = path.with_suffix(".split")
    if bless:
        golden.write_text(tidy)
    assert tidy == golden.read_text()


def test_what_must_not_be_left():
    assert len(TEXTS) >= 4
    for path in TEXTS:
        after = path.with_suffix(".split").read_text()
        assert " blocks" in after.split("\n")[0] and " lanes" in after
        for word in ("barrier", "sreg tid", "sreg ctaid", "sreg ntid"):
            assert word not in after


def test_block_size_is_folded():
    text = """\
fn low @k.0() -> none name "k" entry kernel(8, 1, 2) {
b0:
    %1: int64 = sreg ntid #0
    %2: int64 = sreg tid #1
    %3: int64 = sreg ntid #2
    %4: int64 = sreg tid #2
    return
}
"""
    folded = _core.ir_tool("pass simt_dims", text)
    assert "%1 = const int64 8" in folded and "%2 = const int64 0" in folded
    assert "%3 = const int64 2" in folded and "%4: int64 = sreg tid #2" in folded
