"""Writes a C file with ws_build_id: a hash of everything that decides what code is made of a function.

usage: build_id.py OUTPUT ROOT TEXT...

That is all sources of both shared objects and of the Python package (the prelude is compiled with the
user's functions), and TEXT: compilers, versions, build options. Entries of the cache are made for one id.
"""

import hashlib
import pathlib
import sys


def sources(root):
    """The files that count, in a fixed order."""
    files = [p for p in (root / "src").rglob("*") if p.suffix in {".c", ".h", ".def"}]
    files += (root / "whipsnake").rglob("*.py")
    return sorted([*files, root / "meson.build", root / "tools" / "embed_bitcode.py"])


def main(output, root, *texts):
    root = pathlib.Path(root)
    total = hashlib.blake2b(digest_size=20)
    for text in texts:
        total.update(text.encode() + b"\0")
    for file in sources(root):
        data = file.read_bytes()
        total.update(f"{file.relative_to(root)} {len(data)}\n".encode() + data)
    pathlib.Path(output).write_text(
        f'extern const char ws_build_id[];\nconst char ws_build_id[] = "{total.hexdigest()}";\n')


if __name__ == "__main__":
    main(*sys.argv[1:])
