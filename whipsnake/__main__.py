"""Command line: `python -m whipsnake program.py`, `explain program.py`, `cache`, `--sysinfo`."""

import sys


USAGE = """usage:
  python -m whipsnake program.py [arguments ...]          run it; its `import numba` is whipsnake
  python -m whipsnake -m module [arguments ...]           the same for a module
  python -m whipsnake explain program.py [arguments ...]  run it; what was compiled, and how
  python -m whipsnake cache                               what is kept on disk
  python -m whipsnake --sysinfo | --version"""


def main(args):
    """Exit status."""
    if args == ["--sysinfo"] or args == ["-s"]:
        from whipsnake import _sysinfo

        print(_sysinfo.text())
        return 0
    if args == ["--version"]:
        import whipsnake

        print(whipsnake.__version__)
        return 0
    if args[:1] == ["explain"]:
        from whipsnake._explain import main as explain

        return explain(args[1:])
    if args[:1] == ["cache"]:
        from whipsnake import _cache

        return _cache.main(args[1:])
    if args and (not args[0].startswith("-") or (args[0] == "-m" and len(args) > 1)):
        from whipsnake import _standin

        return _standin.run(args)
    print(USAGE, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
