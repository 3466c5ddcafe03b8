#!/bin/sh
# Make .peer-venv with the newest Numba, the peer of `make bench`. Does nothing where it is there;
# `setup_peer.sh --update` looks for a newer one. The interpreter is $PYTHON, else that of .venv,
# else python3, so that both engines run on the same one.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
venv=$root/.peer-venv

if [ -x "$venv/bin/python" ] && [ "${1:-}" != --update ] && "$venv/bin/python" -c 'import numba' 2>/dev/null; then
    exit 0
fi

python=${PYTHON:-}
if [ -z "$python" ] && [ -x "$root/.venv/bin/python" ]; then
    python=$("$root/.venv/bin/python" -c 'import sys; print(getattr(sys, "_base_executable", sys.executable))')
fi
python=${python:-python3}

echo "bench: setting up Numba in .peer-venv with $python"
if ! "$python" -m venv "$venv"; then
    echo "bench: could not make .peer-venv: install python3-venv (apt install python3-venv)" >&2
    exit 1
fi
echo '*' >"$venv/.gitignore"

# The same NumPy on both sides where Numba allows it.
numpy=numpy
if [ -x "$root/.venv/bin/python" ]; then
    version=$("$root/.venv/bin/python" -c 'import numpy; print(numpy.__version__)' 2>/dev/null || true)
    [ -n "$version" ] && numpy="numpy==$version"
fi
install() {
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --upgrade numba "$1"
}
if ! install "$numpy" && ! install numpy; then
    echo "bench: could not install Numba from PyPI; 'make bench' runs without it by --no-numba" >&2
    exit 1
fi
"$venv/bin/python" -c 'import numba, numpy; print("bench: Numba", numba.__version__, "with NumPy", numpy.__version__)'
