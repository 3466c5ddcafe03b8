"""Fails the first allocation of a task, then the second ... until it succeeds:

    python walk.py native|python "task" [points]

native: whipsnake's own allocations in both shared objects. python: those of Python's allocators,
of tasks that do not compile (in 3.11 the built-in compile() crashes by itself).
Demanded each time: MemoryError, or the outcome that it has with enough memory; nothing is left
behind; afterwards the task works. LLVM's allocations are its own: it ends the process when there
is no memory, as every C++ program does that does not catch bad_alloc; they are not failed here.

points: fail so many allocations, evenly spread, instead of all.
"""

import functools
import gc
import sys

import numpy as np
import programs

from whipsnake import _core

QUIET = 40  # python: so many points in a row without a failure mean that the task is over


def outcome(task, arm=lambda: None, disarm=lambda: None):
    """What the task gives, or the exception's class and text; nothing that holds frames."""
    try:
        arm()
        value = task()
        disarm()
        return plain(value)
    except MemoryError:
        disarm()
        return MemoryError
    except Exception as e:
        disarm()
        return type(e), plain(e.args)


def plain(value):
    """A value that can be compared with ==."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, BaseException):
        return repr(value)
    return tuple(map(plain, value)) if isinstance(value, tuple) else value


class Native:
    """Our own allocations: how many a task makes is known."""

    @staticmethod
    def allows(result):
        """A good answer to a failed allocation?"""
        return result is MemoryError

    def attempt(self, task, n):
        """The outcome of the task when the n-th allocation fails."""
        result = outcome(task, functools.partial(_core._fail_after, n))
        self.made = _core._fail_after(0)
        return result

    def points(self, task):
        """All the numbers worth failing, and one more."""
        self.attempt(task, 1 << 60)
        return self.made + 1


class Python:
    """Those of Python's allocators, through its own test module."""

    def __init__(self):
        import _testcapi

        self.set, self.reset = _testcapi.set_nomemory, _testcapi.remove_mem_hooks

    @staticmethod
    def allows(result):
        """Python itself now and then fails without saying why."""
        return result is MemoryError or (result[0] is SystemError and "exception" in result[1][0])

    def attempt(self, task, n):
        """The outcome of the task when the n-th allocation fails."""
        return outcome(task, functools.partial(self.set, n - 1, n), self.reset)

    def points(self, task):
        """Where it no longer makes a difference."""
        last, quiet, n = 0, 0, 1
        while quiet < QUIET:
            if self.attempt(task, n) is MemoryError:
                last, quiet = n, 0
            else:
                quiet += 1
            n += 1 + n // 100
        return last + 1


def levels(watched):
    """What must be where it was: our blocks, blocks of arrays and strings, Python's blocks,
    references to the watched objects."""
    sys._clear_type_cache()  # it keeps names that C code looked up
    made, freed = _core.memory_stats()
    return _core._live_blocks(), made - freed, sys.getallocatedblocks(), sum(
        map(sys.getrefcount, watched))


LEVELS = ("blocks", "arrays and strings", "Python blocks", "references")


def grows(failing, task, watched, n):
    """How much each level grows whenever the n-th allocation fails. What leaks does so every time;
    caches and dicts grow once. The rounds' own objects are the same in each: they cancel."""
    least, before = [1 << 60] * len(LEVELS), None
    for _ in range(5):
        failing.attempt(task, n)
        gc.collect()
        now = levels(watched)
        if before:
            least = [min(l, new - old) for l, new, old in zip(least, now, before)]
        before = now
    return [f"{grown} {name}" for name, grown in zip(LEVELS, least) if grown > 0]


def is_more(after, before):
    """Worth a closer look."""
    return any(x > y for x, y in zip(after, before))


def walk(failing, task, watched, points, growing):
    """Returns (allocations failed, how many of them came out as MemoryError). growing: the task
    leaves something behind on purpose, do not look for leaks."""
    expected = outcome(task)
    assert expected is not MemoryError and expected == outcome(task), expected
    last = failing.points(task)
    step = max(1, last // points) if points else 1
    failures, count, leaks = 0, 0, []
    for n in range(1, last + 1, step):
        count += 1
        before = levels(watched)
        result = failing.attempt(task, n)
        after = levels(watched)
        assert failing.allows(result) or result == expected, f"allocation {n}: {result!r}"
        failures += result is MemoryError
        if not growing and result is MemoryError and is_more(after, before):
            where = f"allocation {n} of {last}"
            leaks += [f"{where}: {what}" for what in grows(failing, task, watched, n)]
    assert outcome(task) == expected, "it does not work afterwards"
    assert not leaks, "\n".join(leaks[:20])
    return count, failures


def main(kind, name, points=0):
    """Walks one task and says how it went."""
    task, watched = programs.TASKS[name]()
    failing = Native() if kind == "native" else Python()
    for _ in range(3):
        outcome(task)
    gc.collect()
    gc.freeze()
    gc.disable()
    count, failures = walk(failing, task, watched, int(points), name in programs.GROWING)
    print(f"{count} allocations failed, {failures} gave MemoryError", file=sys.__stdout__)


if __name__ == "__main__":
    main(*sys.argv[1:])
