"""Compile the run-time files that inline into compiled code to LLVM bitcode, written as a C array.

The bitcode is for a generic CPU and not vectorized: it is optimised again after inlining, for the
CPU that the caller is compiled for. So the attributes that name a CPU are removed, since LLVM
refuses to inline a function whose features its caller lacks.
"""

import argparse
import re
import subprocess
import tempfile
from pathlib import Path

CLANG_FLAGS = """
    -std=c17 -O2 -S -emit-llvm -fPIC -D_GNU_SOURCE -DNDEBUG -DWS_INLINE_BITCODE=1 -ffp-contract=off
    -fno-math-errno -fno-vectorize -fno-slp-vectorize -fno-unroll-loops -fno-stack-protector
    -fno-asynchronous-unwind-tables -fvisibility=hidden -Wall -Wextra -Werror
""".split()
CPU_ATTRIBUTES = re.compile(
    r' "(?:target-cpu|target-features|tune-cpu|min-legal-vector-width)"="[^"]*"'
)


def compile_file(args, source: Path, folder: Path) -> tuple[Path, str]:
    """Bitcode (as text) of one file, and the text of its dependency file."""
    out, dep = folder / (source.stem + ".ll"), folder / (source.stem + ".d")
    depends = ["-MD", "-MF", dep, "-MT", args.output]
    command = [args.clang, *CLANG_FLAGS, "-I", args.include, *depends, source, "-o", out]
    subprocess.run(command, check=True)
    out.write_text(CPU_ATTRIBUTES.sub("", out.read_text()))
    return out, dep.read_text()


def build(args) -> tuple[bytes, str]:
    """The linked bitcode of all sources (empty if there are none) and the joined dependencies."""
    if not args.sources:
        return b"", f"{args.output}:\n"
    with tempfile.TemporaryDirectory() as tmp:
        parts = [compile_file(args, source, Path(tmp)) for source in args.sources]
        linked = Path(tmp) / "linked.bc"
        subprocess.run([args.llvm_link, *(part for part, _ in parts), "-o", linked], check=True)
        return linked.read_bytes(), "".join(dep for _, dep in parts)


def c_array(data: bytes) -> str:
    rows = [",".join(map(str, data[i : i + 32])) for i in range(0, len(data), 32)] or ["0"]
    return (
        "#include <stddef.h>\n"
        "extern const unsigned char ws_inline_bitcode[];\n"
        "extern const size_t ws_inline_bitcode_size;\n"
        "_Alignas(16) const unsigned char ws_inline_bitcode[] = {\n" + ",\n".join(rows) + "};\n"
        f"const size_t ws_inline_bitcode_size = {len(data)};\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("output", "depfile", "clang", "llvm-link", "include"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("sources", nargs="*", type=Path)
    args = parser.parse_args()
    data, deps = build(args)
    Path(args.output).write_text(c_array(data))
    Path(args.depfile).write_text(deps)


if __name__ == "__main__":
    main()
