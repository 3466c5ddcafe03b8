"""Code objects that stand for places in compiled functions, for tracebacks."""

import _ast


def site_code(filename, name, qualname, line, end_line, col, end_col):
    """A code object that does nothing but `raise e` at the given place, under the function's name.
    Lines count from 1; columns are bytes from 0, the end exclusive."""
    place = {"lineno": line, "end_lineno": end_line or line, "col_offset": col,
             "end_col_offset": end_col}
    name_node = _ast.Name(id="e", ctx=_ast.Load(), **place)
    tree = _ast.Module(body=[_ast.Raise(exc=name_node, cause=None, **place)], type_ignores=[])
    code = compile(tree, filename, "exec", dont_inherit=True)
    return code.replace(co_name=name, co_qualname=qualname)
