/* What goes wrong in the user's program, said so that a Python programmer understands it.
 *
 * A diagnostic is a row of diag.def with its text filled in, the place, notes with places of their own (where
 * a type came from), and a hint. diag_fail leaves through cx_abort; the caller of cx_run raises it. */
#pragma once
#include "base/cx.h"

typedef enum DiagId {
#define DIAG(name, cls, text, hint) D_##name,
#include "base/diag.def"
#undef DIAG
    DIAGS
} DiagId;

typedef struct DiagNote {
    Span span; /* line 0: no place, only the text */
    const char *text;
    struct DiagNote *next;
} DiagNote;

struct Diag {
    DiagId id;
    const char *cls;  /* "TypingError", "UnsupportedError", "NameError" ... */
    const char *text; /* one line, no full stop */
    const char *hint; /* what would work, or NULL */
    Span span;
    const char *function; /* qualname the span lies in, or NULL */
    DiagNote *notes;
};

/* Notes are collected and belong to the next diag_fail. Arguments fill the row's text. */
__attribute__((format(printf, 3, 4))) void diag_note(Cx *cx, Span span, const char *fmt, ...);
/* A note more for an error that is already on its way. */
__attribute__((format(printf, 4, 5))) void diag_note_late(Cx *cx, Diag *d, Span span,
                                                          const char *fmt, ...);
/* A hint for the next diag_fail in place of the row's own. */
__attribute__((format(printf, 2, 3))) void diag_hint(Cx *cx, const char *fmt, ...);
/* The qualname of the function that the place of the next diag_fail lies in. */
void diag_function(Cx *cx, const char *qualname);
_Noreturn void diag_fail(Cx *cx, Span span, DiagId id, ...);
_Noreturn void diag_vfail(Cx *cx, Span span, DiagId id, va_list ap);
/* A broken invariant of ours: an InternalError that asks for a report, with the C place. */
_Noreturn void diag_internal(Cx *cx, Span span, const char *file, int line, const char *text);
#define INTERNAL(cx, span, text) diag_internal((cx), (span), __FILE__, __LINE__, (text))

/* The source text that span covers, as far as it lies in one line and in a few dozen characters
 * ("..." says that there is more); NULL: not known. */
const char *diag_source(Cx *cx, Span span);

/* The whole message as the user sees it, in the arena:
 *
 *   <text>
 *     File "prog.py", line 12, in f
 *       12 |     y = a + n
 *          |         ^^^^^
 *     - <note>
 *     - <another note that points into the same line>
 *         10 | def f(a, n):
 *            |       ^  ^
 *     hint: <what would work>
 */
const char *diag_format(Cx *cx, const Diag *d);
