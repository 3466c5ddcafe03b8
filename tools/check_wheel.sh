#!/bin/sh
# Install the wheel of dist/ into an empty virtual environment in an empty folder and run a program.
set -eu
cd "$(dirname "$0")/.."
PYTHON=${PYTHON:-python3}
wheel=$(ls "$PWD"/dist/whipsnake-*.whl)
program=$PWD/tools/wheel_program.py
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

echo "[wheel] installing $(basename "$wheel") into an empty environment"
"$PYTHON" -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install -q --disable-pip-version-check "$wheel"
platlib='import sysconfig; print(sysconfig.get_path("platlib"))'
installed=$("$folder/venv/bin/python" -c "$platlib")/whipsnake
[ -e "$installed/libsleef.so.3" ] || { echo "[wheel] SLEEF is not bundled"; exit 1; }
tools/check_symbols.sh "$installed"

mkdir "$folder/empty"
cp "$program" "$folder/empty/program.py"
cd "$folder/empty"
env -u PYTHONPATH "$folder/venv/bin/python" program.py "$folder"
