/* Exception values: built without the GIL, counted, turned into Python objects only when they
 * leave. */
#include <Python.h>

#include <stddef.h>
#include <string.h>

#include "base/mem.h"
#include "core/ctx.h"
#include "core/exceptions.h"
#include "core/unit.h"
#include "core/values.h"

PyObject *(*exc_to_python)(ExcObj *e);
int (*exc_unbox)(const Type *t, PyObject *obj, uint64_t *slots);

/* What is raised when there is no memory for an exception: never freed, its trace is nobody's. */
static ExcObj no_memory = {.refs = 1, .cls = EXC_MemoryError};

PyObject *exc_class(const Unit *unit, uint32_t cls) {
    static PyObject **const builtin[] = {
#define EXCEPTION(name, base) &PyExc_##name,
#include "core/exceptions.def"
#undef EXCEPTION
    };
    return cls < EXC_USER ? *builtin[cls] : unit->classes[cls - EXC_USER];
}

ExcObj *exc_new(const Unit *unit, uint32_t cls, const Site *site, uint32_t nslots) {
    ExcObj *e = mem_alloc(sizeof *e + nslots * sizeof(uint64_t));
    if (!e) return exc_no_memory();
    memset(e, 0, offsetof(ExcObj, trace)); /* the trace fills up as it goes */
    memset(e->slots, 0, nslots * sizeof(uint64_t));
    atomic_init(&e->refs, 1);
    e->unit = unit;
    e->cls = cls;
    e->site = site;
    return e;
}

ExcObj *exc_no_memory(void) {
    atomic_fetch_add(&no_memory.refs, 1);
    return &no_memory;
}

ExcObj *exc_no_memory_borrowed(void) { return &no_memory; }

void exc_retain(ExcObj *e) {
    if (e) atomic_fetch_add_explicit(&e->refs, 1, memory_order_relaxed);
}

static void release_arguments(const ExcObj *e) {
    if (!e->site || e->message) return;
    const uint64_t *at = e->slots;
    for (uint32_t i = 0; i < e->site->nargs; at += e->site->arg_types[i++]->nparts)
        val_release(e->site->arg_types[i], at);
}

static void free_one(ExcObj *e) {
    if (e->object) {
        PyGILState_STATE gil = PyGILState_Ensure();
        Py_DECREF(e->object);
        PyGILState_Release(gil);
    }
    release_arguments(e);
    mem_free(e->message);
    exc_release(e->cause);
    exc_release(e->context);
    mem_free(e);
}

/* One after the other: exceptions lead to others through cause, context and arguments, and a long chain must not eat
 * the stack. */
void exc_release(ExcObj *e) {
    static _Thread_local ExcObj *waiting;
    static _Thread_local bool at_work;
    if (!e || atomic_fetch_sub_explicit(&e->refs, 1, memory_order_acq_rel) != 1) return;
    e->next = waiting;
    waiting = e;
    if (at_work) return; /* by the caller further up */
    at_work = true;
    while (waiting) {
        ExcObj *dead = waiting;
        waiting = dead->next;
        free_one(dead);
    }
    at_work = false;
}

void exc_trace(ExcObj *e, const Site *site) {
    enum { ALL = sizeof e->trace / sizeof *e->trace, INNER = ALL / 2 };
    /* Cleanup that passes the exception on has no line of its own. */
    if (e == &no_memory || site->line == 0) return;
    if (e->ntrace < ALL) {
        e->trace[e->ntrace] = site;
    } else {
        memmove(&e->trace[INNER], &e->trace[INNER + 1], (ALL - INNER - 1) * sizeof *e->trace);
        e->trace[ALL - 1] = site;
    }
    e->ntrace++;
}
