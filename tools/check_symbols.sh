#!/bin/sh
# What the two shared objects show and need. Undefined symbols may be Python's, which the process
# has, and versioned ones of the C library; any other is called by some file and defined by none.
# usage: check_symbols.sh [--warn] [folder]       --warn: print, but do not fail
cd "$(dirname "$0")/.." || exit 1
warn=
if [ "${1:-}" = --warn ]; then warn=1; shift; fi
folder=${1:-whipsnake}
bad=0
check() { # file, the one symbol it shows
    lib=$folder/$1
    [ -e "$lib" ] || { echo "[symbols] $lib is missing"; bad=1; return; }
    shown=$(nm -D --defined-only "$lib" | awk '{print $3}' | tr '\n' ' ')
    [ "$shown" = "$2 " ] || { echo "[symbols] $lib shows '$shown', not '$2'"; bad=1; }
    lacks=$(nm -D --undefined-only "$lib" | awk '$1 == "U" {print $2}' |
        grep -v -e '@' -e '^_*Py' -e '^__[au]san_' -e '^__ubsan_' | tr '\n' ' ')
    [ -z "$lacks" ] || { echo "[symbols] $lib calls what nobody defines: $lacks"; bad=1; }
    needs=$(objdump -p "$lib" | awk '$1 == "NEEDED" {print $2}' |
        grep -v -E '^(lib[cm]\.so|ld-linux|libpthread|libdl|lib.*san\.so)' | tr '\n' ' ')
    [ -z "$needs" ] || { echo "[symbols] $lib needs more than the C library: $needs"; bad=1; }
}
check _core.abi3.so PyInit__core
check _compiler.so ws_compiler_open
[ -n "$warn" ] || exit $bad
