#include "base/cx.h"

#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"

struct Defer {
    Defer *next;
    void (*destroy)(void *);
    void *p;
};

/* Interned strings: chained by hash. */
typedef struct Str Str;
struct Str {
    Str *next;
    uint64_t hash;
    size_t n;
    char text[];
};

struct StrTable {
    Str *bucket[512];
};

int cx_open(Cx *cx) {
    *cx = (Cx){0};
    cx->arena = arena_new();
    if (!cx->arena) return -1;
    cx->strings = arena_alloc(cx->arena, sizeof *cx->strings);
    if (cx->strings) return 0;
    arena_free(cx->arena);
    return -1;
}

void cx_close(Cx *cx) {
    for (Defer *d = cx->defers; d; d = d->next) d->destroy(d->p);
    arena_free(cx->arena);
    *cx = (Cx){0};
}

static _Thread_local Cx *running; /* in this thread */

int cx_run(Cx *cx, void (*body)(Cx *, void *), void *arg) {
    jmp_buf here, *outer = cx->on_abort;
    Cx *outer_cx = running;
    int rc = 0;
    running = cx;
    cx->on_abort = &here;
    if (setjmp(here) == 0)
        body(cx, arg);
    else
        rc = -1;
    cx->on_abort = outer;
    running = outer_cx;
    return rc;
}

_Noreturn void cx_abort(Cx *cx) { longjmp(*cx->on_abort, 1); }

/* A diagnostic that was being put together would be taken for the reason. */
static _Noreturn void out_of_memory(Cx *cx) {
    cx->diag = NULL;
    cx_abort(cx);
}

void cx_abort_for_memory(void) {
    if (running) out_of_memory(running);
}

Cx *cx_current(void) { return running; }

void *cx_alloc(Cx *cx, size_t n) {
    void *p = arena_alloc(cx->arena, n);
    if (!p) out_of_memory(cx);
    return p;
}

void cx_defer(Cx *cx, void (*destroy)(void *), void *p) {
    Defer *d = arena_alloc(cx->arena, sizeof *d);
    if (!d) {
        destroy(p);
        out_of_memory(cx);
    }
    *d = (Defer){cx->defers, destroy, p};
    cx->defers = d;
}

static uint64_t hash_text(const char *s, size_t n) {
    uint64_t h = 0xcbf29ce484222325u; /* FNV-1a */
    for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)s[i]) * 0x100000001b3u;
    return h;
}

const char *cx_intern(Cx *cx, const char *s, size_t n) {
    uint64_t h = hash_text(s, n);
    Str **slot = &cx->strings->bucket[h % 512];
    for (Str *t = *slot; t; t = t->next)
        if (t->hash == h && t->n == n && memcmp(t->text, s, n) == 0) return t->text;
    Str *t = cx_alloc(cx, sizeof *t + n + 1);
    t->next = *slot;
    t->hash = h;
    t->n = n;
    memcpy(t->text, s, n);
    *slot = t;
    return t->text;
}

const char *cx_name(Cx *cx, const char *s) { return cx_intern(cx, s, strlen(s)); }

char *cx_vprintf(Cx *cx, const char *fmt, va_list ap) {
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    char *s = cx_alloc(cx, (size_t)n + 1);
    vsnprintf(s, (size_t)n + 1, fmt, again);
    va_end(again);
    return s;
}

char *cx_printf(Cx *cx, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    char *s = cx_vprintf(cx, fmt, ap);
    va_end(ap);
    return s;
}

void buf_add(Cx *cx, Buf *b, const char *s, size_t n) {
    if (b->cap - b->n < n + 1) {
        size_t cap = (b->cap + n + 1) * 2;
        char *at = cx_alloc(cx, cap);
        if (b->n) memcpy(at, b->at, b->n);
        b->at = at;
        b->cap = cap;
    }
    memcpy(b->at + b->n, s, n);
    b->n += n;
    b->at[b->n] = 0;
}

void buf_printf(Cx *cx, Buf *b, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    char *s = cx_vprintf(cx, fmt, ap);
    va_end(ap);
    buf_add(cx, b, s, strlen(s));
}

uint32_t cx_add_file(Cx *cx, SourceFile f) {
    SourceFile *files = NEWN(cx, SourceFile, cx->nfiles + 1);
    if (cx->nfiles) memcpy(files, cx->files, cx->nfiles * sizeof f);
    files[cx->nfiles] = f;
    cx->files = files;
    return cx->nfiles++;
}

void *vec_reserve(Cx *cx, void *at, uint32_t n, uint32_t *cap, uint32_t more, size_t size) {
    if (n + more <= *cap) return at;
    uint32_t want = *cap ? *cap * 2 : 4;
    if (want < n + more) want = n + more;
    void *p = cx_alloc(cx, want * size);
    if (n) memcpy(p, at, n * size);
    *cap = want;
    return p;
}
