#include "base/diag.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *cls, *text, *hint;
} rows[DIAGS] = {
#define DIAG(name, cls, text, hint) {cls, text, hint},
#include "base/diag.def"
#undef DIAG
};

/* The diagnostic being collected: made by the first note or hint, finished by diag_fail. A finished
 * one is the reason of an earlier, nested cx_run: the next one starts afresh. */
static Diag *pending(Cx *cx) {
    if (!cx->diag || cx->diag->text) cx->diag = NEW(cx, Diag);
    return cx->diag;
}

static void add_note(Cx *cx, Diag *d, Span span, const char *fmt, va_list ap) {
    DiagNote *n = NEW(cx, DiagNote), **end = &d->notes;
    *n = (DiagNote){span, cx_vprintf(cx, fmt, ap), NULL};
    while (*end) end = &(*end)->next;
    *end = n;
}

void diag_note(Cx *cx, Span span, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    add_note(cx, pending(cx), span, fmt, ap);
    va_end(ap);
}

void diag_note_late(Cx *cx, Diag *d, Span span, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    add_note(cx, d, span, fmt, ap);
    va_end(ap);
}

void diag_hint(Cx *cx, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    pending(cx)->hint = cx_vprintf(cx, fmt, ap);
    va_end(ap);
}

_Noreturn void diag_vfail(Cx *cx, Span span, DiagId id, va_list ap) {
    Diag *d = pending(cx);
    d->text = cx_vprintf(cx, rows[id].text, ap);
    d->id = id;
    d->cls = rows[id].cls;
    if (!d->hint) d->hint = rows[id].hint;
    d->span = span;
    cx_abort(cx);
}

_Noreturn void diag_fail(Cx *cx, Span span, DiagId id, ...) {
    va_list ap;
    va_start(ap, id);
    diag_vfail(cx, span, id, ap);
}

_Noreturn void diag_internal(Cx *cx, Span span, const char *file, int line, const char *text) {
    const char *base = strrchr(file, '/');
    diag_fail(cx, span, D_INTERNAL,
              cx_printf(cx, "%s (%s:%d)", text, base ? base + 1 : file, line));
}

/* Line `line` of the file, without its newline; NULL if the text does not have it. */
static const char *find_line(const SourceFile *f, uint32_t line, size_t *n) {
    if (!f->text || line < f->first_line) return NULL;
    const char *s = f->text;
    for (uint32_t i = f->first_line; i < line; i++) {
        s = strchr(s, '\n');
        if (!s) return NULL;
        s++;
    }
    *n = strcspn(s, "\n");
    return s;
}

/* Columns in characters, not bytes: carets must stand under what people see. */
static size_t count_chars(const char *s, size_t n) {
    size_t chars = 0;
    for (size_t i = 0; i < n; i++) chars += ((unsigned char)s[i] & 0xC0) != 0x80;
    return chars;
}

static void add_place(Cx *cx, Buf *out, Span span, const char *function, const char *indent) {
    if (!span.line || span.file >= cx->nfiles) return;
    const SourceFile *f = &cx->files[span.file];
    buf_printf(cx, out, "\n%sFile \"%s\", line %u", indent, f->name, span.line);
    if (function) buf_printf(cx, out, ", in %s", function);
    size_t n;
    const char *s = find_line(f, span.line, &n);
    if (!s) return;
    size_t col = span.col < n ? span.col : n;
    size_t end = span.end_line > span.line || span.end_col > n ? n : span.end_col;
    size_t before = count_chars(s, col);
    size_t wide = end > col ? count_chars(s + col, end - col) : 1;
    int digits = snprintf(NULL, 0, "%u", span.line);
    buf_printf(cx, out, "\n%s  %u | %.*s\n%s  %*s | %*s", indent, span.line, (int)n, s, indent,
               digits, "", (int)before, "");
    for (size_t i = 0; i < wide; i++) buf_add(cx, out, "^", 1);
}

const char *diag_format(Cx *cx, const Diag *d) {
    Buf out = {0};
    buf_printf(cx, &out, "%s", d->text);
    add_place(cx, &out, d->span, d->function, "  ");
    for (const DiagNote *n = d->notes; n; n = n->next) {
        buf_printf(cx, &out, "\n  %s", n->text);
        add_place(cx, &out, n->span, NULL, "    ");
    }
    if (d->hint) buf_printf(cx, &out, "\n  %s", d->hint);
    return out.at;
}
