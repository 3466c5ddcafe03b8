"""Found by processes that a program under `python -m whipsnake` starts: see _standin.py."""

import importlib as _importlib
import sys as _sys

from whipsnake import install_as_numba as _install

_install()
del _sys.modules["numba_cuda"]
_importlib.import_module("numba_cuda")
