/* A scanner that knows just enough of Python's lexical rules to cut a function out of a file:
 * strings (f-strings with what they contain), comments, brackets, continued lines. What it cuts
 * is judged by Python's parser. */
#pragma once
#include <stddef.h>

#include "base/cx.h"

typedef struct _object PyObject;

/* Text that grows by whole lines as the scanner asks for more. */
typedef struct Scan {
    Cx *cx;
    PyObject *lines; /* list of str, borrowed */
    size_t next, nlines; /* next line to append */
    Buf text;
} Scan;

/* From line `first` (0-based) of `lines`. */
void scan_open(Cx *cx, Scan *s, PyObject *lines, size_t first);
/* The character at i; 0 behind the last line. */
int scan_at(Scan *s, size_t i);

/* The text starts with a decorator or `def`: where the function's last line ends (after its
 * newline); 0 if this is no def. */
size_t scan_def(Scan *s);

/* `at` is the `l` of a lambda. Where it can end: the first candidate behind `from` (0: any). A
 * candidate is an end of line outside brackets of the lambda's own, or what must end it (*last
 * is then true). */
size_t scan_lambda(Scan *s, size_t at, size_t from, bool *last);
