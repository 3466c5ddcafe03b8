/* The lines of the file (or cell, or string) that a function was written in. */
#pragma once
#include "py/py.h"

typedef struct Lines {
    PyObject *list; /* of str; NULL: there are none */
    bool reread;    /* linecache had an older version of the file */
    bool imported;  /* the module was loaded from this very file, by Python's own loader */
} Lines;

/* Never fails. name: the file's, a str; globals: the function's, for loaders that keep the
 * source (zip files). */
Lines syn_find_lines(Cx *cx, PyObject *name, PyObject *globals);

/* The lines of one of our own files, which nobody edits while it runs: read once, without linecache, whose
 * answers other threads disturb. Borrowed; NULL: it cannot be read. */
PyObject *syn_prelude_lines(Cx *cx, PyObject *name);

/* The names that import statements at the top level of the file bind and `text` (n bytes)
 * mentions: "np, math"; NULL if there are none. A rough reading of the lines: what comes of it
 * is checked. */
const char *syn_list_imports(Cx *cx, PyObject *list, const char *text, size_t n);
