"""The programs with kernels in examples/ run; they check their results themselves."""

import pathlib
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"


@pytest.mark.skipif(not EXAMPLES.exists(), reason="not in a checkout")
def test_cuda_kernels():
    run = subprocess.run([sys.executable, EXAMPLES / "cuda_kernels.py", "small"], text=True,
                         capture_output=True, timeout=300)
    assert run.returncode == 0, run.stderr
    lines = run.stdout.splitlines()
    assert len(lines) == 7 and all(" ms" in line for line in lines)
