"""Real programs under the stand-in: installs libraries from PyPI, runs their own tests with
`python -m whipsnake -m pytest`, and says what they lack.

    .venv/bin/python tests/real/run.py [library ...]     all of LIBRARIES unless some are named
    .venv/bin/python tests/real/run.py --plain library   without compiling: what fails anyway

Nothing of this runs with the other tests. The libraries come into a virtual environment of their
own, build/real; Numba is not installed there. What is printed at the end, and written to
build/real/report.txt: per library the tests that pass and fail, then each cause with the number of
tests that it stops, and places where it is met.
"""

import collections
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
HOME = ROOT / "build" / "real"
PYTHON = HOME / "bin" / "python"

# Library -> what it needs beside whipsnake; where its tests are: in its "sdist", in the installed
# "package", or "here", beside this file. Modules that an sdist's tests import and that are not in
# it are beside this file too: antropy_utils.py is `utils` for antropy. So are plugins of pytest:
# NAME_plugin.py.
LIBRARIES = {
    "antropy": (["scipy", "scikit-learn", "statsmodels"], "sdist"),
    "disba": (["matplotlib", "importlib_metadata"], "here"),
    "numpy-groupies": (["pandas"], "package"),
    "ensemble-boxes": (["pandas"], "here"),
}


def pip(*args):
    subprocess.run([PYTHON, "-m", "pip", "-q", "--disable-pip-version-check", *args], check=True)


def set_up():
    """The virtual environment, in which whipsnake is this checkout."""
    if not PYTHON.exists():
        subprocess.run([sys.executable, "-m", "venv", HOME], check=True)
        pip("install", "numpy", "pytest", "pytest-timeout", "pytest-xdist")
        site = subprocess.run([PYTHON, "-c", "import sysconfig as s; print(s.get_path('platlib'))"],
                              text=True, capture_output=True, check=True).stdout.strip()
        pathlib.Path(site, "whipsnake-checkout.pth").write_text(f"{ROOT}\n")


def install(name, needs):
    pip("install", *needs)
    pip("install", "--no-deps", name)  # not Numba


def tests_of(name, where):
    """The folder with the library's tests."""
    if where == "here":
        return pathlib.Path(__file__).parent / f"{name.replace('-', '_')}_tests.py"
    if where == "package":
        code = f"import importlib.util as u; print(u.find_spec('{name.replace('-', '_')}').origin)"
        origin = subprocess.run([PYTHON, "-c", code], text=True, capture_output=True, check=True)
        return pathlib.Path(origin.stdout.strip()).parent / "tests"
    folder = HOME / "sdist" / name
    if not folder.exists():
        folder.mkdir(parents=True)
        pip("download", "--no-deps", "--no-binary", ":all:", "-d", folder, name)
        with tarfile.open(next(folder.glob("*.tar.gz"))) as archive:
            archive.extractall(folder, filter="data")
    return next(p for p in folder.glob("*/test*") if p.is_dir())


def helpers_of(name):
    """A folder for the path, with the modules that its tests lack."""
    folder = HOME / "helpers" / name
    folder.mkdir(parents=True, exist_ok=True)
    for file in pathlib.Path(__file__).parent.glob(f"{name}_*.py"):
        if not file.stem.endswith("_tests"):
            (folder / f"{file.stem.removeprefix(f'{name}_')}.py").write_text(file.read_text())
    return folder


def run_tests(name, path, plain):
    """pytest's report, as XML; None if it could not start. What it printed is in NAME.log."""
    report = HOME / f"{name}.xml"
    report.unlink(missing_ok=True)
    environment = dict(os.environ, WHIPSNAKE_DISABLE_JIT="1" if plain else "0",
                       PYTHONPATH=str(helpers_of(name)))
    plugin = ["-p", "plugin"] if (helpers_of(name) / "plugin.py").exists() else []
    with open(HOME / f"{name}.log", "w") as log:
        subprocess.run([PYTHON, "-m", "whipsnake", "-m", "pytest", "-q", "--tb=short", "-p",
                        "no:cacheprovider", "--timeout=300", f"--junitxml={report}", *plugin, path],
                       cwd=HOME, env=environment, stdout=log, stderr=log, timeout=3000)
    return ElementTree.parse(report) if report.exists() else None


# -- what the report says -------------------------------------------------------------------------

ERROR = re.compile(r"^E\s+((?:whipsnake\.errors\.)?\w+(?:Error|Exception)\b.*)$", re.MULTILINE)
PLACE = re.compile(r'^E\s+File "([^"]+)", line (\d+)', re.MULTILINE)


def cause(text):
    """The error in words that are the same for all tests that it stops, and where it is."""
    found = ERROR.search(text)
    words = found[1] if found else text.strip().splitlines()[-1]
    words = re.sub(r"^whipsnake\.errors\.", "", words)
    words = re.sub(r"0x[0-9a-f]+", "0x...", words)
    place = PLACE.search(text)
    return words[:160], f"{pathlib.Path(place[1]).name}:{place[2]}" if place else ""


def summarise(name, tree):
    """Lines about one library."""
    if tree is None:
        yield f"{name}: cannot be imported: {cause((HOME / f'{name}.log').read_text())[0]}"
        return
    cases = list(tree.iter("testcase"))
    failed = [c.find("failure") if c.find("failure") is not None else c.find("error")
              for c in cases]
    failed = [f for f in failed if f is not None]
    skipped = sum(c.find("skipped") is not None for c in cases)
    counts, places = collections.Counter(), collections.defaultdict(set)
    for failure in failed:
        words, place = cause(failure.text or failure.get("message"))
        counts[words] += 1
        places[words].add(place)
    yield (f"{name}: {len(cases) - len(failed) - skipped} passed, {len(failed)} failed, "
           f"{skipped} skipped")
    for words, n in counts.most_common():
        where = ", ".join(sorted(places[words] - {""})[:4])
        yield f"{n:5}  {words}" + (f"  [{where}]" if where else "")


def main(args):
    plain = "--plain" in args
    names = [a for a in args if a != "--plain"] or list(LIBRARIES)
    set_up()
    lines = []
    for name in names:
        needs, where = LIBRARIES[name]
        install(name, needs)
        lines += [*summarise(name, run_tests(name, tests_of(name, where), plain)), ""]
    print("\n".join(lines))
    (HOME / "report.txt").write_text("\n".join(lines))


if __name__ == "__main__":
    main(sys.argv[1:])
