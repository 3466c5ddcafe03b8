#!/bin/sh
# Install what building and testing need and is missing: Debian packages with apt (root or sudo),
# and a virtual environment in .venv. Quick and silent when nothing is missing.
# usage: setup.sh [lint | ci]      PYTHON names the interpreter of the virtual environment.
set -eu
cd "$(dirname "$0")/.."
PYTHON=${PYTHON:-python3}
VENV=.venv

say() { echo "[setup] $*"; }
fail() {
    echo "[setup] $*" >&2
    exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }
exists() { [ -e "$1" ]; } # with a glob: does anything match

# --- which Debian packages are missing ------------------------------------------------------------
missing=""
need() { missing="$missing $*"; }

have gcc || need gcc libc6-dev
have g++ || need g++ # for the static libstdc++ that LLVM needs
have make || need make
have strip || need binutils
have flock || need util-linux
have llvm-config-19 && exists /usr/lib/llvm-19/lib/libLLVMCore.a || need llvm-19-dev
have clang-19 || need clang-19
exists /usr/lib/llvm-19/bin/ld.lld || need lld-19
exists /usr/include/*/sleef.h && exists /usr/lib/*/libsleef.so.3 || need libsleef-dev
exists /usr/lib/*/libz.a || need zlib1g-dev
exists /usr/lib/*/libzstd.a || need libzstd-dev
if [ "${1:-}" = lint ]; then
    have clang-format-19 || need clang-format-19
    have clang-tidy-19 || need clang-tidy-19
fi
[ "${1:-}" != ci ] || have gdb || need gdb # its tests are left out where it is missing
if ! [ -e "$VENV/.ready" ]; then
    have "$PYTHON" || { [ "$PYTHON" = python3 ] && need python3; } ||
        fail "$PYTHON is not on the PATH; install it, or name another one: make PYTHON=python3.x"
    # Debian splits the headers and ensurepip off; other builds of Python bring both.
    if ! have "$PYTHON" || [ "$("$PYTHON" -c 'import sys; print(sys.base_prefix)')" = /usr ]; then
        ask='import sys; print("python%d.%d" % sys.version_info[:2])'
        name=$("$PYTHON" -c "$ask" 2>/dev/null || echo python3)
        "$PYTHON" -c 'import ensurepip' 2>/dev/null || need "$name-venv"
        exists "/usr/include/$name/Python.h" || need "$name-dev"
    fi
fi

# --- install them ---------------------------------------------------------------------------------
if [ -n "$missing" ]; then
    by_hand="install these Debian packages (or what your system calls them):$missing"
    have apt-get || fail "there is no apt-get here; $by_hand"
    if [ "$(id -u)" = 0 ]; then
        root=""
    elif have sudo && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
        root=sudo
    else
        fail "not root, and sudo cannot be used; $by_hand"
    fi
    say "installing Debian packages:$missing"
    export DEBIAN_FRONTEND=noninteractive
    apt="$root env DEBIAN_FRONTEND=noninteractive apt-get -y -qq -o Dpkg::Use-Pty=0"
    # Old lists are the usual reason for a failure: try with them first, refresh only if needed.
    if ! $apt install --no-install-recommends $missing >/dev/null 2>&1; then
        say "refreshing the package lists"
        $apt update >/dev/null || say "apt-get update had errors, going on"
        $apt install --no-install-recommends $missing >/dev/null ||
            fail "apt-get could not install them; $by_hand"
    fi
fi

# --- the virtual environment ----------------------------------------------------------------------
if ! [ -x "$VENV/bin/python" ]; then
    "$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
        fail "$PYTHON is older than 3.11; name another one: make PYTHON=/path/to/python3.x"
    say "creating $VENV with $("$PYTHON" --version)"
    "$PYTHON" -m venv "$VENV" || fail "$PYTHON -m venv failed; install python3-venv"
fi
if ! cmp -s tools/requirements.txt "$VENV/.ready"; then
    say "installing into $VENV: $(tr '\n' ' ' <tools/requirements.txt)"
    "$VENV/bin/python" -m pip install -q --disable-pip-version-check -r tools/requirements.txt ||
        fail "pip could not install tools/requirements.txt into $VENV"
    # The package is imported from the checkout itself.
    path() { "$VENV/bin/python" -c "import sysconfig; print(sysconfig.get_path('$1'))"; }
    pwd >"$(path platlib)/whipsnake-checkout.pth"
    header=$(path include)/Python.h
    exists "$header" || fail "$header is missing; install the headers of this Python"
    cp tools/requirements.txt "$VENV/.ready"
fi
# Libraries that some tests work with; elsewhere those tests are left out.
if [ "${1:-}" = ci ] && ! cmp -s tools/requirements-ci.txt "$VENV/.ready-ci"; then
    say "installing into $VENV: $(tr '\n' ' ' <tools/requirements-ci.txt)"
    "$VENV/bin/python" -m pip install -q --disable-pip-version-check -r tools/requirements-ci.txt ||
        fail "pip could not install tools/requirements-ci.txt into $VENV"
    cp tools/requirements-ci.txt "$VENV/.ready-ci"
fi
