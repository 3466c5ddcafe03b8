"""`f.explain()`: what the compiler did with each line of a function, as data and as text.

The compiler compiles once more and reports as JSON (src/driver/report.h); here that becomes
dataclasses:

    Report         of one compiled function:    .function .signatures
    SignatureReport  of one signature:          .signature .functions .stage_seconds .code_size
    FunctionReport   of it, or one it calls:    .name .filename .line .arguments .returns .lines
    Line             of the source:             .number .source .variables .remarks
    Remark           what was done, or not:     .kind .topic .level .text .advice .values, a place

`str(report)` is the text; `report.html()` and, in notebooks, the report itself show it as a page;
`report.to_dict()` is the data in plain dicts.
"""

import dataclasses
import json
import sys

from whipsnake import types

TOPICS = ("loop", "memory", "check", "conversion", "call")


@dataclasses.dataclass(frozen=True)
class Remark:
    """One thing that was done, or not done, about one place. Columns are bytes from 0."""

    kind: str  # a row of src/base/remark.def: "VECTORIZED", "CHECK_PROVED" ...
    topic: str  # "loop", "memory", "check", "conversion" or "call"
    level: str  # "good", "costs" or "fact"
    text: str
    advice: str  # what to change; "" where there is nothing to say
    values: dict  # of the row: {"width": "4", ...}
    via: str | None  # the library function, called here, that it is about
    line: int
    column: int
    end_line: int
    end_column: int
    times: int = 1  # how many checks, calls ... of the line this stands for

    def __str__(self):
        where = f" (in {self.via}())" if self.via else ""
        return self.text + where + (f" ({self.times} times)" if self.times > 1 else "")


@dataclasses.dataclass(frozen=True)
class Value:
    """An argument, a variable where it is assigned, or an expression, with its types."""

    name: str | None  # None: an expression
    kind: str  # "argument", "variable" or "expression"
    types: tuple  # texts; several if the function was compiled for several callers
    line: int
    column: int
    end_line: int
    end_column: int


@dataclasses.dataclass
class Line:
    """A line of the source and what there is to say about it."""

    number: int
    source: str
    values: list
    remarks: list

    @property
    def variables(self):
        """Name -> text of its types, for what is assigned in this line."""
        return {v.name: " or ".join(v.types) for v in self.values if v.name}


@dataclasses.dataclass
class FunctionReport:
    """A function of the source: the compiled one, or one that it calls."""

    name: str
    filename: str
    line: int
    arguments: list  # of (name, texts of types) per argument
    returns: tuple
    lines: list

    @property
    def remarks(self):
        """All remarks, in the order of the lines."""
        return [remark for line in self.lines for remark in line.remarks]


@dataclasses.dataclass
class SignatureReport:
    """What a function was compiled to for one signature."""

    signature: types.Signature
    functions: list  # of FunctionReport; the compiled one first
    stage_seconds: dict  # stage -> seconds, of the compile that made the code
    code_size: int  # bytes

    @property
    def remarks(self):
        """All remarks of all functions."""
        return [remark for function in self.functions for remark in function.remarks]


@dataclasses.dataclass(repr=False)
class Report:
    """What was done with a compiled function, for each signature it has."""

    function: str
    signatures: list  # of SignatureReport

    def text(self, details=False, times=True):
        """For reading. details: also checks that cost next to nothing, and why loops are not for
        prange; times: of the compile."""
        return "\n".join(_signature_text(s, details, times) for s in self.signatures)

    def __str__(self):
        return self.text()

    __repr__ = __str__

    def html(self, details=False, times=True, page=True):
        """The same as one HTML page that needs nothing else, or (page=False) as a part of one."""
        from whipsnake._explain_html import render

        return render(self, details, times, page)

    def _repr_html_(self):
        return self.html(page=False)

    def to_dict(self):
        """Plain dicts, lists, strings and numbers."""
        data = dataclasses.asdict(self)
        for signature in data["signatures"]:
            signature["signature"] = str(signature["signature"])
        return data


# -- from the compiler's JSON ---------------------------------------------------------------------

def explain(f, signature=None):
    """A Report on a compiled function: for one signature, or for all that it has."""
    from whipsnake import _core

    if isinstance(f, _kernel_class()):
        return f.explain(signature)
    if not isinstance(f, _core.Dispatcher):
        raise TypeError(f"explain takes a function decorated with jit, not {f!r}")
    overloads = f.overloads
    if signature is not None:
        args = types.parse_signature(signature).args
        overloads = {args: overloads.get(args)}
    return Report(f.__qualname__, [_signature_report(f, args, result)
                                   for args, result in overloads.items()])


def _kernel_class():
    """What cuda.jit makes, if anybody has imported that: else nothing."""
    kernel = sys.modules.get("whipsnake.cuda._kernel")
    return kernel.Kernel if kernel else ()


def _signature_report(f, args, result):
    data = json.loads(f._text("explain", args))
    functions = _functions(data)
    signature = result.signature if result else types.Signature(None, args)
    return SignatureReport(signature, functions, result.stage_seconds if result else {},
                           result.code_size if result else 0)


def _functions(data):
    """The functions of the report, each once, however often it was compiled."""
    found, by_number = {}, []
    for row in data["functions"]:
        key = row["filename"], row["line"], row["column"], row["name"]
        if key not in found:
            found[key] = row, []
        found[key][1].append(row)
        by_number.append(key)
    values, remarks = {key: [] for key in found}, {key: [] for key in found}
    for row in data["values"]:
        values[by_number[row["function"]]].append(row)
    files = {row["file"]: row["filename"] for row in data["functions"]}
    for row in data["remarks"]:
        inside = [key for key, (function, _) in found.items()
                  if key[0] == files.get(row["file"]) and _is_in(row, function)]
        if inside:  # the innermost function there
            remarks[max(inside, key=lambda key: key[1:3])].append(row)
    return [_function(rows, values[key], remarks[key]) for key, (_, rows) in found.items()]


def _is_in(row, function):
    return ((function["line"], function["column"]) <= (row["line"], row["column"])
            and (row["line"], row["column"]) < (function["end_line"], function["end_column"]))


def _function(rows, values, remarks):
    first = rows[0]
    values, remarks = _merge_values(values), _merge_remarks(remarks)
    lines = []
    for number, source in _own_lines(first):
        lines.append(Line(number, source, [v for v in values if v.line == number],
                          [r for r in remarks if r.line == number]))
    arguments = [(name, tuple(dict.fromkeys(row["arguments"][i][1] for row in rows)))
                 for i, (name, _) in enumerate(first["arguments"])]
    returns = tuple(dict.fromkeys(row["returns"] or "nothing" for row in rows))
    return FunctionReport(first["name"], first["filename"], first["line"], arguments, returns,
                          lines)


def _own_lines(row):
    """(number, text) of the function's lines, its decorators included; an inner function's source
    is that of the outermost."""
    lines = list(enumerate(row["source"], row["first_line"]))
    start = row["line"] - row["first_line"]
    while start > 0 and lines[start - 1][1].lstrip().startswith("@"):
        start -= 1
    return lines[start:row["end_line"] - row["first_line"] + 1]


def _place(row):
    return {key: row[key] for key in ("line", "column", "end_line", "end_column")}


def _merge_values(rows):
    """One Value for each place and name. Where a loop counts, that has the place of what is looped
    over, whose type comes first."""
    merged = {}
    for row in rows:
        key = (row["name"], row["kind"], *_place(row).values())
        seen = merged.setdefault(key, (row, {}))[1]
        if row["function"] not in seen:
            seen[row["function"]] = row["type"]
    values = [Value(row["name"], row["kind"], tuple(dict.fromkeys(seen.values())), **_place(row))
              for row, seen in merged.values()]
    return sorted(values, key=lambda v: (v.line, v.column, -v.end_line, -v.end_column))


def _merge_remarks(rows):
    """Those of one line that say the same are one, with a number."""
    merged = {}
    for row in rows:
        key = row["line"], row["kind"], row["text"], row["via"]
        merged.setdefault(key, []).append(row)
    remarks = [Remark(row["kind"], row["topic"], row["level"], row["text"], row["advice"],
                      row["values"], row["via"], **_place(row), times=len(same))
               for (row, *_), same in zip(merged.values(), merged.values())]
    return sorted(remarks, key=lambda r: (r.line, TOPICS.index(r.topic), r.kind))


# -- text -----------------------------------------------------------------------------------------

MARKS = {"good": "+", "costs": "!", "fact": "-"}


def shown_remarks(line, details):
    """The remarks that a reader wants to see: a check that is made once is no news."""
    return [r for r in line.remarks if details or r.kind not in ("CHECK_ONCE", "NOT_PARALLEL")]


def new_variables(function):
    """Per line, the variables whose type has not been said yet: [(name, text of types)]."""
    known, lines = {}, []
    for line in function.lines:
        new = [(name, text) for name, text in line.variables.items() if known.get(name) != text]
        known.update(new)
        lines.append(new)
    return lines


def compile_time(report):
    """The stages that took time, as one line; "" if nothing is known."""
    stages = {name: s for name, s in report.stage_seconds.items() if s}
    if not stages:
        return ""
    parts = ", ".join(f"{name} {s * 1e3:.2f}" for name, s in stages.items())
    return f"compiled in {sum(stages.values()) * 1e3:.1f} ms ({parts}); {report.code_size} bytes"


def to_change(report):
    """What the advice comes to: [(line number, text, advice)], each advice with its first line."""
    found = {}
    for remark in report.remarks:
        if remark.advice:
            found.setdefault((remark.text, remark.advice), remark.line)
    return sorted((line, text, advice) for (text, advice), line in found.items())


def _function_text(function, details):
    width = len(str(function.lines[-1].number)) if function.lines else 1
    out = []
    for line, variables in zip(function.lines, new_variables(function)):
        out.append(f"{line.number:{width}} | {line.source}".rstrip())
        notes = [f"{name}: {text}" for name, text in variables]
        for remark in shown_remarks(line, details):
            notes.append(f"{MARKS[remark.level]} {remark}")
        indent = len(line.source) - len(line.source.lstrip())
        out += [f"{'':{width}} |   {'':{indent}}{note}" for note in notes]
    out.append(f"{'':{width}} | returns {' or '.join(function.returns)}")
    return out


def _signature_text(report, details, times):
    first = report.functions[0]
    args = ", ".join(f"{name}: {' or '.join(texts)}" for name, texts in first.arguments)
    out = [f"{first.name}({args})"]
    if times and compile_time(report):
        out.append(compile_time(report))
    for function in report.functions:
        out += ["", f'File "{function.filename}", line {function.line}, in {function.name}']
        out += _function_text(function, details)
    changes = to_change(report)
    if changes:
        out += ["", "What could be changed:"]
        out += [f"  line {line}: {text}\n      {advice}" for line, text, advice in changes]
    return "\n".join(out) + "\n"


# -- loops that could run in parallel -------------------------------------------------------------

PARALLEL_KINDS = ("PARALLEL", "NOT_PARALLEL", "PARALLEL_UNKNOWN")


def _is_shown_at(remark, level):
    """1: what prange would need; 2: all about the loops; 3: all that costs; 4: all."""
    return (remark.kind in PARALLEL_KINDS or level >= 4 or (level >= 2 and remark.topic == "loop")
            or (level >= 3 and remark.level == "costs"))


def _parallel_lines(function, level):
    """The lines of the function's loops, each with what is to be said at this level."""
    width = len(str(function.lines[-1].number))
    out = []
    for line in function.lines:
        remarks = [r for r in line.remarks if _is_shown_at(r, level)]
        if not remarks:
            continue
        out.append(f"{line.number:{width}} | {line.source}".rstrip())
        indent = len(line.source) - len(line.source.lstrip())
        out += [f"{'':{width}} |   {'':{indent}}{MARKS[r.level]} {r}" for r in remarks]
    return out


def parallel_text(f, signature=None, level=1):
    """Which loops would be safe as prange, and why the others are not."""
    out = []
    for report in explain(f, signature).signatures:
        kinds = [r.kind for r in report.remarks]
        safe, rest = kinds.count("PARALLEL"), sum(map(kinds.count, PARALLEL_KINDS[1:]))
        first = report.functions[0]
        args = ", ".join(f"{name}: {' or '.join(texts)}" for name, texts in first.arguments)
        out.append(f"{first.name}({args})")
        out.append(f"loops that would be safe as prange: {safe}; others: {rest}")
        for function in report.functions:
            lines = _parallel_lines(function, level)
            if lines:
                place = f'"{function.filename}", line {function.line}'
                out.append(f"\nFile {place}, in {function.name}")
                out += lines
        out.append("")
    return "\n".join(out)


# -- types alone ----------------------------------------------------------------------------------

def _source_of(function, value):
    """The text of an expression; None where it covers several lines."""
    if value.end_line != value.line:
        return None
    line = next(line for line in function.lines if line.number == value.line)
    return line.source.encode()[value.column:value.end_column].decode(errors="replace")


def types_text(f, args):
    """The source, with the type of each variable and expression below its line."""
    out = []
    for function in _functions(json.loads(f._text("types", args))):
        if out:
            out.append("")
        out.append(f'# File "{function.filename}", line {function.line}, in {function.name}')
        for line in function.lines:
            out.append(f"{line.number:4} {line.source}".rstrip())
            texts = {}
            for value in line.values:
                name = value.name or _source_of(function, value)
                if name and (value.name or name.strip() != line.source.strip()):
                    texts.setdefault(name, " or ".join(value.types))
            out += [f"     #   {name} :: {text}" for name, text in texts.items()]
        out.append(f"     #   returns {' or '.join(function.returns)}")
    return "\n".join(out)


# -- the command line -----------------------------------------------------------------------------

USAGE = """usage: python -m whipsnake explain [--html FILE] [--details] program.py [arguments ...]
   or: python -m whipsnake explain [--html FILE] [--details] -m module [arguments ...]
runs the program, then says of each function that it compiled what was done with it"""


def _options(args):
    """(path of the HTML or None, details, program with its arguments)."""
    html, details = None, False
    while args and args[0].startswith("-") and args[0] != "-m":
        word, *args = args
        if word == "--details":
            details = True
        elif word == "--html" and args:
            html, *args = args
        else:
            return None, False, []
    return html, details, args if args != ["-m"] else []


def main(args):
    """Runs the program and reports; its exit status, or that of its error."""
    import traceback

    from whipsnake import _standin, decorators

    html, details, program = _options(args)
    if not program:
        print(USAGE, file=sys.stderr)
        return 2
    decorators.made = made = []
    status = 0
    try:
        _standin.run(program)
    except SystemExit as e:
        status = e.code if isinstance(e.code, int) or e.code is None else 1
    except Exception:
        traceback.print_exc()
        status = 1
    reports = [explain(f) for f in made if f.signatures]
    if html:
        from whipsnake._explain_html import render_all

        with open(html, "w", encoding="utf-8") as file:
            file.write(render_all(reports, details))
    else:
        for report in reports:
            print(report.text(details))
    if not reports:
        print("the program compiled no function", file=sys.stderr)
    return status or 0
