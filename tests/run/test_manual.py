"""The documents say what is true: generated pages are fresh, names in them exist, examples run."""

import importlib.util
import pathlib
import re
import subprocess
import sys

import pytest

from support import needs_compiler

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "gen_manual.py"
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("*/README.md")])
IDS = [str(p.relative_to(ROOT)) for p in PAGES]

pytestmark = pytest.mark.skipif(not TOOL.exists(), reason="not in a checkout")

# What the build or a run makes.
MADE = {"whipsnake/_core.abi3.so", "whipsnake/_compiler.so", "examples/mandelbrot.png",
        "benchmarks/.build/", "benchmarks/results.md", "benchmarks/results.json",
        "benchmarks/results.svg"}


@needs_compiler
def test_generated_pages_are_fresh():
    spec = importlib.util.spec_from_file_location("gen_manual", TOOL)
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    assert tool.stale() == [], "run .venv/bin/python tools/gen_manual.py"


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_links_lead_somewhere(page):
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"`[^`]*`", "", text)
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        assert target in MADE or (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_files_that_are_named_exist(page):
    folders = ("src/", "tests/", "tools/", "docs/", "whipsnake/", "examples/", "benchmarks/",
               ".ci/")
    for word in re.findall(r"`([\w./-]+)(?:::\w+)?`", page.read_text()):
        if word.startswith(folders) and word not in MADE:
            assert (ROOT / word).exists(), word


def test_each_difference_has_its_test():
    text = (ROOT / "docs/manual/differences.md").read_text()
    named = set(re.findall(r"`(test_\w+)`", text))
    tests = re.findall(r"^def (test_\w+)", (ROOT / "tests/run/test_differences.py").read_text(),
                       re.MULTILINE)
    assert named == set(tests)
    assert all("test_" in line for line in text.splitlines()
               if line.startswith("| ") and not line.startswith(("| |", "| ---")))
    for path, name in re.findall(r"`([\w/.]+)::(test_\w+)`", text):
        assert f"def {name}(" in (ROOT / path).read_text()


@needs_compiler
def test_variables_of_the_environment_are_those_in_the_sources():
    asked = set()
    for file in [*ROOT.glob("src/**/*.c"), *ROOT.glob("whipsnake/*.py")]:
        asked |= set(re.findall(r"(?:getenv\(|environ\.get\()\"(WHIPSNAKE_\w+)\"",
                                file.read_text()))
    named = set(re.findall(r"WHIPSNAKE_\w+", (ROOT / "docs/manual/options.md").read_text()))
    assert named <= asked, "named in options.md, but nobody asks for them"


FENCE = re.compile(r"^```python\n(.*?)^```\n(?:\n```\n(.*?)^```)?", re.MULTILINE | re.DOTALL)


def examples():
    """(program, what it shows or "") of each Python example that stands alone."""
    for page in PAGES:
        for number, (program, shown) in enumerate(FENCE.findall(page.read_text())):
            if "import" in program and "whipsnake" in program:
                yield pytest.param(program, shown, id=f"{page.relative_to(ROOT)}-{number}",
                                   marks=list(missing(program)))


# What programs in the manual use and a test's machine need not have.
OTHERS = ("dask", "distributed", "joblib", "ray", "mpi4py", "scipy", "cffi")


def missing(program):
    """Marks that leave a program out where a library that it uses is not installed."""
    for name in OTHERS:
        if re.search(rf"^(import|from) {name}\b", program, re.MULTILINE):
            yield pytest.mark.skipif(importlib.util.find_spec(name) is None,
                                     reason=f"{name} is not installed")


def essence(text):
    """Without what differs from one Python to another: the source lines of tracebacks."""
    text = re.sub(r'File ".*/', 'File "', text)
    traceback, _, message = text.rpartition("whipsnake.errors.")
    if message != text:
        return message.rstrip()
    return "\n".join(line for line in text.splitlines() if not line.startswith("    "))


@needs_compiler
@pytest.mark.parametrize("program, shown", list(examples()))
def test_examples_run(program, shown, tmp_path):
    name = re.search(r'File "(\w+\.py)"', shown)
    file = tmp_path / (name[1] if name else "example.py")
    file.write_text(program)
    run = subprocess.run([sys.executable, file], capture_output=True, text=True, timeout=300,
                         cwd=tmp_path)
    raises = re.search(r"# raises (\w+)", program)
    if raises:
        assert run.returncode == 1 and raises[1] in run.stderr
        assert essence(run.stderr) == essence(shown)
    else:
        assert run.returncode == 0, run.stderr
