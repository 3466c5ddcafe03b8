"""Check who includes whom: the rooms under src/ may only include what lies below them.

A quoted include is either `room/name.h` or a header of the same folder. Python.h, NumPy and llvm-c
are checked too, so that what must not know Python or LLVM cannot come to know it. Prints one line
for each breach, with file and line; exits 1 if there is one.
"""

import re
import sys
from pathlib import Path

# room: the rooms that it may include (itself is always allowed).
ALLOWED = {
    "base": "",
    "types": "base",
    # compiler
    "py": "base",
    "syntax": "base types py",
    "ir": "base types",
    "build": "base types py syntax ir",
    "infer": "base types py ir build",
    "lower": "base types ir infer",
    "builtins": "base types py ir build infer lower",
    "opt": "base types ir",
    "codegen": "base types ir",
    "driver": "base types py ir infer lower opt codegen core",
    # run time
    "core": "base types",
    "runtime": "base types core",
    "cache": "base types py core",
    "dispatch": "base types py core runtime cache",
    "ufunc": "base types py core runtime dispatch",
    "simt": "base types core runtime",
    "cuda": "base types core runtime",
    "python": "base types py core runtime cache dispatch ufunc simt cuda",
}
# Where compiler and run time meet: headers that any room may include.
MEETING = {
    "core/unit.h",  # what a compiled unit is
    "core/ctx.h",  # the context that compiled code is handed
    "core/memory.h",  # how owners of memory are laid out
    "core/exceptions.h",
    "core/exceptions.def",
    "core/region.h",  # what a parallel loop is called with
    "core/os.h",  # compiled into both shared objects
    "ir/rt.h",  # the functions that compiled code calls by name
    "ir/checks.def",
    "runtime/runtime.def",
    "runtime/complex.def",  # the numbers of its complex functions
}
# header prefix: the rooms that may include it
FOREIGN = {
    "Python.h": "types py syntax build infer lower builtins driver "
    "core runtime cache dispatch ufunc simt cuda python",
    "structmember.h": "dispatch ufunc simt cuda python",
    "numpy/": "dispatch ufunc",
    "llvm-c/": "codegen",
}
INCLUDE = re.compile(r'\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')


def breach(room: str, file: Path, quoted: str | None, angled: str | None) -> str | None:
    """What is wrong with one include of `file`, or None."""
    name = quoted or angled or ""
    for prefix, rooms in FOREIGN.items():
        if name.startswith(prefix) and room not in rooms.split():
            return f"{room} may not include {name} (only {rooms})"
    if quoted is None:
        return None
    if "/" not in quoted:
        return None if (file.parent / quoted).exists() else f'"{quoted}" is not beside this file'
    if quoted in MEETING:
        return None
    target = quoted.split("/")[0]
    if target not in ALLOWED:
        return f'"{quoted}" names no room'
    if target != room and target not in ALLOWED[room].split():
        return f"{room} may not include {target} ({quoted}); it may: {ALLOWED[room] or 'nothing'}"
    return None


def main() -> int:
    src = Path(__file__).resolve().parent.parent / "src"
    failures = 0
    for file in sorted(p for p in src.rglob("*") if p.suffix in {".c", ".h", ".def"}):
        room = file.relative_to(src).parts[0]
        if room not in ALLOWED:
            print(f"src/{file.relative_to(src)}: no such room: {room}")
            failures += 1
            continue
        for number, line in enumerate(file.read_text().splitlines(), 1):
            found = INCLUDE.match(line)
            if found and (wrong := breach(room, file, *found.groups())):
                print(f"src/{file.relative_to(src)}:{number}: {wrong}")
                failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
