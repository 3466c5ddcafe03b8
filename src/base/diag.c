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

void diag_function(Cx *cx, const char *qualname) { pending(cx)->function = qualname; }

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

/* Marks the bytes of span in `under`, which has one for each of the line's n bytes and one more. */
static void mark(char *under, size_t n, Span span) {
    size_t col = span.col < n ? span.col : n;
    size_t end = span.end_line > span.line || span.end_col > n ? n : span.end_col;
    memset(under + col, '^', end > col ? end - col : 1);
}

/* Carets stand under characters, not bytes; a tab stays a tab so that they line up. */
static void add_carets(Cx *cx, Buf *out, const char *line, size_t n, const char *under) {
    size_t last = n + 1;
    while (last && !under[last - 1]) last--;
    for (size_t i = 0; i < last; i++) {
        if (i < n && ((unsigned char)line[i] & 0xC0) == 0x80) continue;
        buf_add(cx, out, under[i] ? "^" : i < n && line[i] == '\t' ? "\t" : " ", 1);
    }
}

/* The line that `first` begins in, with carets under it and the notes that follow up to `end`. */
static void add_picture(Cx *cx, Buf *out, Span first, const DiagNote *more, const DiagNote *end,
                        const char *indent) {
    size_t n;
    const char *s = find_line(&cx->files[first.file], first.line, &n);
    if (!s) return;
    char *under = cx_alloc(cx, n + 2);
    mark(under, n, first);
    for (; more != end; more = more->next) mark(under, n, more->span);
    int digits = snprintf(NULL, 0, "%u", first.line);
    buf_printf(cx, out, "\n%s%u | %.*s\n%s%*s | ", indent, first.line, (int)n, s, indent, digits,
               "");
    add_carets(cx, out, s, n, under);
}

static bool has_place(Cx *cx, Span span) { return span.line && span.file < cx->nfiles; }

static bool is_same_line(Span a, Span b) { return a.line == b.line && a.file == b.file; }

static bool is_same_file(Cx *cx, Span a, Span b) {
    return strcmp(cx->files[a.file].name, cx->files[b.file].name) == 0;
}

/* The notes from n on that point into n's line; the line is shown once, unless it is the error's
 * own. Returns the note after them. */
static const DiagNote *add_notes(Cx *cx, Buf *out, const Diag *d, const DiagNote *n) {
    const DiagNote *end = n->next;
    bool placed = has_place(cx, n->span);
    while (placed && end && has_place(cx, end->span) && is_same_line(end->span, n->span))
        end = end->next;
    for (const DiagNote *i = n; i != end; i = i->next) buf_printf(cx, out, "\n  - %s", i->text);
    if (!placed) return end;
    bool known = has_place(cx, d->span);
    if (known && is_same_line(n->span, d->span)) return end;
    if (!known || !is_same_file(cx, n->span, d->span))
        buf_printf(cx, out, "\n    File \"%s\", line %u", cx->files[n->span.file].name,
                   n->span.line);
    add_picture(cx, out, n->span, n->next, end, "      ");
    return end;
}

const char *diag_format(Cx *cx, const Diag *d) {
    Buf out = {0};
    buf_printf(cx, &out, "%s", d->text);
    if (has_place(cx, d->span)) {
        buf_printf(cx, &out, "\n  File \"%s\", line %u", cx->files[d->span.file].name,
                   d->span.line);
        if (d->function) buf_printf(cx, &out, ", in %s", d->function);
        add_picture(cx, &out, d->span, NULL, NULL, "    ");
    }
    for (const DiagNote *n = d->notes; n;) n = add_notes(cx, &out, d, n);
    if (d->hint) buf_printf(cx, &out, "\n  hint: %s", d->hint);
    return out.at;
}

const char *diag_source(Cx *cx, Span span) {
    enum { LONGEST = 48 };
    if (!has_place(cx, span)) return NULL;
    size_t n;
    const char *s = find_line(&cx->files[span.file], span.line, &n);
    if (!s || span.col >= n) return NULL;
    bool more = span.end_line > span.line;
    size_t end = more || span.end_col > n ? n : span.end_col;
    if (end <= span.col) return NULL;
    size_t len = end - span.col;
    if (len > LONGEST) {
        more = true;
        len = LONGEST - 3;
        while (len && ((unsigned char)s[span.col + len] & 0xC0) == 0x80) len--;
    }
    return cx_printf(cx, "%.*s%s", (int)len, s + span.col, more ? "..." : "");
}
