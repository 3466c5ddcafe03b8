/* The context of one compile: its memory, its way out, its diagnostics.
 *
 * Every function of the compiler takes `Cx *cx` first. Memory from cx_alloc lives as long as the
 * compile and is never NULL: running out of memory, like the first error in the user's program, leaves
 * through cx_abort to the place that called cx_run. What the arena cannot free is registered with
 * cx_defer as soon as it is made. No Python frame may lie between cx_run and cx_abort: code that calls
 * back into Python looks at the result and aborts itself. */
#pragma once
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* A place in the user's source. Lines count from 1, columns are bytes from 0 as in Python's `ast`; the end
 * is exclusive. line == 0: no place. `file` is an index into Cx.files. */
typedef struct Span {
    uint32_t line, end_line;
    uint32_t col, end_col;
    uint32_t file;
} Span;

/* A source text that spans point into. */
typedef struct SourceFile {
    const char *name; /* as Python shows it in tracebacks */
    const char *text; /* UTF-8, the function's own lines (dedented), or NULL */
    uint32_t first_line; /* line number in `name` of the text's first line */
    uint32_t dedent; /* columns stripped from each line of the original */
    bool is_ours; /* of the prelude: what happens there is told of the user's call */
} SourceFile;

typedef struct Defer Defer;
typedef struct Diag Diag;

typedef struct Cx {
    Arena *arena;
    jmp_buf *on_abort;
    Defer *defers; /* run in reverse order by cx_close */
    Diag *diag; /* the error of this compile, NULL while there is none */
    SourceFile *files;
    uint32_t nfiles;
    /* A Python exception (owned) that came in between, such as KeyboardInterrupt: the compile goes on and
     * ends with it, whatever it finds. */
    void *raised;
    struct Remarks *remarks; /* base/remark.h; NULL: not asked for */
    struct StrTable *strings; /* interned names */
    uint64_t stage_ns[8]; /* wall time of each stage, see StageId in core/unit.h */
} Cx;

/* Makes *cx ready; 0, or -1 when out of memory. cx_close frees all that the compile made. */
int cx_open(Cx *cx);
void cx_close(Cx *cx);

/* Runs body(cx, arg): 0 when it came back, -1 when it left by cx_abort (cx->diag says why; NULL diag: out of
 * memory). May be nested. */
int cx_run(Cx *cx, void (*body)(Cx *, void *), void *arg);
_Noreturn void cx_abort(Cx *cx);
/* For functions without a Cx: that of the innermost cx_run of this thread, or NULL; and leaving it because
 * there is no memory (comes back if there is none). */
Cx *cx_current(void);
void cx_abort_for_memory(void);

/* n zeroed bytes until cx_close. Never NULL. */
void *cx_alloc(Cx *cx, size_t n);
#define NEW(cx, T)     ((T *)cx_alloc((cx), sizeof(T)))
#define NEWN(cx, T, n) ((T *)cx_alloc((cx), sizeof(T) * (size_t)(n)))

/* Calls destroy(p) in cx_close (at once, then aborts, when there is no memory to note it down). */
void cx_defer(Cx *cx, void (*destroy)(void *), void *p);

/* The one copy of this text in this compile: equal texts give equal pointers. */
const char *cx_intern(Cx *cx, const char *s, size_t n);
const char *cx_name(Cx *cx, const char *s); /* the same for a NUL-terminated text */

/* Formatted text in the arena. */
__attribute__((format(printf, 2, 3))) char *cx_printf(Cx *cx, const char *fmt, ...);
char *cx_vprintf(Cx *cx, const char *fmt, va_list ap);

/* Growable text in the arena. */
typedef struct Buf {
    char *at; /* NUL-terminated once anything was added */
    size_t n, cap;
} Buf;
__attribute__((format(printf, 3, 4))) void buf_printf(Cx *cx, Buf *b, const char *fmt, ...);
void buf_add(Cx *cx, Buf *b, const char *s, size_t n);

/* Adds a source file, returns its index. */
uint32_t cx_add_file(Cx *cx, SourceFile f);
