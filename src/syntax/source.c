/* From a function object to its text.
 *
 * 1. linecache gives the lines of the file (of our own we read them).
 * 2. A def is cut out by indentation from the code object's first line; a lambda is looked for
 *    on that line, first the last one before the position of its body's code, then the others.
 * 3. The text is put under a header that binds what it needs and compiled by Python itself; the
 *    code object found in it must equal the one that runs. (Not for the prelude, which is ours:
 *    compiling it twice would be a third of its cost.)
 * 4. It does not: the file was edited after its import (refused), or an import hook rewrote the
 *    code (accepted: the source is what the programmer means, as with assertions that pytest
 *    rewrites). */
#include "syntax/source.h"

#include <ctype.h>
#include <string.h>

#include "base/diag.h"
#include "syntax/code.h"
#include "syntax/lines.h"
#include "syntax/scan.h"

enum { FUTURE_FLAGS = 0x1fe0000 }; /* co_flags that compile() takes: the __future__ features */
enum { LAMBDA_TRIES = 64 };

typedef struct Finder {
    Cx *cx;
    bool is_prelude; /* our own file, which nobody edits while it runs */
    Source *out;
    Lines lines;
    const char *qualname;
    Scan scan;
    const char *header;
} Finder;

static _Noreturn void fail_no_source(Finder *f) {
    diag_fail(f->cx, (Span){0}, D_NO_SOURCE,
              cx_printf(f->cx, "'%s' (defined in %s)", f->qualname, f->out->filename));
}

/* Called where the text at hand is not the code that runs. */
static void judge_mismatch(Finder *f) {
    f->out->unlike = true;
    if (f->lines.imported || f->lines.reread)
        diag_fail(f->cx, (Span){0}, D_SOURCE_CHANGED, cx_printf(f->cx, "'%s'", f->qualname));
}

/* --- the header ------------------------------------------------------------------------------- */

/* "Outer.f" and "g.<locals>.C.f" are written in a class: its name, else NULL. */
static const char *find_class(Cx *cx, const char *qualname) {
    const char *end = strrchr(qualname, '.');
    if (!end) return NULL;
    const char *start = end;
    while (start > qualname && start[-1] != '.') start--;
    bool is_name = *start != '<' && start != end;
    return is_name ? cx_intern(cx, start, (size_t)(end - start)) : NULL;
}

static bool is_identifier(const char *s) {
    for (const char *c = s; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_' && (unsigned char)*c < 0x80) return false;
    return *s && !isdigit((unsigned char)*s) && strcmp(s, "__class__") != 0;
}

/* The parameter list that binds the free variables; NULL if there are none. */
static const char *list_free_names(Finder *f) {
    PyObject *names = py_attr(f->cx, f->out->code, "co_freevars");
    Py_ssize_t n = names ? PyTuple_Size(names) : 0;
    Buf b = {0};
    for (Py_ssize_t i = 0; i < n; i++) {
        const char *name = py_text(f->cx, PyTuple_GetItem(names, i), NULL);
        if (name && is_identifier(name)) buf_printf(f->cx, &b, "%s%s", b.n ? ", " : "", name);
    }
    return b.at;
}

static const char *make_header(Finder *f, bool is_indented, const char *imports) {
    Source *out = f->out;
    const char *names = list_free_names(f);
    Buf b = {0};
    if (imports) buf_printf(f->cx, &b, "import %s\n", imports);
    if (names) buf_printf(f->cx, &b, "def _(%s):\n", names);
    if (out->class_name) buf_printf(f->cx, &b, "%sclass %s:\n", names ? " " : "", out->class_name);
    out->nwraps = (names != NULL) + (out->class_name != NULL);
    if (!out->nwraps && is_indented) {
        buf_printf(f->cx, &b, "if 1:\n");
        out->nwraps = 1;
    }
    out->nheader = out->nwraps + (imports != NULL);
    return b.n ? b.at : "";
}

/* --- the lines for messages ------------------------------------------------------------------- */

static size_t count_blank(const char *s, size_t n) {
    size_t i = 0;
    while (i < n && (s[i] == ' ' || s[i] == '\t')) i++;
    return i;
}

/* Adds the lines text[0..n) to Cx.files, without the blanks that all of them start with. */
static uint32_t add_file(Finder *f, const char *text, size_t n) {
    size_t dedent = SIZE_MAX;
    Buf b = {0};
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < n;) {
            const char *end = memchr(text + i, '\n', n - i);
            size_t len = end ? (size_t)(end - text) - i : n - i, blank = count_blank(text + i, len);
            bool is_empty = blank == len || text[i + blank] == '\r';
            if (!pass && !is_empty && blank < dedent) dedent = blank;
            size_t skip = is_empty && blank < dedent ? blank : dedent;
            if (pass) buf_printf(f->cx, &b, "%.*s\n", (int)(len - skip), text + i + skip);
            i += len + 1;
        }
    SourceFile file = {.name = f->out->filename,
                       .text = b.at,
                       .first_line = f->out->line,
                       .dedent = b.n ? (uint32_t)dedent : 0};
    return cx_add_file(f->cx, file);
}

/* --- def -------------------------------------------------------------------------------------- */

static void set_text(Finder *f, const char *header, const char *text, size_t n) {
    Buf b = {0};
    buf_add(f->cx, &b, header, strlen(header));
    buf_add(f->cx, &b, text, n);
    f->out->text = b.at;
    f->out->size = b.n;
}

static bool is_running_code(Finder *f) {
    Source *out = f->out;
    PyObject *program = syn_compile(f->cx, out->text, out->size, out->filename, out->flags);
    return program && syn_has_code(f->cx, program, out->code);
}

static void find_def(Finder *f) {
    size_t n = scan_def(&f->scan);
    if (!n) {
        judge_mismatch(f);
        fail_no_source(f);
    }
    const char *text = f->scan.text.at, *imports = NULL;
    bool is_indented = isspace((unsigned char)text[0]), matches = f->is_prelude;
    if (f->is_prelude)
        set_text(f, make_header(f, is_indented, NULL), text, n);
    else
        imports = syn_list_imports(f->cx, f->lines.list, text, n);
    for (int tries = 0; tries < 2 && !matches; tries++) { /* imports may be misread: then without */
        set_text(f, make_header(f, is_indented, imports), text, n);
        matches = is_running_code(f);
        if (!imports) break;
        imports = NULL;
    }
    if (!matches) judge_mismatch(f);
    f->out->file = add_file(f, text, n);
}

/* --- lambda ----------------------------------------------------------------------------------- */

/* Where the code of the body stands: its first column on the first line (SIZE_MAX: not there),
 * its last line. */
static void locate_body(Finder *f, size_t *column, uint32_t *last_line) {
    *column = SIZE_MAX;
    *last_line = f->out->line;
    PyObject *method = py_attr(f->cx, f->out->code, "co_positions");
    PyObject *iter = method ? py_keep(f->cx, PyObject_CallObject(method, NULL)) : NULL;
    PyObject *list = iter ? py_keep(f->cx, PySequence_List(iter)) : NULL;
    Py_ssize_t n = list ? PyList_Size(list) : 0;
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *entry = PyList_GetItem(list, i);
        long at[4];
        for (int k = 0; k < 4; k++) {
            PyObject *number = PyTuple_GetItem(entry, k);
            at[k] = PyLong_Check(number) ? PyLong_AsLong(number) : -1;
        }
        if (at[3] <= 0) continue; /* 0 to 0: belongs to no expression */
        if ((uint32_t)at[0] == f->out->line && (size_t)at[2] < *column) *column = (size_t)at[2];
        if (at[1] > (long)*last_line) *last_line = (uint32_t)at[1];
    }
}

/* Position of the newline that ends the n-th line from here. */
static size_t find_newline(Scan *s, uint32_t n) {
    size_t i = 0;
    for (int c; (c = scan_at(s, i)); i++)
        if (c == '\n' && n-- == 0) break;
    return i;
}

/* Tries the lambda that starts at `at`: true if it is the one. Otherwise, if it is a lambda at
 * all and none was before, it stays in f->out for want of a better one. */
static bool try_lambda(Finder *f, size_t at, size_t from, int *tries) {
    Source before = *f->out;
    const char *open = f->out->class_name && f->out->nwraps == 2 ? "  ("
                       : f->out->nwraps                          ? " ("
                                                                 : "(";
    for (bool last = false; !last && *tries < LAMBDA_TRIES; ++*tries) {
        size_t end = scan_lambda(&f->scan, at, from, &last);
        const char *text =
            cx_printf(f->cx, "%s%.*s\n)\n", open, (int)(end - at), f->scan.text.at + at);
        set_text(f, f->header, text, strlen(text));
        f->out->shift = (int32_t)at - (int32_t)strlen(open);
        from = end;
        PyObject *program =
            syn_compile(f->cx, f->out->text, f->out->size, f->out->filename, f->out->flags);
        if (!program) continue;
        if (syn_has_code(f->cx, program, f->out->code)) return true;
        if (!before.text) before = *f->out;
    }
    *f->out = before;
    return false;
}

static bool is_lambda_at(Scan *s, size_t i) {
    static const char word[] = "lambda";
    for (size_t k = 0; word[k]; k++)
        if (scan_at(s, i + k) != word[k]) return false;
    int before = i ? scan_at(s, i - 1) : ' ', after = scan_at(s, i + 6);
    return !isalnum(before) && before != '_' && !isalnum(after) && after != '_';
}

/* What the lambda may mention, wherever it ends. */
static const char *list_imports_of_line(Finder *f) {
    return syn_list_imports(f->cx, f->lines.list, f->scan.text.at, f->scan.text.n);
}

static void find_lambda(Finder *f) {
    size_t column;
    uint32_t last_line;
    locate_body(f, &column, &last_line);
    size_t line_end = find_newline(&f->scan, 0), from = 0;
    if (last_line > f->out->line) from = find_newline(&f->scan, last_line - f->out->line) - 1;
    f->header = make_header(f, false, list_imports_of_line(f));
    size_t start = column < line_end ? column : line_end;
    bool found = false;
    int tries = 0;
    for (size_t i = start + 1; i-- > 0 && !found;)
        if (is_lambda_at(&f->scan, i)) found = try_lambda(f, i, from, &tries);
    for (size_t i = start + 1; i < line_end && !found; i++)
        if (is_lambda_at(&f->scan, i)) found = try_lambda(f, i, from, &tries);
    if (!found) judge_mismatch(f);
    if (!f->out->text) fail_no_source(f);
    uint32_t nlines = 0;
    for (size_t i = 0; i < f->out->size; i++) nlines += f->out->text[i] == '\n';
    size_t end = find_newline(&f->scan, nlines - f->out->nheader - 2);
    f->out->file = add_file(f, f->scan.text.at, end);
}

/* --- all -------------------------------------------------------------------------------------- */

static bool is_prelude(Cx *cx, PyObject *globals) {
    static const char package[] = "whipsnake.prelude.";
    const char *name = py_text(cx, py_get_item(globals, "__name__"), NULL);
    return name && strncmp(name, package, sizeof package - 1) == 0;
}

static const char *text_or(const char *s, const char *other) { return s ? s : other; }

Source syn_find_source(Cx *cx, PyObject *func) {
    Source out = {.code = py_attr(cx, func, "__code__")};
    PyObject *globals = py_attr(cx, func, "__globals__");
    if (!py_is_a(func, "function") || !out.code || !globals)
        diag_fail(cx, (Span){0}, D_NOT_A_FUNCTION,
                  cx_printf(cx, "a '%s' object", py_class_name(cx, func)));
    PyObject *file = py_attr(cx, out.code, "co_filename");
    out.filename = text_or(py_text(cx, file, NULL), "?");
    out.line = (uint32_t)py_int_attr(cx, out.code, "co_firstlineno", 1);
    out.flags = (int)(py_int_attr(cx, out.code, "co_flags", 0) & FUTURE_FLAGS);
    const char *qualname = text_or(py_text_attr(cx, out.code, "co_qualname"), "?");
    out.class_name = find_class(cx, qualname);
    out.is_lambda = strcmp(text_or(py_text_attr(cx, out.code, "co_name"), ""), "<lambda>") == 0;
    Finder f = {.cx = cx, .is_prelude = is_prelude(cx, globals), .out = &out, .qualname = qualname};
    if (f.is_prelude) f.lines.list = syn_prelude_lines(cx, file);
    if (!f.lines.list) f.lines = syn_find_lines(cx, file, globals);
    if (!f.lines.list || !out.line) fail_no_source(&f);
    if ((Py_ssize_t)out.line > PyList_Size(f.lines.list)) {
        judge_mismatch(&f);
        fail_no_source(&f);
    }
    scan_open(cx, &f.scan, f.lines.list, out.line - 1);
    if (out.is_lambda)
        find_lambda(&f);
    else
        find_def(&f);
    return out;
}
