#!/bin/sh
# The Python files of the package, one per line, relative to the source root (see list_sources.sh).
cd "$(dirname "$0")/.." || exit 1
find whipsnake \( -name "*.py" -o -name "*.pyi" -o -name "py.typed" \) | LC_ALL=C sort
