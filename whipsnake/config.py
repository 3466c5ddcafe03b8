"""Settings, read from the environment when whipsnake is imported.

WHIPSNAKE_DISABLE_JIT   1: decorators leave functions as they are; ir: functions are interpreted
WHIPSNAKE_BOUNDSCHECK   0 or 1: subscripts are checked or not, whatever decorators say
WHIPSNAKE_DEBUGINFO     1: functions are compiled with debug=True unless they say otherwise
WHIPSNAKE_NUM_THREADS   the most threads of parallel loops (all processors)
WHIPSNAKE_CPU_NAME      compile for another CPU ("x86-64-v3", "skylake,+fma")
WHIPSNAKE_CACHE_DIR     where compiled code is kept
WHIPSNAKE_DUMP          print a stage of each compile

Numba's variables count where ours are not set. The names below are Numba's; DISABLE_JIT,
BOUNDSCHECK and DEBUGINFO_DEFAULT may be assigned to, for functions that are decorated afterwards.
"""

import os


def _cpu(name):
    features = os.environ.get("NUMBA_CPU_FEATURES", "")
    return f"{name},{features}" if features else name


# Numba's variable -> ours, and how its value is said here ("": as if it was not set).
_NUMBA = {
    "DISABLE_JIT": ("DISABLE_JIT", str),
    "BOUNDSCHECK": ("BOUNDSCHECK", str),
    "DEBUGINFO": ("DEBUGINFO", str),
    "NUM_THREADS": ("NUM_THREADS", str),
    "ENABLE_CUDASIM": ("ENABLE_CUDASIM", str),
    "CPU_NAME": ("CPU_NAME", _cpu),
    # A folder in it, since that of the cache is the user's alone.
    "CACHE_DIR": ("CACHE_DIR", lambda path: os.path.join(path, "whipsnake")),
    # 3 is what is usual there, our own pipeline is here; only "max" asks for more.
    "OPT": ("OPT", {"0": "default<O0>", "1": "default<O1>", "2": "default<O2>", "max": "3"}.get),
}


def _adopt():
    """Numba's variables become ours. The compiler, which is C, reads the environment too."""
    for name, (ours, translate) in _NUMBA.items():
        value = os.environ.get(f"NUMBA_{name}", "").strip()
        if value and not os.environ.get(f"WHIPSNAKE_{ours}"):
            value = translate(value)
            if value:
                os.environ[f"WHIPSNAKE_{ours}"] = value


def _flag(text):
    return int(text not in ("", "0"))


_adopt()  # before _core, which reads some of them itself
from whipsnake import _core  # noqa: E402

DISABLE_JIT = _flag(os.environ.get("WHIPSNAKE_DISABLE_JIT", "").replace("ir", ""))
BOUNDSCHECK = os.environ.get("WHIPSNAKE_BOUNDSCHECK") or None
BOUNDSCHECK = BOUNDSCHECK and _flag(BOUNDSCHECK)
DEBUGINFO_DEFAULT = _flag(os.environ.get("WHIPSNAKE_DEBUGINFO", ""))
NUMBA_NUM_THREADS = NUMBA_DEFAULT_NUM_THREADS = _core.thread_settings()[0]
ENABLE_CUDASIM = _flag(os.environ.get("WHIPSNAKE_ENABLE_CUDASIM", ""))
CPU_NAME = os.environ.get("WHIPSNAKE_CPU_NAME")
CACHE_DIR = os.environ.get("WHIPSNAKE_CACHE_DIR", "")
OPT = os.environ.get("WHIPSNAKE_OPT", "")
DUMP = os.environ.get("WHIPSNAKE_DUMP", "")

# Of Numba's, for programs that ask: nothing here depends on them.
THREADING_LAYER = "default"
THREADING_LAYER_PRIORITY = ["workqueue"]
DISABLE_PERFORMANCE_WARNINGS = 0
DISABLE_CUDA = 0
FULL_TRACEBACKS = 0
CAPTURED_ERRORS = "new_style"
DEVELOPER_MODE = 0
