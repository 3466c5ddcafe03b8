#!/bin/sh
# Everything that can be said about the sources without running them. Goes on after a failure, so
# that one run shows all; exits 1 if anything failed.
cd "$(dirname "$0")/.." || exit 1
failed=""
step() { # name, command...
    name=$1
    shift
    echo "[lint] $name"
    "$@" || { failed="$failed $name;"; echo "[lint] FAILED: $name"; }
}

tidy() { # the compile commands of the clang build say which flags each file wants
    tools/list_sources.sh src | xargs -P "$(nproc)" -n 4 clang-tidy-19 --quiet -p build-clang \
        2>build-clang/tidy.log || { cat build-clang/tidy.log; return 1; }
}
format() { find src -name "*.[ch]" -print0 | xargs -0 clang-format-19 --dry-run -Werror; }

step "include arrows" .venv/bin/python tools/check_arrows.py
step "clang-format" format
step "ruff" .venv/bin/ruff check -q --output-format concise .
step "warnings of gcc" env CC=gcc tools/build.sh build-gcc -Dchecks=true -Dwerror=true
step "warnings of clang" env CC=clang-19 tools/build.sh build-clang -Dchecks=false -Dwerror=true
step "symbols" tools/check_symbols.sh build-gcc
step "clang-tidy" tidy
[ -z "$failed" ] || { echo "[lint] failed:$failed"; exit 1; }
echo "[lint] all good"
