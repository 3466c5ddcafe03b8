/* Where the source text of a Python function is, and whether it is the code that runs. */
#pragma once
#include "py/py.h"
#include "syntax/tree.h"

/* A function's own text, cut out of its file, ready to be compiled: its lines as they stand, with
 * their indentation (the text of a string must not move), below lines that make a place for it:
 *
 *     import np           Python compiles np.f() otherwise if the file imports np
 *     def _(a, b):        binds the free variables, so that they are free again
 *      class C:           for private names and super()
 *         def f(self):    <- the function's own first line: `line` in the file
 *
 * A lambda stands alone, in parentheses. */
typedef struct Source {
    PyObject *code;      /* the code object that runs; kept by the compile */
    const char *text;
    size_t size;
    uint32_t nheader;    /* lines before the function's first */
    uint32_t nwraps;     /* statements that enclose it */
    bool is_lambda;
    uint32_t line;       /* in the file, from 1 */
    uint32_t file;       /* Cx.files: the function's lines, dedented */
    int32_t shift; /* column in the file minus column here, on the first line; elsewhere 0 */
    const char *filename;
    const char *class_name; /* that private names (__x) belong to, or NULL */
    bool unlike; /* it is not the code that runs: an import hook rewrote that, for example */
    int flags; /* for compile(): the __future__ features of the file */
} Source;

/* Finds it and checks that it compiles to the very code that runs. Aborts with D_NOT_A_FUNCTION,
 * D_NO_SOURCE, D_SOURCE_CHANGED. GIL held. */
Source syn_find_source(Cx *cx, PyObject *func);

/* The tree of a function's text: an N_FUNCTION or N_LAMBDA. `qualname` is for messages. Aborts with
 * D_TOO_DEEP. GIL held; the tree holds nothing of Python. */
Node *syn_read_source(Cx *cx, const Source *source, const char *qualname);
