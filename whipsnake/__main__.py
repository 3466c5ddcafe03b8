"""Command line: `python -m whipsnake --sysinfo`, `cache`, `explain program.py`."""

import sys


def sysinfo():
    """What whipsnake finds on this machine, as text."""
    import platform

    import numpy

    import whipsnake
    from whipsnake import _cache

    rows = {
        "whipsnake": whipsnake.__version__,
        "Python": platform.python_version(),
        "NumPy": numpy.__version__,
        "machine": f"{platform.machine()}, {platform.system()} {platform.release()}",
        "cache": _cache.describe(),
        "compiler": "open" if whipsnake._core.is_compiler_open() else "opened when it is needed",
    }
    return "\n".join(f"{name:12}{value}" for name, value in rows.items())


def main(args):
    """Exit status."""
    if args == ["--sysinfo"] or args == ["-s"]:
        print(sysinfo())
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
    print("usage: python -m whipsnake --sysinfo | --version | cache | "
          "explain program.py [arguments ...]", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
