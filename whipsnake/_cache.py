"""`python -m whipsnake cache`: the folder of compiled code, for people."""

import os
import sys
import time

from whipsnake import _core

_SUFFIX = ".wsc"
_USAGE = """usage: python -m whipsnake cache            what is in it
       python -m whipsnake cache clear      remove all of it
       python -m whipsnake cache verify     remove what is damaged"""


def _size(n):
    """A number of bytes for people."""
    for unit in ("bytes", "KB", "MB"):
        if n < 1000:
            return f"{n:.0f} {unit}" if unit == "bytes" or n >= 100 else f"{n:.1f} {unit}"
        n /= 1000
    return f"{n:.1f} GB"


def describe():
    """The line of --sysinfo."""
    path, problem, limit = _core.cache_folder()
    if problem:
        return f"off: {problem}" + (f" ({path})" if path else "")
    entries = list(_entries(path))
    return (f"{path}, {len(entries)} entries, {_size(sum(e.stat().st_size for e in entries))} of "
            f"{_size(limit)}")


def _entries(path):
    with os.scandir(path) as files:
        yield from (f for f in files if f.name.endswith(_SUFFIX) and f.is_file())


def _name(entry):
    """The name of the function in an entry; None: it is damaged."""
    try:
        with open(entry.path, "rb") as file:
            return _core.cache_check(file.read())
    except OSError:
        return None


def _show(path):
    rows = sorted(((e.stat().st_mtime, e.stat().st_size, _name(e)) for e in _entries(path)),
                  key=lambda row: row[:2])
    for used, size, name in rows:
        when = time.strftime("%Y-%m-%d %H:00", time.localtime(used))
        print(f"{when}  {_size(size):>10}  {name or '(damaged)'}")
    print(describe())


def _remove(path, entries, what):
    n = 0
    for entry in entries:
        try:
            os.unlink(entry.path)
            n += 1
        except OSError as error:
            print(f"{entry.name}: {error.strerror}", file=sys.stderr)
    print(f"{n} {what} removed from {path}")


def main(args):
    """Exit status."""
    path, problem, _ = _core.cache_folder()
    if args not in ([], ["clear"], ["verify"]):
        print(_USAGE, file=sys.stderr)
        return 2
    if problem:
        print(f"the cache is off: {problem}" + (f" ({path})" if path else ""))
        return 1
    if not args:
        _show(path)
    elif args == ["clear"]:
        _remove(path, list(_entries(path)), "entries")
    else:
        _remove(path, [e for e in list(_entries(path)) if _name(e) is None], "damaged entries")
    return 0
