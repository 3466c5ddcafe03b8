/* Exceptions on their way out of compiled code. */
#include <Python.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/exceptions.h"
#include "core/memory.h"
#include "core/unit.h"
#include "core/values.h"
#include "runtime/runtime.h"

const Site *rt_find_site(const WsCtx *ctx, int32_t site) {
    const Unit *u = ctx->unit;
    return u && site >= 0 && (uint32_t)site < u->nsites ? &u->sites[site] : NULL;
}

/* Takes e and sends it off from the site. */
static void leave(WsCtx *ctx, int32_t site, ExcObj *e) {
    const Site *s = rt_find_site(ctx, site);
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

enum {
#define CHECK(name, cls, text) CHECK_##name,
#include "ir/checks.def"
#undef CHECK
};

static const struct {
    const char *cls, *text;
} checks[] = {
#define CHECK(name, cls, text) {cls, text},
#include "ir/checks.def"
#undef CHECK
};

/* The text is written when somebody reads it: often the exception is caught. */
static void leave_with_check(WsCtx *ctx, int32_t site, uint32_t cls, const char *text,
                             const int64_t operands[3]) {
    ExcObj *e = exc_new(ctx->unit, cls, NULL, 0);
    if (e != exc_no_memory_borrowed()) {
        e->check = text;
        memcpy(e->operands, operands, sizeof e->operands);
    }
    leave(ctx, site, e);
}

/* One comparison tells whether a float fits; why it does not is found out here. */
static int32_t why_not_int(double d) {
    return isnan(d) ? CHECK_NAN_TO_INT : isinf(d) ? CHECK_INF_TO_INT : CHECK_FLOAT_TO_INT;
}

void ws_raise_check(WsCtx *ctx, int32_t site, int32_t kind, int64_t a, int64_t b) {
    double d;
    memcpy(&d, &a, sizeof d);
    if (kind == CHECK_FLOAT_TO_INT) kind = why_not_int(d);
    int cls = exc_find_class(checks[kind].cls);
    leave_with_check(ctx, site, (uint32_t)cls, checks[kind].text, (int64_t[]){a, b, 0});
}

void ws_raise_index(WsCtx *ctx, int32_t site, int64_t i, int64_t n, int32_t axis) {
    leave_with_check(ctx, site, EXC_IndexError,
                     "index %d is out of bounds for axis %d with size %d", (int64_t[]){i, axis, n});
}

void ws_raise(WsCtx *ctx, int32_t site, ExcObj *exc) { leave(ctx, site, exc); }

Status ws_exc_raise(WsCtx *ctx, int32_t site, ExcObj *exc) {
    exc_retain(exc);
    leave(ctx, site, exc);
    return 1;
}

void ws_exc_trace(WsCtx *ctx, int32_t site, ExcObj *exc) {
    const Site *s = rt_find_site(ctx, site);
    if (s) exc_trace(exc, s);
}

void ws_trace(WsCtx *ctx, int32_t site) {
    const Site *s = rt_find_site(ctx, site);
    if (s && ctx->exc) exc_trace(ctx->exc, s);
}

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

ExcObj *rt_exception_of(const Unit *unit, PyObject *value) {
    ExcObj *e = exc_new(unit, nearest_class((PyObject *)Py_TYPE(value)), NULL, 0);
    if (e != exc_no_memory_borrowed()) e->object = Py_NewRef(value);
    return e;
}

ExcObj *rt_take_python(const Unit *unit) {
    PyObject *type, *value, *tb;
    PyErr_Fetch(&type, &value, &tb);
    PyErr_NormalizeException(&type, &value, &tb);
    if (tb) PyException_SetTraceback(value, tb);
    ExcObj *e = value ? rt_exception_of(unit, value) : exc_no_memory();
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(tb);
    return e;
}

void rt_raise_python(WsCtx *ctx, int32_t site) { leave(ctx, site, rt_take_python(ctx->unit)); }

struct WsOwner *ws_alloc(WsCtx *ctx, int32_t site, int64_t bytes) {
    WsOwner *o = mem_new_owner(bytes);
    if (!o)
        rt_raise(ctx, site, EXC_MemoryError, "Unable to allocate %lld bytes for an array",
                 (long long)bytes);
    return o;
}

void ws_retain(WsOwner *o) { mem_retain_owner(o); }
void ws_release(WsOwner *o) { mem_release_owner(o); }
