#!/bin/sh
# The C files of some rooms, one per line, sorted, relative to the source root. Meson cannot glob,
# and a list kept by hand would be one more thing to edit for every new file; tools/build.sh
# reconfigures when this list has changed. usage: list_sources.sh room...
cd "$(dirname "$0")/.." || exit 1
for room in "$@"; do
    if [ -d "$room" ]; then find "$room" -name "*.c"; fi
done | LC_ALL=C sort
