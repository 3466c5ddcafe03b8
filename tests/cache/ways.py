"""Shared by the tests of the cache: sources that no cache has seen, and where code came from."""

import itertools
import textwrap
import uuid

from support import make, run_python

from whipsnake import njit

_numbers = itertools.count(uuid.uuid4().int % (1 << 40) << 16)


def fresh():
    """An int literal that was in no source before."""
    return next(_numbers)


def origin(f):
    """Where the only signature of `f` came from: "hit", "miss", or why it is not kept."""
    stats = f.stats
    assert sum(stats.cache_hits.values()) + sum(stats.cache_misses.values()) == 1
    return next(iter(stats.uncached.values()), "hit" if stats.cache_hits else "miss")


def compile_from(source, *args, options=None, **scope):
    """(result, origin) of `f(*args)` for the f that the source defines, newly decorated."""
    f = njit(**options or {})(make(source, **scope))
    result = f(*args)
    return result, origin(f)


def origins(source, *args, again=None, scope=None, other_scope=None):
    """Origins of a function compiled twice: the second time from `again` and `other_scope`."""
    number = str(fresh())
    first = compile_from(source.replace("FRESH", number), *args, **scope or {})
    second = compile_from((again or source).replace("FRESH", number), *args,
                          **(scope if other_scope is None else other_scope) or {})
    assert first[1] == "miss", first
    return second[1]


def run_cached(folder, code, cwd=None, env=None, check_status=True):
    """`code` in a process of its own with this cache; what it printed, as lines."""
    done = run_python(textwrap.dedent(code), cwd=cwd, check_status=check_status,
                      env={"WHIPSNAKE_CACHE_DIR": str(folder), **(env or {})})
    return done.stdout.split("\n")[:-1]
