#!/bin/sh
# Build both shared objects in a build folder; for the folder `build` also put them into whipsnake/.
# usage: build.sh folder [meson options]
# One build of a folder runs at a time; others wait for it.
set -eu
cd "$(dirname "$0")/.."
folder=$1
shift
export PATH="$PWD/.venv/bin:$PATH"
mkdir -p "$folder"
exec 9>"$folder/.lock"
flock 9

# Meson keeps the compiler of a folder, so another compiler starts it anew.
if [ "${CC:-cc}" != "$(cat "$folder/.cc" 2>/dev/null)" ]; then
    find "$folder" -mindepth 1 -maxdepth 1 ! -name .lock -exec rm -rf {} +
    echo "${CC:-cc}" >"$folder/.cc"
fi
# Reconfigure when a C file came or went (see list_sources.sh) or the options changed.
state="$* $(tools/list_sources.sh src)"
configure() { meson setup "$@" >"$folder/setup.log" || { cat "$folder/setup.log"; exit 1; }; }
if ! [ -e "$folder/build.ninja" ]; then
    echo "[build] configuring $folder"
    configure "$folder" "$@"
elif [ "$state" != "$(cat "$folder/.state" 2>/dev/null)" ]; then
    echo "[build] reconfiguring $folder"
    configure --reconfigure "$folder" "$@"
fi
echo "$state" >"$folder/.state"

# ninja says nothing when there is nothing to do, and shows warnings and errors whole. It goes on
# after an error (-k 0): a broken file does not keep the other shared object from being built.
status=0
ninja --quiet -k 0 -C "$folder" 9>&- || status=$?

[ "$folder" = build ] || exit $status
for so in build/_core*.so build/_compiler.so; do
    to=whipsnake/$(basename "$so")
    [ -e "$so" ] || continue
    # Replaced by renaming: a process that has the old file mapped keeps it.
    if ! [ "$to" -nt "$so" ]; then cp "$so" "$to.new" && mv "$to.new" "$to"; fi
done
# As pip does when it installs: what is imported at the first call is read, not compiled again.
.venv/bin/python -m compileall -q whipsnake
[ $status != 0 ] || tools/check_symbols.sh --warn
exit $status
