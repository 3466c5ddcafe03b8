/* Exceptions as values: made, matched, chained, looked into. */
#include <Python.h>

#include <string.h>

#include "core/exceptions.h"
#include "core/memory.h"
#include "core/unit.h"
#include "core/values.h"
#include "runtime/runtime.h"

ExcObj *ws_exc_make(WsCtx *ctx, int32_t site, int32_t cls, const uint64_t *slots) {
    const Site *s = rt_find_site(ctx, site);
    uint32_t n = 0;
    for (uint32_t i = 0; s && i < s->nargs; i++) n += s->arg_types[i]->nparts;
    ExcObj *e = exc_new(ctx->unit, (uint32_t)cls, s, n);
    if (e == exc_no_memory_borrowed()) {
        ws_raise(ctx, site, e);
        return NULL;
    }
    if (n) memcpy(e->slots, slots, n * sizeof *slots);
    for (uint32_t i = 0, at = 0; s && i < s->nargs; at += s->arg_types[i++]->nparts)
        val_retain(s->arg_types[i], e->slots + at);
    return e;
}

void ws_exc_retain(ExcObj *e) { exc_retain(e); }
void ws_exc_release(ExcObj *e) { exc_release(e); }

bool ws_exc_is(ExcObj *a, ExcObj *b) { return a == b; }

/* --- classes ---------------------------------------------------------------------------------- */

/* Is our class `cls`, or one it is derived from, `wanted`. */
static bool is_derived(uint32_t cls, uint32_t wanted) {
    while (cls != wanted && cls != EXC_BaseException) cls = (uint32_t)exc_classes[cls].base;
    return cls == wanted;
}

ExcObj *ws_exc_same(ExcObj *e) {
    exc_retain(e);
    return e;
}

/* OSError(errno, text) chooses one of its subclasses when it is made. */
static bool chooses_class(const ExcObj *e) {
    return e->cls == EXC_OSError && e->site && e->site->nargs > 1;
}

/* Its class in Python: new. GIL held; leaves no exception. */
static PyObject *class_of(ExcObj *e) {
    if (!e->object && chooses_class(e)) {
        Py_XDECREF(exc_to_python(e));
        PyErr_Clear();
    }
    return Py_NewRef(e->object ? (PyObject *)Py_TYPE(e->object) : exc_class(e->unit, e->cls));
}

bool ws_exc_match(WsCtx *ctx, int32_t site, ExcObj *e, int32_t cls) {
    (void)site;
    uint32_t wanted = (uint32_t)cls;
    if (!e) return false;
    bool ours = e->cls < EXC_USER && wanted < EXC_USER && !e->object && !chooses_class(e);
    if (ours) return is_derived(e->cls, wanted);
    if (!e->object && e->cls == wanted && e->unit == ctx->unit) return true;
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *actual = class_of(e);
    bool yes = PyErr_GivenExceptionMatches(actual, exc_class(ctx->unit, wanted));
    Py_DECREF(actual);
    PyGILState_Release(gil);
    return yes;
}

bool ws_exc_class_is(WsCtx *ctx, int32_t site, ExcObj *e, int32_t cls) {
    (void)site;
    uint32_t wanted = (uint32_t)cls;
    if (e->cls < EXC_USER && wanted < EXC_USER && !e->object && !chooses_class(e))
        return e->cls == wanted;
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *actual = class_of(e);
    bool yes = actual == exc_class(ctx->unit, wanted);
    Py_DECREF(actual);
    PyGILState_Release(gil);
    return yes;
}

bool ws_exc_same_class(WsCtx *ctx, int32_t site, ExcObj *a, ExcObj *b) {
    (void)ctx, (void)site;
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *first = class_of(a), *second = class_of(b);
    bool yes = first == second;
    Py_DECREF(first);
    Py_DECREF(second);
    PyGILState_Release(gil);
    return yes;
}

/* --- what is being handled -------------------------------------------------------------------- */

ExcObj *ws_exc_enter(WsCtx *ctx, int32_t site, ExcObj *e) {
    (void)site;
    ExcObj *before = ctx->handled;
    exc_retain(e);
    ctx->handled = e;
    return before;
}

void ws_exc_leave(WsCtx *ctx, int32_t site, ExcObj *before) {
    (void)site;
    ExcObj *e = ctx->handled;
    exc_retain(before);
    ctx->handled = before;
    exc_release(e);
}

/* Python's own, where the `except` is in Python: new, or NULL. */
static ExcObj *handled_in_python(const WsCtx *ctx) {
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *value = PyErr_GetHandledException();
    ExcObj *e = value && value != Py_None ? rt_exception_of(ctx->unit, value) : NULL;
    Py_XDECREF(value);
    PyGILState_Release(gil);
    return e;
}

Status ws_exc_handled(WsCtx *ctx, int32_t site, ExcObj **out) {
    exc_retain(ctx->handled);
    *out = ctx->handled ? ctx->handled : handled_in_python(ctx);
    if (*out) return 0;
    rt_raise(ctx, site, EXC_RuntimeError, "No active exception to reraise");
    return 1;
}

/* --- chains ----------------------------------------------------------------------------------- */

void ws_exc_set_cause(ExcObj *e, ExcObj *cause) {
    if (e == exc_no_memory_borrowed()) return;
    exc_retain(cause);
    exc_release(e->cause);
    e->cause = cause;
    e->suppress_context = true;
}

/* Contexts form a chain without a ring. What has more links than anybody reads is left as it is. */
enum { LINKS = 1000 };

/* Is x in the chain that begins with e? */
static bool is_linked(const ExcObj *e, const ExcObj *x) {
    for (int n = 0; e && n < LINKS; e = e->context, n++)
        if (e == x) return true;
    return e != NULL;
}

/* Takes x, and what follows, off the chain that begins with e. */
static void unlink_from(ExcObj *e, const ExcObj *x) {
    for (int n = 0; e->context && n < LINKS; e = e->context, n++) {
        if (e->context != x) continue;
        ExcObj *rest = e->context;
        e->context = NULL;
        exc_release(rest);
        return;
    }
}

/* The last link of e's chain; NULL: it leads to the chain of `other` already, or is too long. */
static ExcObj *end_apart(ExcObj *e, const ExcObj *other) {
    for (int n = 0; n < LINKS; e = e->context, n++) {
        if (is_linked(other, e)) return NULL;
        if (!e->context) return e;
    }
    return NULL;
}

void ws_exc_set_context(ExcObj *e, ExcObj *handled, bool anew) {
    const ExcObj *fixed = exc_no_memory_borrowed();
    if (!handled || e == handled || e == fixed || handled == fixed) return;
    if (!anew && is_linked(e, handled)) return;
    unlink_from(handled, e);
    ExcObj *at = anew ? e : end_apart(e, handled);
    if (!at || at == fixed) return;
    exc_retain(handled);
    exc_release(at->context);
    at->context = handled;
}

ExcObj *ws_exc_get_cause(ExcObj *e) {
    exc_retain(e->cause);
    return e->cause;
}

ExcObj *ws_exc_get_context(ExcObj *e) {
    exc_retain(e->context);
    return e->context;
}

/* --- text and arguments ----------------------------------------------------------------------- */

PyObject *rt_exc_facet(ExcObj *e, int facet) {
    if (facet == EXC_ITS_CLASS) return class_of(e);
    PyObject *obj = exc_to_python(e), *args = NULL;
    if (facet == EXC_ITSELF || !obj) return obj;
    args = PyObject_GetAttrString(obj, "args");
    Py_DECREF(obj);
    return args;
}

static PyObject *text_of(PyObject *obj, int32_t conversion) {
    if (conversion == 'r') return PyObject_Repr(obj);
    return conversion == 'a' ? PyObject_ASCII(obj) : PyObject_Str(obj);
}

/* Takes text (NULL: an exception is set). GIL held. */
static Status give_text(WsCtx *ctx, int32_t site, PyObject *text, StrSlots *out) {
    Status rc = 1;
    if (text)
        rc = rt_take_str(ctx, site, text, out);
    else
        rt_raise_python(ctx, site);
    Py_XDECREF(text);
    return rc;
}

/* What it says is up to its class: Python is asked. */
Status ws_exc_text(WsCtx *ctx, int32_t site, ExcObj *e, int32_t conversion, StrSlots *out) {
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *obj = rt_exc_facet(e, conversion >> 8);
    Status rc = give_text(ctx, site, obj ? text_of(obj, conversion & 0xff) : NULL, out);
    Py_XDECREF(obj);
    PyGILState_Release(gil);
    return rc;
}

Status ws_exc_class_name(WsCtx *ctx, int32_t site, ExcObj *e, int32_t which, StrSlots *out) {
    static const char *const names[] = {"__name__", "__qualname__", "__module__"};
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *cls = class_of(e);
    Status rc = give_text(ctx, site, PyObject_GetAttrString(cls, names[which]), out);
    Py_DECREF(cls);
    PyGILState_Release(gil);
    return rc;
}

Status ws_exc_count(WsCtx *ctx, int32_t site, ExcObj *e, int64_t *out) {
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *args = rt_exc_facet(e, EXC_ITS_ARGS);
    *out = args ? PyTuple_Size(args) : -1;
    if (*out < 0) rt_raise_python(ctx, site);
    Py_XDECREF(args);
    PyGILState_Release(gil);
    return *out < 0;
}

static bool has_types(const Site *made, const Type *tuple) {
    if ((made ? made->nargs : 0) != tuple->nitems) return false;
    for (uint32_t i = 0; i < tuple->nitems; i++)
        if (made->arg_types[i] != tuple->items[i]) return false;
    return true;
}

/* The one argument of an exception that a check has raised. */
static int take_message(WsCtx *ctx, int32_t site, const char *message, uint64_t *out) {
    StrSlots text;
    PyGILState_STATE gil = PyGILState_Ensure();
    Status rc = give_text(ctx, site, PyUnicode_FromString(message), &text);
    PyGILState_Release(gil);
    if (rc == 0) memcpy(out, &text, sizeof text);
    return rc;
}

/* What exc_unbox says of all of them; the slots own nothing unless it is 1. */
static int unbox_all(PyObject *args, const Type *want, uint64_t *out) {
    if (!PyTuple_Check(args) || PyTuple_Size(args) != (Py_ssize_t)want->nitems) return 0;
    uint64_t *at = out;
    uint32_t n = 0;
    int rc = 1;
    for (; n < want->nitems && rc == 1; n++) {
        rc = exc_unbox(want->items[n], PyTuple_GetItem(args, n), at);
        if (rc == 1) at += want->items[n]->nparts;
    }
    if (rc == 1) return 1;
    at = out;
    for (uint32_t i = 0; i + 1 < n; at += want->items[i++]->nparts) val_release(want->items[i], at);
    return rc;
}

/* Those of an exception that came from Python: as give_args. */
static int take_args(WsCtx *ctx, int32_t site, const ExcObj *e, const Type *want, uint64_t *out) {
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *args = PyObject_GetAttrString(e->object, "args");
    int rc = args ? unbox_all(args, want, out) : -1;
    if (rc < 0) rt_raise_python(ctx, site);
    Py_XDECREF(args);
    PyGILState_Release(gil);
    return rc == 1 ? 0 : rc == 0 ? -1 : 1;
}

/* The arguments in the slots: 0, or 1 with an exception set, if they are of these types; else -1. */
static int give_args(WsCtx *ctx, int32_t site, ExcObj *e, const Type *want, uint64_t *out) {
    char line[EXC_LINE];
    const char *message = exc_text(e, line);
    if (message && message[0]) {
        bool fits = want->nitems == 1 && want->items[0]->kind == TY_STR;
        return fits ? take_message(ctx, site, message, out) : -1;
    }
    if (message) return want->nitems ? -1 : 0;
    if (e->object && !e->site) return take_args(ctx, site, e, want, out);
    if (!has_types(e->site, want)) return -1;
    if (want->nparts) memcpy(out, e->slots, want->nparts * sizeof *out);
    val_retain(want, out);
    return 0;
}

Status ws_exc_args(WsCtx *ctx, int32_t site, ExcObj *e, uint64_t *out) {
    const Type *want = rt_find_site(ctx, site)->arg_types[0];
    int rc = give_args(ctx, site, e, want, out);
    if (rc < 0)
        rt_raise(ctx, site, EXC_TypeError, "the arguments of this %s have other types than %s",
                 e->cls < EXC_USER ? exc_classes[e->cls].name : "exception", want->name);
    return rc != 0;
}

Status ws_exc_args_if(WsCtx *ctx, int32_t site, ExcObj *e, uint64_t *out) {
    const Type *want = rt_find_site(ctx, site)->arg_types[0];
    memset(out, 0, want->nparts * sizeof *out);
    int rc = give_args(ctx, site, e, want->of, out + 1);
    out[0] = rc == 0;
    return rc > 0;
}
