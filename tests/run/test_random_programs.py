"""Random whole programs, run plainly and compiled.

WHIPSNAKE_FUZZ_N programs (1000: forty seconds of one core; 3000 with --all) from the seed
WHIPSNAKE_FUZZ_SEED on, which is another one in each run (tests/conftest.py). A failure prints the
seed and the program; put the program into tests/fuzz/found/ under a name that says what was wrong,
with `# args: ...` as its first line, and it is replayed by every run.
"""

import ast
import os
import pathlib
import sys

import numpy as np
import pytest

from support import check, make

FUZZ = pathlib.Path(__file__).parent.parent / "fuzz"
sys.path.insert(0, str(FUZZ))

import generator  # noqa: E402

ALL = os.environ.get("WHIPSNAKE_TEST_ALL", "0") not in ("", "0")
COUNT = int(os.environ.get("WHIPSNAKE_FUZZ_N", "3000" if ALL else "1000"))
FIRST = int(os.environ["WHIPSNAKE_FUZZ_SEED"])
BATCH = 20
FOUND = sorted((FUZZ / "found").glob("*.py"))


def run_program(source, cases, label):
    main = make(source, "main")
    for n, x, flag, ints, floats in cases:
        args = (n, x, flag, np.array(ints, np.int64), np.array(floats, np.float64))
        try:
            check(main, *args)
        except Exception as failure:
            case = (n, x, flag, ints, floats)
            pytest.fail(f"{label}, arguments {case!r}:\n{failure}\n\n{source}")


@pytest.mark.parametrize("batch", range((COUNT + BATCH - 1) // BATCH))
def test_random_programs(batch):
    for seed in range(FIRST + batch * BATCH, FIRST + min((batch + 1) * BATCH, COUNT)):
        run_program(generator.generate(seed), generator.arguments(seed), f"seed {seed}")


@pytest.mark.parametrize("path", FOUND, ids=lambda p: p.stem)
def test_found_programs(path):
    source = path.read_text()
    head = source.splitlines()[0]
    assert head.startswith("# args: "), f"{path.name} must begin with its arguments"
    inf = float("inf")
    cases = eval(head.removeprefix("# args: "), {"inf": inf, "nan": float("nan")})
    run_program(source, cases, path.name)


def test_the_generator_is_deterministic_and_varied():
    sources = [generator.generate(seed) for seed in range(100)]
    assert sources == [generator.generate(seed) for seed in range(100)]
    text = "".join(sources)
    for construct in ("while", "for", "elif", "else", "break", "continue", "raise", "zip(",
                      "enumerate(", "reversed(", "//", ">>", "divmod", "in (", "helper", "try:",
                      "except", "finally:", "is not None"):
        assert construct in text, construct
    assert all(ast.parse(source) for source in sources)


def test_integers_stay_in_range():
    """Every int that a program holds in a variable fits well within 64 bits."""
    for seed in range(40):
        main = make(generator.generate(seed), "main", njit=lambda f: f)
        for n, x, flag, ints, floats in generator.arguments(seed):
            try:
                result = main(n, x, flag, list(ints), list(floats))
            except (ArithmeticError, ValueError, KeyError, RuntimeError, IndexError):
                continue
            assert abs(result[0]) < generator.TOO_BIG and abs(result[3][0]) < generator.TOO_BIG


def test_most_programs_end_without_an_exception():
    raised = 0
    for seed in range(100):
        main = make(generator.generate(seed), "main", njit=lambda f: f)
        try:
            n, x, flag, ints, floats = generator.arguments(seed)[0]
            main(n, x, flag, list(ints), list(floats))
        except (ArithmeticError, ValueError, KeyError, RuntimeError, IndexError):
            raised += 1
    assert 2 <= raised <= 50
