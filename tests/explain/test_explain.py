"""`f.explain()`: texts of whole programs, the data, the page, the command line.

The text of `name.py` is in `name.txt`; `--bless` rewrites it from what comes out.
"""

import dataclasses
import html.parser
import json
import pathlib
import platform
import re
import subprocess
import sys
import xml.etree.ElementTree

import numpy as np
import pytest

from support import PLAIN, run_python

if PLAIN:
    pytest.skip("looks at the compiler itself", allow_module_level=True)

import whipsnake
from whipsnake import njit

FOLDER = pathlib.Path(__file__).parent
PROGRAMS = sorted(p for p in FOLDER.glob("*.py") if not p.name.startswith("test_"))
ROOT = FOLDER.parents[1]

# One process for all: the width of vectors depends on the machine, so that is fixed.
RUN_ALL = """
import json, runpy, sys
import whipsnake
from whipsnake import decorators

texts = {}
for path in sys.argv[1:]:
    decorators.made = made = []
    runpy.run_path(path)
    reports = [whipsnake.explain(f) for f in made if f.signatures]
    texts[path] = "\\n".join(r.text(details=True, times=False) for r in reports)
print(json.dumps(texts))
"""


@pytest.fixture(scope="module")
def texts():
    out = run_python(RUN_ALL, args=[str(p) for p in PROGRAMS],
                     env={"WHIPSNAKE_CPU_NAME": "x86-64-v3"}).stdout
    return {pathlib.Path(path).stem: re.sub(r'"/[^"]*/', '"', text)
            for path, text in json.loads(out).items()}


on_x86 = pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"),
                            reason="the texts tell of this machine's vectors")


@on_x86
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)
def test_text(path, texts, bless):
    golden = path.with_suffix(".txt")
    if bless:
        golden.write_text(texts[path.stem])
    assert golden.exists(), f"no {golden.name}; --bless writes it"
    assert texts[path.stem] == golden.read_text()


def test_there_are_enough_programs():
    assert len(PROGRAMS) >= 12
    assert {p.stem for p in FOLDER.glob("*.txt")} == {p.stem for p in PROGRAMS}


# -- data ------------------------------------------------------------------------------------------

@njit
def helper(x):
    return x * 2.0


@njit
def work(a, b, n):
    s = 0.0
    for i in range(n):
        s += helper(a[i])
    for i in range(len(b)):
        b[i] = a[i] + 1.0
    return s


@pytest.fixture(scope="module")
def report():
    work(np.arange(8.0), np.zeros(8), 5)
    return work.explain()


def line_of(function, text):
    return next(line for line in function.lines if text in line.source)


def test_function_and_method_are_the_same(report):
    assert whipsnake.explain(work).text(times=False) == report.text(times=False)
    assert str(report) == report.text()


def test_signatures_and_functions(report):
    assert report.function == "work"
    [signature] = report.signatures
    assert signature.signature in work.nopython_signatures
    assert [f.name for f in signature.functions] == ["work", "helper"]
    assert signature.code_size == work.overloads[work.signatures[0]].code_size
    assert signature.stage_seconds["llvm"] > 0
    function = signature.functions[0]
    assert function.filename == __file__
    assert function.returns == ("float64",)
    assert function.arguments[0] == ("a", ("array(float64, 1d, C)",))


def test_lines_are_those_of_the_source(report):
    for function in report.signatures[0].functions:
        source = pathlib.Path(function.filename).read_text().splitlines()
        for line in function.lines:
            assert source[line.number - 1] == line.source
        assert line.source.lstrip().startswith("return")


def test_types_of_variables_and_expressions(report):
    function = report.signatures[0].functions[0]
    assert line_of(function, "s = 0.0").variables == {"s": "float64"}
    assert line_of(function, "range(n)").variables == {"i": "int64"}
    values = {(v.kind, line.source.encode()[v.column:v.end_column]): v.types
              for line in function.lines for v in line.values if v.line == v.end_line}
    assert values["expression", b"helper(a[i])"] == ("float64",)
    assert values["expression", b"len(b)"] == ("int64",)


def test_remarks(report):
    function, inner = report.signatures[0].functions
    sums, copies = (line_of(function, text).remarks for text in ("range(n)", "range(len(b))"))
    assert {r.kind for r in sums} == {"NOT_VECTORIZED", "PARALLEL"}
    [refused] = [r for r in sums if r.kind == "NOT_VECTORIZED"]
    assert refused.level == "costs" and "order" in refused.text and "reassoc" in refused.advice
    [vectorized] = [r for r in copies if r.kind == "VECTORIZED"]
    assert int(vectorized.values["width"]) > 1 and vectorized.level == "good"
    assert [r.kind for r in line_of(function, "helper(").remarks] == ["CHECK_BEFORE", "INLINED"]
    assert inner.remarks == []
    assert all(r.topic and r.line and r.text for r in function.remarks)


def test_plain_data(report):
    data = report.to_dict()
    assert json.loads(json.dumps(data)) == json.loads(json.dumps(data))
    line = data["signatures"][0]["functions"][0]["lines"][3]
    assert set(line) == {field.name for field in dataclasses.fields(whipsnake._explain.Line)}


@on_x86
def test_each_kind_of_remark_is_in_some_text(texts):
    """A row that nothing makes says nothing."""
    rows = re.findall(r'^REMARK\((\w+), .*?, ".*?", "(.*?)", "',
                      (ROOT / "src/base/remark.def").read_text(), re.MULTILINE)
    assert len(rows) > 15
    everything = "\n".join(texts.values())
    missing = [kind for kind, text in rows
               if not re.search(re.sub(r"\\{\w+\\}", ".*", re.escape(text)), everything)]
    assert set(missing) <= {"LOOP_UNKNOWN"}


def test_one_signature_that_is_not_compiled_yet():
    text = helper.explain("float64(int64)").text()
    assert "x: int64" in text and "compiled in" not in text


def test_nothing_to_explain():
    @njit
    def never_called(x):
        return x

    assert never_called.explain().signatures == [] and str(never_called.explain()) == ""
    with pytest.raises(TypeError, match="decorated with jit"):
        whipsnake.explain(len)


def test_the_function_runs_the_same_code_afterwards(report):
    before = work.overloads[work.signatures[0]].entry_point
    work.explain()
    assert work.overloads[work.signatures[0]].entry_point == before


def test_explaining_leaves_other_compiles_alone(capfd):
    work.explain()

    @njit
    def later(a):
        s = 0.0
        for x in a:
            s += x
        return s

    assert later(np.ones(3)) == 3.0
    assert capfd.readouterr().err == ""


def test_explaining_in_several_threads():
    code = """
import threading
import numpy as np
from whipsnake import njit

def make(k):
    @njit
    def f(a):
        s = 0.0
        for x in a:
            s += x * k
        return s
    return f

texts = [None] * 8
def run(k):
    f = make(k % 2)
    f(np.ones(4))
    if k % 2:
        texts[k] = f.explain().text(times=False)

threads = [threading.Thread(target=run, args=(k,)) for k in range(8)]
[t.start() for t in threads]
[t.join() for t in threads]
assert len({t for t in texts if t}) == 1, texts
"""
    run_python(code)


def test_debug():
    @njit(debug=True)
    def slow(a):
        s = 0.0
        for x in a:
            s += x
        return s

    slow(np.ones(3))
    assert "s: float64" in slow.explain().text()


def test_kernels():
    from whipsnake import cuda

    @cuda.jit
    def add(a, b, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = a[i] + b[i]

    assert add.explain().signatures == []
    for block in (32, 64):
        add[4, block](np.ones(100), np.ones(100), np.zeros(100))
    report = whipsnake.explain(add)
    assert len(report.signatures) == len(add.explain().signatures) == 2
    assert "out[i] = a[i] + b[i]" in report.text() and "i: int64" in report.text()
    assert {r.kind for r in report.signatures[0].remarks} >= {"CHECK_BEFORE"}
    one = add.explain("void(float32[:], float32[:], float32[:])", block=16)
    assert [len(one.signatures), "float32" in one.text()] == [1, True]


# -- the page --------------------------------------------------------------------------------------

class Counter(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.outside, self.tags = [], [], set()

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.outside += [value for name, value in attributes
                         if name in ("src", "href", "data", "action")]
        self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.add(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize("whole", [True, False])
def test_html_is_well_formed_and_needs_nothing_else(report, whole):
    text = report.html() if whole else report._repr_html_()
    parser = Counter()
    parser.feed(text)
    assert parser.open == [] and parser.outside == [] and "script" not in parser.tags
    assert "url(" not in text and "@import" not in text and "http" not in text
    assert text.startswith("<!DOCTYPE html>") == whole
    xml.etree.ElementTree.fromstring(text.removeprefix("<!DOCTYPE html>\n"))


def test_html_shows_all_of_the_text(report):
    page = xml.etree.ElementTree.fromstring(report._repr_html_())
    shown = "".join(page.itertext())
    for function in report.signatures[0].functions:
        for line in function.lines:
            assert line.source in shown
        for remark in function.remarks:
            assert remark.text in shown and remark.advice in shown
    tips = {s.attrib["title"] for s in page.iter("span") if "title" in s.attrib}
    assert {"float64", "int64", "array(float64, 1d, C)"} <= tips


def test_html_escapes_the_source():
    @njit
    def f(a, b):
        s = "<b>&\"x\"" if a < b and b > a else "</span>"  # <script>
        return len(s)

    f(1, 2)
    page = xml.etree.ElementTree.fromstring(f.explain()._repr_html_())
    assert "# <script>" in "".join(page.itertext())


# -- the command line ------------------------------------------------------------------------------

PROGRAM = """\
import sys
import numpy as np
from whipsnake import njit

@njit
def first(a):
    return a[0]

@njit
def second(n):
    return n + 1

@njit
def unused(n):
    return n

if __name__ == "__main__":
    print("arguments:", sys.argv[1:], first(np.ones(2)), second(len(sys.argv)))
    sys.exit(3)
"""


def explain_program(folder, *options):
    (folder / "program.py").write_text(PROGRAM)
    return subprocess.run([sys.executable, "-m", "whipsnake", "explain", *options],
                          capture_output=True, text=True, cwd=folder, timeout=120)


def test_all_functions_of_a_run(tmp_path):
    run = explain_program(tmp_path, "program.py", "x", "--y")
    assert run.returncode == 3, run.stderr
    assert "arguments: ['x', '--y'] 1.0 4" in run.stdout
    assert "first(a: array(float64, 1d, C))" in run.stdout and "second(n: int64)" in run.stdout
    assert "unused" not in run.stdout


def test_programs_run_as_without_explain(tmp_path):
    """Modules too; and with the module __main__ and the stand-in of `python -m whipsnake`."""
    (tmp_path / "tool.py").write_text(
        "import __main__, sys\nfrom numba import njit\n"
        "@njit\ndef third(x):\n    return x\n"
        "print(sys.argv[1:], __main__.third is third, third.__module__, third(2))\n")
    for options in (["tool.py", "a"], ["-m", "tool", "a"]):
        run = explain_program(tmp_path, *options)
        assert run.returncode == 0, run.stderr
        assert run.stdout.startswith("['a'] True __main__ 2\n") and "third(x: int64)" in run.stdout


def test_all_functions_of_a_run_as_a_page(tmp_path):
    run = explain_program(tmp_path, "--html", "out.html", "program.py")
    assert run.returncode == 3 and "first(" not in run.stdout
    page = (tmp_path / "out.html").read_text()
    xml.etree.ElementTree.fromstring(page.removeprefix("<!DOCTYPE html>\n"))
    assert "first(" in page and "second(" in page


def test_usage_and_failing_programs(tmp_path):
    assert explain_program(tmp_path).returncode == 2
    assert explain_program(tmp_path, "-m").returncode == 2
    (tmp_path / "bad.py").write_text("from whipsnake import njit\n"
                                     "@njit\ndef f(x):\n    return x\n\nf(1)\n1 / 0\n")
    run = explain_program(tmp_path, "bad.py")
    assert run.returncode == 1 and "ZeroDivisionError" in run.stderr and "f(x: int64)" in run.stdout


def test_the_manual_names_each_kind():
    kinds = re.findall(r"^REMARK\((\w+),", (ROOT / "src/base/remark.def").read_text(), re.MULTILINE)
    page = (ROOT / "docs/manual/explain.md").read_text()
    assert [kind for kind in kinds if f"`{kind}`" not in page] == []
