"""The C unit tests, built with the local compiler: assertions on, small sizes, sanitizers."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
FLAGS = "-std=c17 -O1 -g -D_GNU_SOURCE -Wall -Wextra -DWS_CHECKS -ffp-contract=off".split()
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
TYPES = ["types.c", "parts.c", "name.c", "promote.c"]  # object.c needs Python


def sources() -> list[Path]:
    """All files of the program: base, the types that need no Python, the IR, and the tests."""
    src = ROOT / "src"
    return [
        *sorted((src / "base").glob("*.c")),
        *(src / "types" / name for name in TYPES),
        src / "core/exceptions.c",
        *sorted((src / "ir").glob("*.c")),
        *sorted(HERE.glob("*.c")),
    ]


def can_sanitize(cc: str, folder: Path) -> bool:
    """Does the compiler come with the sanitizers' libraries, and do they run here?"""
    probe = folder / "probe"
    probe.with_suffix(".c").write_text("int main(void) { return 0; }\n")
    command = [cc, *SANITIZERS, str(probe.with_suffix(".c")), "-o", str(probe)]
    if subprocess.run(command, capture_output=True).returncode:
        return False
    return subprocess.run([str(probe)], capture_output=True).returncode == 0


def build(folder: Path) -> Path:
    """The test program, compiled in parallel, as `folder/unit`."""
    cc = os.environ.get("CC") or next(c for c in ("cc", "gcc", "clang") if shutil.which(c))
    flags = [*FLAGS, f"-I{ROOT / 'src'}", f"-I{HERE}"]
    if can_sanitize(cc, folder):
        flags += SANITIZERS
    objects, running = [], []
    for number, source in enumerate(sources()):
        objects.append(folder / f"{number}.o")
        running.append(subprocess.Popen([cc, *flags, "-c", source, "-o", objects[-1]]))
        if len(running) >= (os.cpu_count() or 1):
            assert running.pop(0).wait() == 0
    assert all(process.wait() == 0 for process in running)
    program = folder / "unit"
    subprocess.run([cc, *flags, *objects, "-o", program, "-lm", "-lpthread"], check=True)
    return program


def names() -> list[str]:
    """The tests' names, from the list in main.c, so that collecting needs no compiler."""
    text = (HERE / "main.c").read_text()
    table = text[text.index("#define TESTS(X)") : text.index("#define X(name) void")]
    return [part.split(")")[0] for part in table.split("X(")[1:]]


@pytest.fixture(scope="session")
def program(tmp_path_factory) -> Path:
    return build(tmp_path_factory.mktemp("unit"))


def test_all_are_listed(program):
    listed = subprocess.run([program, "--list"], capture_output=True, text=True).stdout.split()
    assert listed == names()
    written = "".join(path.read_text() for path in HERE.glob("test_*.c"))
    assert written.count("\nvoid test_") == len(listed)


@pytest.mark.parametrize("name", names())
def test_c(program, name):
    run = subprocess.run([program, name], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stdout + run.stderr
