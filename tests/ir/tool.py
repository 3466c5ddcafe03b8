"""The compiler's tools on IR text (src/ir/tool.h), for the tests beside this file."""

import numpy as np

from whipsnake import _core


def ir_tool(what: str, text: str) -> str:
    """The result of one tool; raises an exception with the tool's message if it fails."""
    return _core.ir_tool(what, text)


def interp(text: str, *args) -> str:
    """The outcome of calling the first function of `text`; arguments as in ir/tool_interp.c."""
    return ir_tool(" ".join(["interp", *map(str, args)]), text).rstrip("\n")


def result(text: str, *args) -> str:
    """The result of that call, which must not raise."""
    outcome = interp(text, *args).split("\n")[0]
    assert outcome.startswith("result: "), outcome
    return outcome.removeprefix("result: ")


def word(value) -> str:
    """A value as an argument's word."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (complex, np.complexfloating)):
        return f"({word(value.real)},{word(value.imag)})"
    return repr(value.item() if isinstance(value, np.generic) else value)
