/* One compiled signature: the quick test of the arguments, the call, the result. */
#include "dispatch/numpy.h"

#include <string.h>

#include "base/mem.h"
#include "dispatch/function.h"
#include "runtime/runtime.h"

/* --- making ----------------------------------------------------------------------------------- */

static Arg describe_array(const Type *t) {
    enum { BOTH = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS };
    Arg a = {.how = ARG_ARRAY, .ndim = t->ndim, .strided = t->layout == 'A', .ty = t};
    a.mask = NPY_ARRAY_ALIGNED | NPY_ARRAY_WRITEABLE |
             (t->layout == 'C' ? NPY_ARRAY_C_CONTIGUOUS : BOTH);
    a.want = (t->aligned ? NPY_ARRAY_ALIGNED : 0) | (t->readonly ? 0 : NPY_ARRAY_WRITEABLE) |
             (t->layout == 'C'   ? NPY_ARRAY_C_CONTIGUOUS
              : t->layout == 'F' ? NPY_ARRAY_F_CONTIGUOUS
                                 : 0);
    a.descr = disp.descr[disp_type_num(t->elem)];
    return a;
}

static Arg describe(const Type *t, bool lasting) {
    Arg a = {.how = ARG_OTHER, .ty = t};
    if (t->kind == TY_ARRAY) a = describe_array(t);
    if (t->kind == TY_FLOAT && t->bits == 64) a.how = ARG_F64;
    if (t->kind == TY_INT && t->bits == 64 && t->is_signed) a.how = ARG_I64;
    if (t->kind == TY_BOOL) a.how = ARG_BOOL;
    if (lasting && a.how == ARG_ARRAY) a.how = ARG_OTHER; /* an owner is made there */
    a.lasting = lasting;
    return a;
}

/* Owners of the captured arrays, which last as long as the entry. */
static int init_captured(Entry *e) {
    const Unit *u = e->unit;
    if (!u->ncaptured) return 0;
    for (uint32_t i = 0; i < u->ncaptured; i++) e->nglobals += u->captured_types[i]->nparts;
    e->owners = mem_alloc(u->ncaptured * sizeof *e->owners);
    if (!e->owners) return -1;
    memset(e->owners, 0, u->ncaptured * sizeof *e->owners);
    for (uint32_t i = 0; i < u->ncaptured; i++)
        if (!PyTuple_Check(u->captured[i]) && !(e->owners[i] = mem_own_object(u->captured[i])))
            return -1;
    return 0;
}

/* Its code stays where it is: slabs of code only grow. */
static void free_unit(Unit *u) {
    for (uint32_t i = 0; i < u->nclasses; i++) Py_XDECREF(u->classes[i]);
    for (uint32_t i = 0; i < u->ncaptured; i++) Py_XDECREF(u->captured[i]);
    for (uint32_t i = 0; i < u->nseen; i++) {
        Py_DECREF(u->seen[i].home);
        Py_XDECREF(u->seen[i].key);
        Py_XDECREF(u->seen[i].value);
    }
    mem_free(u);
}

void entry_free(Entry *e) {
    guards_free(e);
    for (uint32_t i = 0; e->owners && i < e->unit->ncaptured; i++)
        mem_release_owner_held(e->owners[i]);
    mem_free(e->uncached);
    mem_free(e->owners);
    free_unit((Unit *)(uintptr_t)e->unit);
    mem_free(e);
}

Entry *entry_new(Unit *unit) {
    Entry *e = mem_alloc(sizeof *e + unit->nargs * sizeof *e->arg);
    if (!e) {
        free_unit(unit);
        return (Entry *)PyErr_NoMemory();
    }
    *e = (Entry){.unit = unit, .entry = unit->entry, .nargs = unit->nargs, .nslots = unit->nslots};
    for (uint32_t i = 0; i < unit->nargs; i++)
        e->arg[i] = describe(unit->args[i], i >= 64 || (unit->escapes >> i & 1));
    if (init_captured(e) == 0) return e;
    entry_free(e);
    return (Entry *)PyErr_NoMemory();
}

Entry *entry_new_promise(Type *const *types, uint32_t n, Type *ret) {
    Entry *e = mem_alloc(sizeof *e + n * sizeof *e->arg);
    if (!e) return (Entry *)PyErr_NoMemory();
    *e = (Entry){.nargs = n, .ret = ret};
    for (uint32_t i = 0; i < n; i++) e->arg[i] = (Arg){.ty = types[i]};
    return e;
}

bool entry_is_for(const Entry *e, Type *const *types, uint32_t n, const Type *ret) {
    if (e->nargs != n || (ret && ret != (e->unit ? e->unit->ret : e->ret))) return false;
    for (uint32_t i = 0; i < n; i++)
        if (e->arg[i].ty != types[i]) return false;
    return true;
}

/* --- arguments -------------------------------------------------------------------------------- */

/* The quick cases: 1 done, 0 try unbox.c. */
static inline int unbox_quickly(const Arg *a, PyObject *obj, uint64_t *at) {
    switch ((ArgHow)a->how) {
    case ARG_F64:
        if (Py_TYPE(obj) != &PyFloat_Type) return 0;
        *at = (union {
                  double d;
                  uint64_t u;
              }){PyFloat_AsDouble(obj)}
                  .u;
        return 1;
    case ARG_I64: {
        int overflow;
        if (Py_TYPE(obj) != &PyLong_Type) return 0;
        *at = (uint64_t)PyLong_AsLongLongAndOverflow(obj, &overflow);
        return !overflow;
    }
    case ARG_BOOL: *at = obj == Py_True; return obj == Py_True || obj == Py_False;
    case ARG_ARRAY: {
        PyArrayObject *array = (PyArrayObject *)obj;
        if (Py_TYPE(obj) != disp.array || (PyObject *)PyArray_DESCR(array) != a->descr ||
            PyArray_NDIM(array) != a->ndim || (PyArray_FLAGS(array) & a->mask) != a->want)
            return 0;
        at[0] = (uint64_t)(uintptr_t)PyArray_DATA(array);
        at[1] = 0;
        const npy_intp *shape = PyArray_DIMS(array), *strides = PyArray_STRIDES(array);
        for (int i = 0; i < a->ndim; i++) at[2 + i] = (uint64_t)shape[i];
        if (a->strided)
            for (int i = 0; i < a->ndim; i++) at[2 + a->ndim + i] = (uint64_t)strides[i];
        return 1;
    }
    case ARG_OTHER: return 0;
    }
    return 0;
}

int entry_unbox(const Entry *e, PyObject *const *args, uint64_t *slots, Made *made) {
    for (uint32_t i = 0; i < e->nargs; slots += e->arg[i++].ty->nparts) {
        const Arg *a = &e->arg[i];
        if (__builtin_expect(unbox_quickly(a, args[i], slots), 1)) continue;
        int rc = disp_unbox(a->ty, args[i], slots, a->lasting, made);
        if (rc == 1) continue;
        disp_release_made(made);
        made->owners = NULL;
        return rc;
    }
    return 1;
}

int entry_convert(const Entry *e, PyObject *const *args, uint64_t *slots, Made *made) {
    for (uint32_t i = 0; i < e->nargs; slots += e->arg[i++].ty->nparts)
        if (disp_convert(e->arg[i].ty, args[i], slots, e->arg[i].lasting, made)) {
            disp_release_made(made);
            made->owners = NULL;
            return -1;
        }
    return 0;
}

/* --- the call --------------------------------------------------------------------------------- */

/* A number that changes, as it is now. Its guard has seen the type. */
static int read_number(const Type *t, PyObject *place, uint64_t *at) {
    PyObject *value = guards_place_value(place);
    Made made = {NULL};
    int rc = value ? disp_unbox(t, value, at, false, &made) : 0;
    Py_XDECREF(value);
    if (rc == 1) return 0;
    if (rc == 0) PyErr_SetString(PyExc_RuntimeError, "a captured number has changed its type");
    return -1;
}

/* Where the captured arrays are now: they may have been resized or reshaped in place. */
static int read_array(const Type *t, PyObject *array, WsOwner *owner, uint64_t *at) {
    if (disp_typeof(array) == t) {
        disp_fill_array(t, array, owner, at);
        return 0;
    }
    if (!PyErr_Occurred())
        PyErr_Format(PyExc_TypeError, "a captured array was %s when the function was compiled",
                     t->name);
    return -1;
}

int entry_read_captured(const Entry *e, uint64_t *at) {
    const Unit *u = e->unit;
    for (uint32_t i = 0; i < u->ncaptured; at += u->captured_types[i++]->nparts) {
        const Type *t = u->captured_types[i];
        if (e->owners[i] ? read_array(t, u->captured[i], e->owners[i], at)
                         : read_number(t, u->captured[i], at))
            return -1;
    }
    return 0;
}

/* The code takes the GIL where it needs it. */
static int32_t call_without_gil(const Entry *e, WsCtx *ctx, uint64_t *slots, WsGil gil) {
    uint32_t outer = ctx->nogil;
    ctx->nogil = gil;
    int32_t rc = e->entry(ctx, slots);
    ctx->nogil = outer;
    return rc;
}

static int32_t call_entry(const Entry *e, WsCtx *ctx, uint64_t *slots) {
    if (!e->unit->nogil) return e->entry(ctx, slots);
    PyThreadState *ts = PyEval_SaveThread();
    int32_t rc = call_without_gil(e, ctx, slots, WS_GIL_RELEASED);
    PyEval_RestoreThread(ts);
    return rc;
}

static inline PyObject *box_result(const Type *t, uint64_t *slots) {
    if (t->kind == TY_FLOAT && t->bits == 64)
        return PyFloat_FromDouble((union {
                                      uint64_t u;
                                      double d;
                                  }){slots[0]}
                                      .d);
    if (t->kind == TY_NONE) return Py_NewRef(Py_None);
    return disp_box(t, slots);
}

/* What a thread's context says while code of a unit runs; and what it said before. */
typedef struct Outer {
    const Unit *unit;
    const uint64_t *globals;
    uint32_t running;
} Outer;

static inline Outer enter(const Entry *e, DispThread *t, const uint64_t *globals) {
    Outer outer = {t->ctx.unit, t->ctx.globals,
                   atomic_load_explicit(&t->running, memory_order_relaxed)};
    t->ctx.unit = e->unit;
    t->ctx.globals = globals;
    atomic_store_explicit(&t->running, 1, memory_order_relaxed);
    if (__builtin_expect(atomic_load_explicit(&disp_timer_sleeps, memory_order_relaxed), 0))
        disp_wake_timer();
    return outer;
}

static inline void leave(DispThread *t, const Outer *outer) {
    atomic_store_explicit(&t->running, outer->running, memory_order_relaxed);
    t->ctx.unit = outer->unit;
    t->ctx.globals = outer->globals;
}

/* The call itself: 0, or 1 with ctx->exc set. `globals` are this call's own: other threads may run the same code. */
static inline int32_t run(const Entry *e, DispThread *t, uint64_t *slots, const uint64_t *globals,
                          bool gil_unknown) {
    Outer outer = enter(e, t, globals);
    int32_t rc = gil_unknown ? call_without_gil(e, &t->ctx, slots, WS_GIL_UNKNOWN)
                             : call_entry(e, &t->ctx, slots);
    leave(t, &outer);
    return rc;
}

/* read_captured for entry_execute. An exception goes into the context: the state that Python has for the thread, and
 * what is set there, may end with PyGILState_Release. */
static int32_t read_captured_anyway(const Entry *e, WsCtx *ctx, uint64_t *globals) {
    PyObject *type, *value, *trace;
    PyGILState_STATE gil = PyGILState_Ensure();
    PyErr_Fetch(&type, &value, &trace); /* of whoever called */
    int32_t rc = entry_read_captured(e, globals) ? 1 : 0;
    if (rc) ctx->exc = rt_take_python(e->unit);
    PyErr_Restore(type, value, trace);
    PyGILState_Release(gil);
    return rc;
}

/* With captured values: 0, or 1 with ctx->exc set; the GIL is held: -1 with a Python exception set. */
static int32_t run_captured(const Entry *e, DispThread *t, uint64_t *slots, bool gil_unknown) {
    enum { FEW = 64 };
    uint64_t few[FEW], *globals = few;
    if (e->nglobals > FEW) globals = mem_alloc(e->nglobals * sizeof *globals);
    if (!globals) {
        t->ctx.exc = exc_no_memory();
        return 1;
    }
    int32_t rc =
        gil_unknown ? read_captured_anyway(e, &t->ctx, globals) : entry_read_captured(e, globals);
    if (rc == 0) rc = run(e, t, slots, globals, gil_unknown);
    if (globals != few) mem_free(globals);
    return rc;
}

int32_t entry_execute(const Entry *e, uint64_t *slots) {
    DispThread *t = disp_thread_anyway();
    if (!t) return -1;
    return e->nglobals ? run_captured(e, t, slots, true) : run(e, t, slots, NULL, true);
}

int32_t entry_execute_region(const Entry *e, void *body, void *head) {
    enum { NO_SITE = -1 };
    DispThread *t = disp_thread_anyway();
    if (!t) return -1;
    Outer outer = enter(e, t, NULL);
    uint32_t gil = t->ctx.nogil;
    t->ctx.nogil = WS_GIL_UNKNOWN;
    int32_t rc = ws_region(&t->ctx, NO_SITE, body, head);
    t->ctx.nogil = gil;
    leave(t, &outer);
    return rc;
}

static inline int run_slots(const Entry *e, uint64_t *slots) {
    DispThread *t = disp_thread();
    int32_t rc = -1;
    if (t) rc = e->nglobals ? run_captured(e, t, slots, false) : run(e, t, slots, NULL, false);
    if (__builtin_expect(rc > 0, 0)) disp_raise(&t->ctx);
    return rc ? -1 : 0;
}

int entry_run_slots(const Entry *e, uint64_t *slots) { return run_slots(e, slots); }

PyObject *entry_run(const Entry *e, uint64_t *slots, Made *made) {
    PyObject *result = run_slots(e, slots) ? NULL : box_result(e->unit->ret, slots);
    if (made->owners) disp_release_made(made);
    return result;
}
