"""The parts of compiled-function objects that need no speed. Called from the C class with the
object as first argument."""

import sys

from whipsnake import _core, types
from whipsnake.errors import TypingError


class CompileResult:
    """One compiled signature: `signature`, `entry_point` (an address), sizes and times."""

    __slots__ = ("signature", "entry_point", "code_size", "stage_seconds")

    def __init__(self, signature, entry_point, code_size, stage_ns):
        self.signature = signature
        self.entry_point = entry_point
        self.code_size = code_size
        self.stage_seconds = dict(zip(STAGES, (ns * 1e-9 for ns in stage_ns)))

    def __repr__(self):
        return f"<{self.signature}, {self.code_size} bytes>"


STAGES = ("parse", "build", "infer", "lowering", "passes", "codegen", "llvm", "load")


def compile_signature(f, signature):
    """Compile for a parsed signature."""
    _check_length(f, signature)
    f._compile(signature.args, signature.return_type)


def promise_signature(f, signature):
    """Compile for a parsed signature when it is first needed."""
    _check_length(f, signature)
    f._promise(signature.args, signature.return_type)


def _check_length(f, signature):
    """Complains about the length of a signature by the function's name."""
    wanted, given = len(f._parameters), len(signature.args)
    least = wanted - len(f.__defaults__ or ())
    if not least <= given <= wanted:
        lines = [f"the signature {signature} has {given} argument{'' if given == 1 else 's'}, but "
                 f"{f.__name__}() takes {wanted}"]
        if f._parameters:
            lines += _show_parameter(f.py_func, f._parameters[min(given, wanted - 1)])
        raise TypingError("\n".join(lines))


def compile(f, sig):
    """Compile for a signature, in any form that jit takes."""
    compile_signature(f, types.parse_signature(sig))


def recompile(f):
    """Compile all signatures again, with what globals and closure hold now."""
    entries = f._entries()
    f._forget()
    for args in dict.fromkeys(row[0] for row in entries):
        f._compile(args)


def overloads(f):
    """dict: argument types -> CompileResult."""
    return {args: CompileResult(types.Signature(ret, args), *rest)
            for args, ret, *rest, _, _ in f._entries()}


def signatures(f):
    """The argument types of each compiled signature."""
    return list(overloads(f))


def nopython_signatures(f):
    """The signatures with their result types."""
    return [result.signature for result in overloads(f).values()]


class CompileStats:
    """Where compiled code came from: how often, by signature, the cache had it and how often it did
    not. cache_path: the folder, None if there is no cache for this function. uncached: why what was
    compiled is not kept there."""

    def __init__(self, f):
        path, problem, _ = _core.cache_folder()
        self.cache_path = None if problem or not f._options["cache"] else path
        self.cache_hits = {}
        self.cache_misses = {}
        self.uncached = {}
        for args, _, _, _, _, cached, why in f._entries():
            counts = self.cache_hits if cached else self.cache_misses
            counts[args] = counts.get(args, 0) + 1
            if why:
                self.uncached[args] = why

    def __repr__(self):
        return (f"CompileStats(cache_path={self.cache_path}, cache_hits={self.cache_hits}, "
                f"cache_misses={self.cache_misses})")


def stats(f):
    """Cache hits and misses by signature."""
    return CompileStats(f)


def targetoptions(f):
    """The options that the function was decorated with."""
    return f._options


def _texts(f, what, signature):
    """The text for one signature, or a dict of all."""
    if signature is not None:
        return f._text(what, types.parse_signature(signature).args)
    return {args: f._text(what, args) for args in signatures(f)}


def inspect_llvm(f, signature=None):
    """Optimised LLVM IR: of one signature, or a dict of all."""
    return _texts(f, "llvm", signature)


def inspect_asm(f, signature=None):
    """Assembly: of one signature, or a dict of all."""
    return _texts(f, "asm", signature)


def inspect_ir(f, signature=None):
    """whipsnake's own IR, after its passes: of one signature, or a dict of all."""
    return _texts(f, "ir", signature)


def inspect_cfg(f, signature=None, show_wrapper=None, **options):
    """The control-flow graph in the language of dot: of one signature, or a dict of all."""
    return _texts(f, "cfg", signature)


def inspect_types(f, file=None, signature=None, pretty=False, style="default", **options):
    """Print the source, with the type of each variable and expression below its line."""
    from whipsnake._explain import types_text

    out = sys.stdout if file is None else file
    chosen = signatures(f) if signature is None else [types.parse_signature(signature).args]
    for args in chosen:
        print(f"{f.__qualname__} {types.Signature(None, args)!r}"[: -len(" -> None")], file=out)
        print("-" * 80, file=out)
        print(types_text(f, args), file=out)
        print(file=out)


def explain(f, signature=None):
    """What the compiler did with each line: a Report, which prints as text and shows as a page in
    notebooks. For one signature, or for all that were compiled."""
    from whipsnake._explain import explain

    return explain(f, signature)


def parallel_diagnostics(f, signature=None, level=1):
    """Print which loops would be safe as prange and why the others are not; from level 2 on also
    how they run, from 3 on what costs, at 4 all remarks of `explain`."""
    from whipsnake._explain import parallel_text

    print(parallel_text(f, signature, level))


def _not_yet(name):
    def refuse(f, *args, **kwargs):
        from whipsnake.errors import UnsupportedError

        raise UnsupportedError(f"not built yet: {name}")

    return refuse


inspect_disasm_cfg = _not_yet("inspect_disasm_cfg")
get_annotation_info = _not_yet("get_annotation_info")


def get_metadata(f, signature=None):
    """What is known about the compile of each signature: times per stage, size of the code."""
    rows = {args: {"stage_seconds": r.stage_seconds, "code_size": r.code_size}
            for args, r in overloads(f).items()}
    return rows if signature is None else rows[types.parse_signature(signature).args]


def reduce(f):
    """How it is pickled."""
    from whipsnake import _pickle

    return _pickle.reduce(f)


# -- errors about arguments ---------------------------------------------------------------------

def no_signature_error(f, arg_types):
    """The exception for arguments that fit none of the signatures of a function that compiles no
    others."""
    given = ", ".join(str(t).replace("unicode_type", "str") for t in arg_types)
    compiled = nopython_signatures(f)
    known = "; ".join(str(s) for s in compiled)
    lines = [f"No matching definition for argument type(s) {given}"]
    wrong = (name for i, name in enumerate(f._parameters[: len(arg_types)])
             if not any(arg_types[i] is s.args[i] for s in compiled if i < len(s.args)))
    name = next(wrong, None)
    if name:
        lines += _show_parameter(f.py_func, name)
    lines.append(f"  - {f.__name__}() was compiled for {known or 'no signature'}")
    return TypingError("\n".join(lines))


def argument_error(func, name, error):
    """The exception for an argument that compiled code cannot take, shown at the parameter. error:
    what was wrong with it."""
    what, _, hint = str(error).partition("; ")
    text = f"argument '{name}' of {func.__name__}(): {what}"
    lines = [text, *_show_parameter(func, name)]
    if hint:
        lines.append(f"  hint: {hint}")
    cls = TypingError if isinstance(error, TypeError) else type(error)
    return cls("\n".join(lines))


def _show_parameter(func, name):
    """Lines that show where the parameter is written; none if that is not known."""
    place = _find_parameter(func, name)
    if not place:
        return []
    line, col, source = place
    number = str(line)
    return [f'  File "{func.__code__.co_filename}", line {number}, in {func.__qualname__}',
            f"    {number} | {source.strip()}",
            f"    {' ' * len(number)} | {' ' * col}{'^' * len(name)}"]


def _find_parameter(func, name):
    """(line, column in characters from the first that is not blank, source line) where the
    parameter is written, or None."""
    import ast
    import inspect
    import textwrap

    try:
        source, first = inspect.getsourcelines(func)
        text = "".join(source)
        dedented = textwrap.dedent(text)
        tree = ast.parse(dedented)
    except (OSError, TypeError, SyntaxError, IndentationError):
        return None
    shift = len(source[0]) - len(dedented.splitlines(keepends=True)[0])
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.Lambda, ast.AsyncFunctionDef)):
            args = node.args
            every = [*args.posonlyargs, *args.args, *args.kwonlyargs]
            every += [a for a in (args.vararg, args.kwarg) if a]
            for arg in every:
                if arg.arg == name:
                    row = source[arg.lineno - 1]
                    before = row.encode()[:arg.col_offset + shift].decode()
                    return first + arg.lineno - 1, len(before.lstrip()), row
    return None
