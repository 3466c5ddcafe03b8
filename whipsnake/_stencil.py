"""`stencil`: a function of the numbers around a place, for each place of an array."""

import ast
import functools
import inspect
import os
import textwrap
import types as _pytypes

from whipsnake import _core, decorators
from whipsnake.errors import NumbaValueError, TypingError

_PRELUDE = os.path.join("whipsnake", "prelude", "stencils.py")
_APPLY = "whipsnake.prelude.stencils.apply(): "
MODES = ("constant", "nearest", "wrap", "reflect")


def stencil(func_or_mode="constant", **options):
    """Make a function of whole arrays of a kernel, which computes one number from those around it.

        @stencil
        def smooth(a):
            return (a[-1] + a[0] + a[1]) / 3

    Subscripts in the kernel are distances from the place that is computed. Options: neighborhood
    (for each axis the least and the greatest distance; needed where the kernel's subscripts are
    not constants), cval (what the result is where the neighbourhood leaves the array; 0),
    standard_indexing (names of array parameters that are subscripted as usual), and those of jit.
    The mode "constant" stands for cval; "nearest", "wrap" and "reflect" say what is behind an
    edge, as in scipy.ndimage, and give a result everywhere.
    """
    if isinstance(func_or_mode, str):
        if func_or_mode not in MODES:
            raise NumbaValueError(f"a stencil's mode is one of {', '.join(MODES)}, not "
                                  f"{func_or_mode!r}")
        return lambda func: Stencil(func, func_or_mode, options)
    return Stencil(func_or_mode, "constant", options)


class Stencil:
    """A stencil, to be called with arrays, from Python and from compiled functions."""

    def __init__(self, func, mode, options):
        if isinstance(func, _core.Dispatcher):
            func = func.py_func
        if not isinstance(func, _pytypes.FunctionType):
            raise TypeError(f"stencil takes a Python function, not {func!r}")
        functools.update_wrapper(self, func)
        self._given = func, mode, options
        self.py_func, self.mode, self.options = func, mode, dict(options)
        rest = dict(options)
        cval = rest.pop("cval", None)
        names = _parameters(func)
        standards = _standards(names, rest.pop("standard_indexing", ()))
        given = rest.pop("neighborhood", None)
        kernel = _Kernel(func, [n for n, s in zip(names, standards, strict=True) if s is None])
        self.neighborhood = _check_neighborhood(given) if given is not None else kernel.reach()
        low = tuple(min(lo, 0) for lo, _ in self.neighborhood)
        high = tuple(max(hi, 0) for _, hi in self.neighborhood)
        from whipsnake.prelude.stencils import make

        self._device_function = decorators.njit(
            make(func, low, high, mode, cval, standards), **rest)

    def __call__(self, *args, out=None):
        try:
            if out is None:  # most calls, and quicker
                return self._device_function(*args)
            return self._device_function(*args, out=out)
        except TypingError as e:
            raise self._at_kernel(e) from None

    def _at_kernel(self, error):
        """The error, with the kernel as its place unless it has one in a user's function."""
        text, *lines = str(error).split("\n")
        if not lines or _PRELUDE not in lines[0]:
            return error
        code = self.py_func.__code__
        return type(error)(f"{text.removeprefix(_APPLY)}\n"
                           f'  File "{code.co_filename}", line {code.co_firstlineno}, in '
                           f"{self.__qualname__}")

    def explain(self, *args, **kwargs):
        """What was done with each line: see `explain`."""
        return self._device_function.explain(*args, **kwargs)

    def __reduce__(self):
        from whipsnake import _pickle

        return _pickle.reduce(self)

    def _pickled_parts(self):
        return Stencil, self._given

    def __copy__(self, memo=None):
        return self

    __deepcopy__ = __copy__

    def __repr__(self):
        return f"<stencil {self.__qualname__}>"


# -- options --------------------------------------------------------------------------------------


def _parameters(func):
    kinds = inspect.signature(func).parameters.values()
    if not kinds:
        raise NumbaValueError("a stencil's kernel has at least one parameter, an array")
    for p in kinds:
        if p.kind not in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) or p.default is not p.empty:
            raise NumbaValueError("the parameters of a stencil's kernel are plain ones, without "
                                  f"defaults and stars; {p} is not")
    return [p.name for p in kinds]


def _standards(names, standard):
    """For each parameter None: it is seen from the place."""
    standard = [standard] if isinstance(standard, str) else list(standard)
    for name in standard:
        if name not in names:
            raise NumbaValueError(f"standard_indexing names {name!r}, which is no parameter of the "
                                  f"kernel: it has {', '.join(names)}")
    if names[0] in standard:
        raise NumbaValueError("the first argument of a stencil is seen from the place: "
                              f"standard_indexing cannot name {names[0]!r}")
    return tuple(1 if name in standard else None for name in names)


def _check_neighborhood(given):
    def fits(pair):
        return (isinstance(pair, (tuple, list)) and len(pair) == 2
                and all(hasattr(k, "__index__") for k in pair) and pair[0] <= pair[1])

    if not isinstance(given, (tuple, list)) or not given or not all(map(fits, given)):
        raise NumbaValueError("neighborhood is a tuple of pairs of integers, for each axis the "
                              f"least and the greatest distance, not {given!r}")
    return tuple((int(lo), int(hi)) for lo, hi in given)


# -- the kernel's subscripts ----------------------------------------------------------------------


class _Kernel:
    """What the text of a kernel says."""

    def __init__(self, func, relative):
        self.func, self.relative = func, frozenset(relative)
        self.lines, self.first = [], func.__code__.co_firstlineno
        self.node = None
        try:
            self.lines, self.first = inspect.getsourcelines(func)
            self.node = self._find(textwrap.dedent("".join(self.lines)))
        except (OSError, TypeError, SyntaxError):
            pass
        if self.node:
            self._refuse_stores()

    def _find(self, text):
        code = self.func.__code__
        at = code.co_firstlineno - self.first + 1
        kind = ast.Lambda if self.func.__name__ == "<lambda>" else ast.FunctionDef
        found = [n for n in ast.walk(ast.parse(text)) if isinstance(n, kind)
                 and min([n.lineno, *(d.lineno for d in getattr(n, "decorator_list", []))]) == at
                 and [a.arg for a in (*n.args.posonlyargs, *n.args.args)]
                 == list(code.co_varnames[:code.co_argcount])]
        return found[0] if len(found) == 1 else None

    def _subscripts(self):
        return [n for n in ast.walk(self.node) if isinstance(n, ast.Subscript)
                and isinstance(n.value, ast.Name) and n.value.id in self.relative]

    def _fail(self, node, text, hint):
        """An error that shows the place, as the compiler's do."""
        line = self.lines[node.lineno - 1].rstrip("\n")
        number = str(self.first + node.lineno - 1)
        indent = len(self.lines[0]) - len(self.lines[0].lstrip())
        end = node.end_col_offset if node.end_lineno == node.lineno else len(line) - indent
        bar = " " * (len(number) + 4) + " | "
        raise TypingError(
            f'{text}\n  File "{self.func.__code__.co_filename}", line {number}\n'
            f"    {number} | {line}\n{bar}{' ' * (indent + node.col_offset)}"
            f"{'^' * (end - node.col_offset)}\n  hint: {hint}")

    def _refuse_stores(self):
        for n in self._subscripts():
            if not isinstance(n.ctx, ast.Load):
                self._fail(n, "a stencil's kernel cannot write to the arrays that it sees from a "
                              "place", "return the number that belongs there")

    def reach(self):
        """The least and greatest distance along each axis, from subscripts that are constants."""
        if not self.node:
            raise NumbaValueError("the text of this kernel was not found, so its neighborhood has "
                                  "to be given: neighborhood=((-1, 1),)")
        reach = None
        for n in self._subscripts():
            items = n.slice.elts if isinstance(n.slice, ast.Tuple) else [n.slice]
            at = [self._constant(i) for i in items]
            if None in at:
                self._fail(items[at.index(None)], "how far this subscript goes is not known before "
                           "the stencil runs", "say it in the decorator, as the least and the "
                           "greatest distance for each axis: neighborhood=((-1, 1),)")
            reach = reach or [(0, 0)] * len(at)
            if len(reach) != len(at):
                self._fail(n, "this subscript has another number of axes than one before",
                           "all arrays that a kernel sees from a place have the same axes")
            reach = [(min(lo, k), max(hi, k)) for (lo, hi), k in zip(reach, at, strict=True)]
        if reach is None:
            raise NumbaValueError(f"{self.func.__name__}() has no subscript of a parameter: a "
                                  "stencil's kernel reads arrays at distances, as in a[-1, 0]")
        return tuple(reach)

    def _constant(self, node):
        """The integer, or None."""
        local = self.func.__code__.co_varnames
        captured = inspect.getclosurevars(self.func)
        scope = {**captured.globals, **captured.nonlocals}
        for n in ast.walk(node):
            if isinstance(n, ast.Name):
                if n.id in local or not isinstance(scope.get(n.id), int):
                    return None
            elif not isinstance(n, (ast.Constant, ast.UnaryOp, ast.BinOp, ast.operator,
                                    ast.unaryop, ast.expr_context)):
                return None
        code = compile(ast.Expression(node), "<stencil>", "eval")
        try:
            k = eval(code, {"__builtins__": {}}, scope)
        except (ArithmeticError, TypeError, ValueError):
            return None
        return int(k) if isinstance(k, int) else None
