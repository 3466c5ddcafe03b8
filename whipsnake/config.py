"""Settings, read from the environment when the module is imported.

WHIPSNAKE_DISABLE_JIT   1: decorators leave functions as they are; ir: functions are interpreted
WHIPSNAKE_DUMP          print a stage of each compile
WHIPSNAKE_CPU_NAME      compile for another CPU ("x86-64-v3", "skylake,+fma")
"""

import os

DISABLE_JIT = int(os.environ.get("WHIPSNAKE_DISABLE_JIT", "") not in ("", "0", "ir"))
DUMP = os.environ.get("WHIPSNAKE_DUMP", "")
CPU_NAME = os.environ.get("WHIPSNAKE_CPU_NAME")
NUMBA_NUM_THREADS = NUMBA_DEFAULT_NUM_THREADS = os.cpu_count() or 1
BOUNDSCHECK = None
CACHE_DIR = None
