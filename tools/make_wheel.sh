#!/bin/sh
# A self-contained wheel in dist/: both shared objects stripped, SLEEF beside them, for every
# CPython from 3.11 on.
set -eu
cd "$(dirname "$0")/.."
export PATH="$PWD/.venv/bin:$PATH"
rm -rf build-wheel/raw dist
mkdir -p build-wheel/raw dist
echo "[wheel] building"
.venv/bin/python -m pip wheel -q --disable-pip-version-check --no-deps --no-build-isolation \
    --config-settings=build-dir=build-wheel/meson -w build-wheel/raw .
.venv/bin/python tools/pack_wheel.py build-wheel/raw/*.whl dist
