#!/bin/sh
# Both shared objects with AddressSanitizer and UndefinedBehaviorSanitizer, and the tests with them.
# The tests run in a copy, so that the ordinary build stays in place.
# usage: sanitize.sh pytest-args...        Under 15 minutes on 2 cores, a third of it the build.
set -eu
cd "$(dirname "$0")/.."
CC=gcc tools/build.sh build-san -Db_sanitize=address,undefined -Dchecks=true
tree=$PWD/build-san/tree
rm -rf "$tree"
mkdir -p "$tree"
for part in whipsnake tests examples benchmarks docs pyproject.toml src tools; do
    [ ! -e "$part" ] || cp -r "$part" "$tree/"
done
rm -f "$tree"/whipsnake/*.so
cp build-san/_core*.so build-san/_compiler.so "$tree/whipsnake/"

# Python was not built with the sanitizer, so its runtime comes first by LD_PRELOAD; libstdc++
# beside it, for NumPy's exceptions. Python never frees all it has at exit, so leaks are not looked
# for here: the tests count references instead. LLVM is linked as Debian built it: what it does
# inside is not checked, what it hands back is.
cd "$tree"
export PYTHONPATH="$tree" PYTHONMALLOC=malloc
export ASAN_OPTIONS="detect_leaks=0:abort_on_error=1:allocator_may_return_null=1:${ASAN_OPTIONS:-}"
export UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1:${UBSAN_OPTIONS:-}"
venv=$(cd ../.. && pwd)/.venv
echo "[sanitize] running the tests in $tree"
# Left out: a test of files that are not in the copy.
exec env LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libstdc++.so.6)" \
    "$venv/bin/python" -P -m pytest -p no:cacheprovider -m "not slow" -n 2 \
    --ignore tests/run/test_manual.py "$@"
