"""The compiler's tools on IR text (src/ir/tool.h), for the tests beside this file."""

import os
import subprocess


def ir_tool(what: str, text: str) -> str:
    """The result of one tool; raises an exception with the tool's message if it fails."""
    if program := os.environ.get("WHIPSNAKE_IR_TOOL"):  # a stand-alone build
        run = subprocess.run([program, what], input=text, capture_output=True, text=True)
        if run.stdout.startswith("ERROR "):
            raise ValueError(run.stdout[6:].strip())
        assert run.returncode == 0 and not run.stderr, run.stderr
        return run.stdout
    from whipsnake import _core

    return _core.ir_tool(what, text)
