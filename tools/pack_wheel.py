"""Finish the wheel that meson-python built: bundle SLEEF and the licences, and set its tags.

usage: pack_wheel.py built.whl folder
"""

import base64
import csv
import glob
import hashlib
import io
import platform
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

SLEEF = "libsleef.so.3"
# What the binaries contain that is not ours, with the file in which Debian keeps its licence.
BUNDLED = {
    "SLEEF": "/usr/share/doc/libsleef3/copyright",
    "LLVM": "/usr/share/doc/llvm-19-dev/copyright",
    "zlib": "/usr/share/doc/zlib1g-dev/copyright",
    "zstd": "/usr/share/doc/libzstd-dev/copyright",
    "libstdc++": "/usr/share/doc/libstdc++6/copyright",
}


def find_sleef() -> Path:
    machine = f"{platform.machine()}-linux-gnu"
    for folder in (f"/usr/lib/{machine}", "/usr/lib", "/usr/lib64", "/usr/local/lib"):
        if (path := Path(folder) / SLEEF).exists():
            return path.resolve()
    sys.exit(f"[wheel] {SLEEF} was not found; install libsleef3")


def platform_tag(libraries: list[Path]) -> str:
    """manylinux_2_N_machine, where 2.N is the newest C library that one of `libraries` asks for."""
    minor = 17
    for lib in libraries:
        text = subprocess.run(
            ["objdump", "-p", lib], check=True, capture_output=True, text=True, env={"LC_ALL": "C"}
        ).stdout
        minor = max([minor, *map(int, re.findall(r"GLIBC_2\.(\d+)", text))])
        if "GLIBC_ABI_DT_RELR" in text:
            minor = max(minor, 36)
    return f"manylinux_2_{minor}_{platform.machine()}"


def add_files(root: Path, info: Path) -> None:
    package = root / "whipsnake"
    sleef = package / SLEEF
    sleef.write_bytes(find_sleef().read_bytes())
    sleef.chmod(0o755)
    for lib in package.glob("*.so*"):
        subprocess.run(["strip", "--strip-unneeded", lib], check=True)
    licences = info / "licenses"
    licences.mkdir(exist_ok=True)
    for name, file in BUNDLED.items():
        if not Path(file).exists():
            sys.exit(f"[wheel] {file} is missing: the wheel must carry the licence of {name}")
        (licences / f"{name}.txt").write_bytes(Path(file).read_bytes())


def set_tag(info: Path, tag: str) -> None:
    wheel = info / "WHEEL"
    lines = [line for line in wheel.read_text().split("\n") if line and line[:4] != "Tag:"]
    wheel.write_text("\n".join([*lines, f"Tag: {tag}", ""]))


def write_record(root: Path, info: Path) -> None:
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    record = info / "RECORD"
    for file in sorted(p for p in root.rglob("*") if p.is_file() and p != record):
        digest = base64.urlsafe_b64encode(hashlib.sha256(file.read_bytes()).digest()).rstrip(b"=")
        name = file.relative_to(root).as_posix()
        rows.writerow([name, f"sha256={digest.decode()}", file.stat().st_size])
    rows.writerow([record.relative_to(root).as_posix(), "", ""])
    record.write_text(out.getvalue())


def main() -> None:
    built, folder = Path(sys.argv[1]), Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as tmp:
        root = Path(tmp)
        with zipfile.ZipFile(built) as archive:
            archive.extractall(root)
        info = Path(glob.glob(f"{tmp}/*.dist-info")[0])
        add_files(root, info)
        tag = "cp311-abi3-" + platform_tag(list((root / "whipsnake").glob("*.so*")))
        set_tag(info, tag)
        write_record(root, info)
        result = folder / f"{info.stem}-{tag}.whl"
        with zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for file in sorted(p for p in root.rglob("*") if p.is_file()):
                mode = 0o755 if ".so" in file.name else 0o644
                entry = zipfile.ZipInfo(file.relative_to(root).as_posix(), (2020, 1, 1, 0, 0, 0))
                entry.external_attr = (0o100000 | mode) << 16
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, file.read_bytes(), compresslevel=9)
    print(f"[wheel] {result} ({result.stat().st_size / 1e6:.1f} MB)")


if __name__ == "__main__":
    main()
