"""The programs in examples/ run and say what they should."""

import pathlib
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"

pytestmark = [pytest.mark.slow,
              pytest.mark.skipif(not EXAMPLES.exists(), reason="not in a checkout")]


def run(*args):
    result = subprocess.run([sys.executable, *map(str, args)], text=True, capture_output=True,
                            timeout=300)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_dask_on_an_array_larger_than_a_worker():
    pytest.importorskip("distributed", reason="pip install distributed 'dask[array]'")
    out = run(EXAMPLES / "dask_blocks.py", 600, 2, 450)
    assert out.startswith("600 MB in 60 blocks") and "in plain Python: the same" in out
