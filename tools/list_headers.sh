#!/bin/sh
# The headers and tables under src/, one per line (see list_sources.sh).
cd "$(dirname "$0")/.." || exit 1
find src \( -name "*.h" -o -name "*.def" \) | LC_ALL=C sort
