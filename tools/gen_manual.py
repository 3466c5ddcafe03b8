"""Write the pages of the manual that come from the compiler's own tables.

usage: gen_manual.py [--check]        --check: write nothing, fail if a page is not up to date

docs/manual/numbers.md asks the promotion function (src/types/promote.c) for every pair of types;
docs/manual/builtins.md lists the rows of src/builtins.
"""

import importlib
import inspect
import itertools
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MANUAL = ROOT / "docs" / "manual"
NOTE = "<!-- Written by tools/gen_manual.py: change that, or the tables that it asks. -->\n"

# --- numbers --------------------------------------------------------------------------------------

SIGNED = ["int8", "int16", "int32", "int64"]
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]
TYPES = ["bool", *SIGNED, *UNSIGNED, "float16", "float32", "float64", "complex64", "complex128"]
# Constants beside a variable: how they are written, their type, their mark for _core.promote.
CONSTANTS = {"2": ("int64", "+"), "-2": ("int64", "-"), "2.5": ("float64", "w"),
             "2j": ("complex128", "w")}


def ask(core, op, a, b, mark_a="", mark_b=""):
    """The result of `a op b` as text; comparisons: the type in which they are compared."""
    ty = core.promote(op, a, mark_a, b, mark_b)
    if ty is not None:
        return str(ty)
    return "by value" if op == "==" else "-"


def name_group(types):
    """A few types as one heading: "bool, int8 to int64"."""
    words = []
    rest = list(types)
    while rest:
        family = next((f for f in (SIGNED, UNSIGNED) if rest[0] in f), [rest[0]])
        run = list(itertools.takewhile(lambda pair: pair[0] == pair[1],
                                       zip(rest, family[family.index(rest[0]):])))
        words.append(rest[0] if len(run) < 3 else f"{rest[0]} to {run[-1][0]}")
        rest = rest[1 if len(run) < 3 else len(run):]
    return ", ".join(words)


def group(keys):
    """Types with equal keys, in order: list of lists. keys: type -> anything hashable."""
    groups = {}
    for ty, key in keys.items():
        groups.setdefault(key, []).append(ty)
    return list(groups.values())


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def pair_table(f, corner):
    """The table of f(a, b) over all pairs; types that behave alike share a row and a column."""
    keys = {a: (tuple(f(a, b) for b in TYPES), tuple(f(b, a) for b in TYPES)) for a in TYPES}
    groups = group(keys)
    rows = [[f"**{name_group(g)}**", *(f(g[0], h[0]) for h in groups)] for g in groups]
    return table([corner, *(name_group(g) for g in groups)], rows)


def constant_table(core):
    """Variables beside constants."""
    wanted = {"+": "2 -2 2.5 2j", "/": "2 2.5", "//": "2 -2", "**": "2 -2 2.5", "&": "2", "<<": "2",
              "==": "2 2.5"}
    lines = [(f"`x {op} {text}`", op, *CONSTANTS[text])
             for op, texts in wanted.items() for text in texts.split()]
    columns = {a: tuple(ask(core, op, a, ty, "", mark) for _, op, ty, mark in lines)
               for a in TYPES}
    groups = group(columns)
    rows = [[line[0], *(columns[g[0]][i] for g in groups)] for i, line in enumerate(lines)]
    return table(["", *(name_group(g) for g in groups)], rows)


def join_table(core):
    """What a variable is that has two types. Equal ones, which stay as they are, are shown as
    their relatives, so that types that behave alike share a row."""
    def f(a, b):
        family = next((f for f in (["bool", "uint8", "uint16"], SIGNED, UNSIGNED,
                                   ["float16", "float32"]) if a in f), [a])
        return str(core.join(a, next((c for c in family if c != a), a) if a == b else b))
    return pair_table(f, "")


NUMBERS = """\
# Numbers

Compiled code computes with machine numbers. This page says which type each operation gives.
The tables are made from the function that the compiler itself asks.

## In short

- A Python `int` is an int64 and wraps around at 2**63, as in NumPy. One from 2**63 to 2**64-1 comes
  in as uint64. One that fits neither raises OverflowError.
- Integers narrower than 64 bits are for storage: they compute as int64, so nothing wraps early.
  Storing a result into an array cuts it to the array's type.
- A variable integer counts as 64 bits where it meets a float: `int8 * float32` is a float64.
- float16 is for storage too: it computes as float32.
- uint64 and a signed variable have no integer type in common: `+ - * / // % **` give a float64.
  Bit operations and shifts stay integers. Comparisons go by value.
- **Constants are weak**: a number written in the source, or a captured Python number, takes the
  type of what it meets. `x32 * 0.5` stays a float32. The mark is lost at the first assignment:
  after `half = 0.5`, `x32 * half` is a float64. NumPy scalars are not weak.
- `/` of integers is a float64. `**` with a negative exponent that is a constant gives a float64;
  with one that is only known at run time it raises ValueError.
- Numbers leave as Python numbers: a float32 result is a Python float.

In the tables, a row is the left operand and a column the right one. "-" means that there is no such
operation.
"""

PAIR_TABLES = [
    ("`+ - *`", "+", ""),
    ("`/`", "/", ""),
    ("`//` and `%`", "//", "The result has the sign of the divisor, as in Python.\n"),
    ("`**`", "**", "Exponents that are variables. Integer powers wrap.\n"),
    ("`<<` and `>>`", "<<", "The left side decides. Shifting by 64 and more gives 0 (or -1); a "
     "negative count raises\nValueError.\n"),
    ("`& | ^`", "&", ""),
    ("`== != < <= > >=`", "==", "The type in which the two are compared; the result is a bool. Two "
     "integers always compare by value.\nComplex numbers have `==` and `!=` only.\n"),
]


def numbers(core):
    parts = [NUMBERS]
    for title, op, text in PAIR_TABLES:
        one = pair_table(lambda a, b, op=op: ask(core, op, a, b), "")
        parts.append(f"## {title}\n\n{text}{chr(10) if text else ''}{one}")
    parts.append("## A variable and a constant\n\n" + constant_table(core))
    parts.append("## A variable of two types\n\nWhere a variable has one type on one path and "
                 "another on the other, it gets the type\nthat holds both. (Equal types stay what "
                 "they are.)\n\n" + join_table(core))
    return "\n".join(parts)


# --- builtins -------------------------------------------------------------------------------------

BUILTINS = """\
# What compiled code may call

Each line is a row of the compiler's tables. A parameter with a `=` may be left out. Where nothing
is said, the function does what the one of that name in Python or NumPy does.

What is not here can be added by you: see [`whipsnake.extending`](options.md#your-own-functions).
Calling anything else is an error when compiling. Your own Python functions need no row: they are
compiled along when a compiled function calls them.
"""

ARRAY_PRELUDES = ("creation.", "manipulate.", "reduce.", "linalg.", "search.", "index.")


def takes_arrays(row):
    name, _, params, _, prelude = row
    if prelude:
        return prelude.startswith(ARRAY_PRELUDES)
    return bool(params) and params.startswith(("shape", "dtype"))


SECTIONS = [
    ("Python's own functions", "builtins.",
     "`print` writes to `sys.stdout`. `int`, `float`, `np.float32` and the other number classes "
     "convert;\nso do whipsnake's types (`int32(x)`).", None),
    ("whipsnake", "whipsnake.", "", None),
    ("whipsnake.cuda", "whipsnake.cuda.", "In kernels only: see [cuda.md](cuda.md). There are also "
     "`threadIdx`, `blockIdx`, `blockDim`, `gridDim`\nwith `.x`, `.y`, `.z`; `laneid` and "
     "`warpsize`; `shared.array`, `local.array`, `const.array_like`.", None),
    ("whipsnake.cuda.atomic", "whipsnake.cuda.atomic.", "Each gives what the element was before.",
     None),
    ("math", "math.", "", None),
    ("cmath", "cmath.", "", None),
    ("operator", "operator.", "A literal passed to one is no longer a literal: it counts as a "
     "variable.", None),
    ("NumPy: arrays", "numpy.", "", takes_arrays),
    ("NumPy: numbers", "numpy.",
     "On numbers, not yet on whole arrays. Unlike those of `math` they raise nothing: a domain "
     "error gives\nnan, a division by zero inf.", lambda row: not takes_arrays(row)),
    ("random", "random.", "Each thread has a stream of its own, apart from Python's.", None),
    ("numpy.random", "numpy.random.", "NumPy's legacy stream (`np.random.seed`), apart from "
     "NumPy's own.", None),
]
KINDS = [("Arrays", "array"), ("Numbers", "number"), ("Integers", "int"), ("Floats", "float"),
         ("Tuples", "tuple"), ("Ranges", "range"), ("Slices", "slice"), ("Dtypes", "dtype"),
         ("Enum members", "enum")]


def describe(row):
    """(parameters, one line) of a row; those of a prelude function come from its Python source."""
    name, kind, params, doc, prelude = row
    if prelude:
        module, function = prelude.split(".")
        f = getattr(importlib.import_module(f"whipsnake.prelude.{module}"), function)
        f = getattr(f, "py_func", f)
        doc = doc or own_words(f)
        if params is None:
            names = list(inspect.signature(f).parameters.values())
            if kind == "method":
                names = names[1:]
            params = ", ".join(str(p) if p.kind is p.VAR_POSITIONAL else
                               p.name + ("=" if p.default is not p.empty else "") for p in names)
    return params or "", doc or ""


def own_words(f):
    """What the docstring's first sentence adds to the function's name: "np.eye." adds nothing."""
    line = (f.__doc__ or "").split("\n")[0]
    head, _, rest = line.partition(": ")
    return rest.rstrip(".") if head.startswith(("np.", "a.", "math.", "numpy.")) else ""


def row_line(row, name):
    params, doc = describe(row)
    text = name if row[1] == "attribute" else f"{name}({params})"
    return [f"`{text}`", doc.replace("|", "\\|")]


def rows_table(rows):
    return table(["", ""], sorted(rows, key=lambda r: r[0].strip("`").lower()))


def builtins(core):
    rows = [r for r in core.builtin_rows() if not r[0].startswith("whipsnake.prelude.")]
    parts = [BUILTINS]
    known = tuple(prefix for _, prefix, _, _ in SECTIONS)
    unknown = [r[0] for r in rows
               if r[1] == "function" and not r[0].startswith(known)]
    if unknown:
        raise SystemExit(f"no section of the manual takes {', '.join(unknown)}")
    for title, prefix, text, chosen in SECTIONS:
        found = [r for r in rows if r[1] == "function" and r[0].rpartition(".")[0] + "." == prefix
                 and (chosen is None or chosen(r))]
        lines = rows_table([row_line(r, r[0].rpartition(".")[2]) for r in found])
        parts.append(f"## {title}\n\n{text}{chr(10) * 2 if text else ''}{lines}")
    parts.append("## Methods and attributes\n\nOf strings there are comparison, `+`, `in`, `len`, "
                 "subscripts, `hash` and f-strings, but no methods yet.\n")
    for title, kind in KINDS:
        found = [r for r in rows if r[1] != "function" and r[0].startswith(kind + ".")]
        parts.append(f"### {title}\n\n"
                     + rows_table([row_line(r, r[0].partition(".")[2]) for r in found]))
    return "\n".join(parts)


# --- both -----------------------------------------------------------------------------------------

PAGES = {"numbers.md": numbers, "builtins.md": builtins}


def pages():
    """file name -> text, of all the pages."""
    from whipsnake import _core

    for name in ("math", "cmath", "operator", "random", "numpy"):
        importlib.import_module(name)
    return {name: NOTE + make(_core) for name, make in PAGES.items()}


def stale():
    """Names of the pages that differ from what they should be."""
    return [name for name, text in pages().items()
            if not (MANUAL / name).exists() or (MANUAL / name).read_text() != text]


def main():
    if sys.argv[1:] == ["--check"]:
        old = stale()
        for name in old:
            print(f"docs/manual/{name} is out of date: run .venv/bin/python tools/gen_manual.py")
        return 1 if old else 0
    for name, text in pages().items():
        (MANUAL / name).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
