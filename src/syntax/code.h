/* Compiling source text with Python's own compiler, and comparing code objects. */
#pragma once
#include "py/py.h"

/* builtins.compile(text, filename, "exec", flags, dont_inherit=True), kept by the compile; NULL
 * if the text is no Python. Too deep a nesting aborts. The user sees no warning of it: he saw it
 * when he compiled the file. */
PyObject *syn_compile(Cx *cx, const char *text, size_t n, const char *filename, int flags);

/* Does the program `found` (a code object, searched with all inside it) contain `code`, but for
 * its place in the file? Compared are the instructions, names, constants (recursively, by type
 * and bits) and exception table. */
bool syn_has_code(Cx *cx, PyObject *found, PyObject *code);
