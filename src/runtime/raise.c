/* Exceptions on their way out of compiled code. */
#include <Python.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/exceptions.h"
#include "core/memory.h"
#include "core/unit.h"
#include "core/values.h"
#include "runtime/runtime.h"

static const Site *find_site(const WsCtx *ctx, int32_t site) {
    const Unit *u = ctx->unit;
    return u && site >= 0 && (uint32_t)site < u->nsites ? &u->sites[site] : NULL;
}

/* Takes e and sends it off from the site. */
static void leave(WsCtx *ctx, int32_t site, ExcObj *e) {
    const Site *s = find_site(ctx, site);
    if (s) exc_trace(e, s);
    exc_release(ctx->exc);
    ctx->exc = e;
}

/* An exception with a finished text (takes it; NULL: there was no memory for it). */
static void leave_with_text(WsCtx *ctx, int32_t site, uint32_t cls, char *text) {
    ExcObj *e = text ? exc_new(ctx->unit, cls, NULL, 0) : exc_no_memory();
    if (e != exc_no_memory_borrowed())
        e->message = text;
    else
        mem_free(text);
    leave(ctx, site, e);
}

static char *format_text(const char *fmt, va_list ap) {
    char line[512];
    int n = vsnprintf(line, sizeof line, fmt, ap);
    if (n < 0) return NULL;
    if ((size_t)n >= sizeof line) n = (int)sizeof line - 1;
    char *text = mem_alloc((size_t)n + 1);
    return text ? memcpy(text, line, (size_t)n + 1) : NULL;
}

void rt_raise(WsCtx *ctx, int32_t site, uint32_t cls, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    char *text = format_text(fmt, ap);
    va_end(ap);
    leave_with_text(ctx, site, cls, text);
}

static const struct {
    const char *cls, *text;
} checks[] = {
#define CHECK(name, cls, text) {cls, text},
#include "ir/checks.def"
#undef CHECK
};

/* The text with its %d and %g filled in from the operands in turn. */
static char *fill_check(const char *text, const int64_t *operand) {
    char line[256];
    size_t n = 0;
    for (const char *s = text; *s && n + 32 < sizeof line; s++) {
        if (s[0] == '%' && s[1] == 'd') {
            n += (size_t)snprintf(line + n, sizeof line - n, "%lld", (long long)*operand++);
            s++;
        } else if (s[0] == '%' && s[1] == 'g') {
            double d;
            memcpy(&d, operand++, sizeof d);
            n += (size_t)snprintf(line + n, sizeof line - n, "%g", d);
            s++;
        } else {
            line[n++] = *s;
        }
    }
    line[n] = 0;
    char *copy = mem_alloc(n + 1);
    return copy ? memcpy(copy, line, n + 1) : NULL;
}

void ws_raise_check(WsCtx *ctx, int32_t site, int32_t kind, int64_t a, int64_t b) {
    int cls = exc_find_class(checks[kind].cls);
    leave_with_text(ctx, site, (uint32_t)cls, fill_check(checks[kind].text, (int64_t[]){a, b}));
}

void ws_raise_index(WsCtx *ctx, int32_t site, int64_t i, int64_t n, int32_t axis) {
    rt_raise(ctx, site, EXC_IndexError, "index %lld is out of bounds for axis %d with size %lld",
             (long long)i, axis, (long long)n);
}

void ws_raise(WsCtx *ctx, int32_t site, ExcObj *exc) { leave(ctx, site, exc); }

void ws_trace(WsCtx *ctx, int32_t site) {
    const Site *s = find_site(ctx, site);
    if (s && ctx->exc) exc_trace(ctx->exc, s);
}

ExcObj *ws_exc_make(WsCtx *ctx, int32_t site, int32_t cls, const uint64_t *slots) {
    const Site *s = find_site(ctx, site);
    uint32_t n = 0;
    for (uint32_t i = 0; s && i < s->nargs; i++) n += s->arg_types[i]->nparts;
    ExcObj *e = exc_new(ctx->unit, (uint32_t)cls, s, n);
    if (e == exc_no_memory_borrowed()) {
        leave(ctx, site, e);
        return NULL;
    }
    if (n) memcpy(e->slots, slots, n * sizeof *slots);
    for (uint32_t i = 0, at = 0; s && i < s->nargs; at += s->arg_types[i++]->nparts)
        val_retain(s->arg_types[i], e->slots + at);
    return e;
}

void ws_exc_retain(ExcObj *e) { exc_retain(e); }
void ws_exc_release(ExcObj *e) { exc_release(e); }

/* Which of our numbers comes nearest to the class of a Python exception. */
static uint32_t nearest_class(PyObject *type) {
    uint32_t best = EXC_BaseException;
    for (uint32_t i = 0; i < EXC_CLASSES; i++) {
        if (!PyErr_GivenExceptionMatches(type, exc_class(NULL, i))) continue;
        uint32_t up = i;
        while (up != best && up != EXC_BaseException) up = (uint32_t)exc_classes[up].base;
        if (up == best) best = i;
    }
    return best;
}

void rt_raise_python(WsCtx *ctx, int32_t site) {
    PyObject *type, *value, *tb;
    PyErr_Fetch(&type, &value, &tb);
    PyErr_NormalizeException(&type, &value, &tb);
    if (tb) PyException_SetTraceback(value, tb);
    ExcObj *e = exc_new(ctx->unit, nearest_class(type), NULL, 0);
    if (e != exc_no_memory_borrowed()) e->object = Py_NewRef(value);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(tb);
    leave(ctx, site, e);
}

/* Is our class `cls`, or one it is derived from, `wanted`. */
static bool is_derived(uint32_t cls, uint32_t wanted) {
    while (cls != wanted && cls != EXC_BaseException) cls = (uint32_t)exc_classes[cls].base;
    return cls == wanted;
}

bool ws_exc_match(WsCtx *ctx, int32_t site, ExcObj *e, int32_t cls) {
    (void)site;
    uint32_t wanted = (uint32_t)cls;
    if (e->cls < EXC_USER && wanted < EXC_USER) return is_derived(e->cls, wanted);
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *actual = e->object ? e->object : exc_class(e->unit, e->cls);
    bool yes = PyErr_GivenExceptionMatches(actual, exc_class(ctx->unit, wanted));
    PyGILState_Release(gil);
    return yes;
}

void ws_exc_set_cause(ExcObj *e, ExcObj *cause) {
    if (e == cause || e == exc_no_memory_borrowed()) return;
    exc_retain(cause);
    exc_release(e->cause);
    e->cause = cause;
    e->suppress_context = true;
}

void ws_exc_set_context(ExcObj *e, ExcObj *context) {
    if (e == context || e == exc_no_memory_borrowed()) return;
    for (ExcObj *c = context; c; c = c->context)
        if (c->context == e) return; /* it would become a ring */
    exc_retain(context);
    exc_release(e->context);
    e->context = context;
}

struct WsOwner *ws_alloc(WsCtx *ctx, int32_t site, int64_t bytes) {
    WsOwner *o = mem_new_owner(bytes);
    if (!o)
        rt_raise(ctx, site, EXC_MemoryError, "Unable to allocate %lld bytes for an array",
                 (long long)bytes);
    return o;
}

void ws_retain(WsOwner *o) { mem_retain_owner(o); }
void ws_release(WsOwner *o) { mem_release_owner(o); }
