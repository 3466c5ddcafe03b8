"""The engine the programs run on, so that one source serves all of them.

A program says `from engine import njit` where a user's says `from whipsnake import njit`; nothing
else in it differs. Two variables of the environment choose:

BENCH_ENGINE    "whipsnake", "numba" or "python" (the default: the decorator does nothing)
BENCH_OPTIONS   a JSON object of options added to every bare `@njit`, such as {"boundscheck": false}
"""

import json
import os

NAME = os.environ.get("BENCH_ENGINE", "python")
OPTIONS = json.loads(os.environ.get("BENCH_OPTIONS", "{}"))

if NAME == "whipsnake":
    from whipsnake import njit as _njit
elif NAME == "numba":
    from numba import njit as _njit
elif NAME == "python":

    def _njit(function=None, **options):
        return function if function is not None else lambda f: f

else:
    raise ImportError(f"BENCH_ENGINE={NAME}: no such engine")

if OPTIONS:

    def njit(function):
        return _njit(**OPTIONS)(function)

else:
    njit = _njit
