"""Ctrl-C in threads other than the main one; asked by compiled code that runs in them."""

import sys
import threading


def main_was_interrupted() -> bool:
    """Whether Ctrl-C has reached the main thread, and that is now waiting for the others.

    Either it handles the exception, and what it does meanwhile is wait: as executors and pools do
    when a `with` block is left. Or it has ended with the exception, and the interpreter waits for
    the other threads before it ends too.
    """
    main = threading.main_thread()
    if not main.is_alive():
        return getattr(sys, "last_type", None) is KeyboardInterrupt
    handled = sys._current_exceptions().get(main.ident)
    if isinstance(handled, tuple):  # Python 3.11
        handled = handled[1]
    return isinstance(handled, KeyboardInterrupt)
