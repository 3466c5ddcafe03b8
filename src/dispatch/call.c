/* A call of a compiled function from Python.
 *
 *   1. The signature of the last call: its quick tests unbox as they go. Nearly all
 *      calls end here.
 *   2. Bind keywords and defaults; try every other signature.
 *   3. Find the types: convert to an explicit signature that fits, or compile a new one. */
#include "dispatch/function.h"

#include <stdarg.h>

#include "py/abi.h"
#include "py/py.h"

enum { SMALL = 40 };           /* slots on the stack */

typedef enum Outcome { NO_MATCH, DONE } Outcome;

/* Who runs the entry: entry_run, or a launch. */
typedef struct Runner {
    EntryRunner *run; /* NULL: entry_run */
    void *arg;
} Runner;

static PyObject *run_with(const Runner *r, const Entry *e, uint64_t *slots, Made *made) {
    return r->run ? r->run(e, slots, made, r->arg) : entry_run(e, slots, made);
}

/* Runs e if the arguments are of its types (convert: fit them). DONE: *result is the result, or NULL. */
static Outcome run_entry(const Runner *r, const Entry *e, PyObject *const *args, bool convert,
                         PyObject **result) {
    *result = NULL;
    uint64_t small[SMALL];
    uint64_t *slots = e->nslots <= SMALL ? small : PyMem_Malloc(e->nslots * sizeof *slots);
    Made made = {NULL};
    if (!slots) {
        PyErr_NoMemory();
        return DONE;
    }
    int rc = convert ? (entry_convert(e, args, slots, &made) ? -1 : 1)
                     : entry_unbox(e, args, slots, &made);
    if (rc == 1) *result = run_with(r, e, slots, &made);
    if (slots != small) PyMem_Free(slots);
    return rc == 0 ? NO_MATCH : DONE;
}

static Outcome try_entry(const Runner *r, Entry *e, PyObject *const *args, PyObject **result) {
    *result = NULL;
    return e->unit && guards_hold(e) ? run_entry(r, e, args, false, result) : NO_MATCH;
}

/* A helper written in Python: whipsnake._function.<name>(...). Its result, or NULL. */
static PyObject *ask_python(const char *name, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    PyObject *f = py_import_attr("whipsnake._function", name);
    PyObject *args = f ? Py_VaBuildValue(format, ap) : NULL;
    PyObject *result = args ? PyObject_CallObject(f, args) : NULL;
    Py_XDECREF(args);
    Py_XDECREF(f);
    va_end(ap);
    return result;
}

/* Sets the exception that a helper made (takes it; NULL: one is set already). */
static void set_exception(PyObject *exc) {
    if (exc) PyErr_SetObject((PyObject *)Py_TYPE(exc), exc);
    Py_XDECREF(exc);
}

/* The exception that is set, told with the parameter's name and place. */
static void name_argument(const Dispatcher *d, uint32_t i) {
    PyObject *type, *value, *tb;
    PyErr_Fetch(&type, &value, &tb);
    PyErr_NormalizeException(&type, &value, &tb);
    set_exception(
        ask_python("argument_error", "(OOO)", d->func, PyTuple_GetItem(d->names, i), value));
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(tb);
}

static int find_types(const Dispatcher *d, PyObject *const *args, Type **types) {
    for (uint32_t i = 0; i < d->nparams; i++) {
        types[i] = disp_typeof(args[i]);
        if (types[i]) continue;
        name_argument(d, i);
        return -1;
    }
    return 0;
}

/* How well the types fit an entry: the worst of the arguments first, then how many are exact. 0:
 * not at all. */
static unsigned fit_entry(const Entry *e, Type *const *types) {
    unsigned worst = FIT_EXACT, total = 0;
    for (uint32_t i = 0; i < e->nargs; i++) {
        unsigned fit = ty_fit(types[i], e->arg[i].ty);
        if (fit == FIT_NONE) return 0;
        if (fit < worst) worst = fit;
        total += fit;
    }
    return (worst << 16) + total + 1;
}

/* The best fit; of equal ones the first, unless its guards fail. */
static Entry *best_entry(const Dispatcher *d, Type *const *types) {
    Entry *best = NULL;
    unsigned most = 0;
    for (Entry *e = d->entries; e; e = e->next) {
        unsigned fit = fit_entry(e, types);
        if (fit > most || (best && fit == most && !guards_hold(best))) {
            most = fit;
            best = e;
        }
    }
    return best;
}

static void no_signature(const Dispatcher *d, Type *const *types) {
    PyObject *list = PyList_New(0);
    for (uint32_t i = 0; list && i < d->nparams; i++) {
        PyObject *t = disp_type_object(types[i]);
        if (!t || PyList_Append(list, t)) Py_CLEAR(list);
        Py_XDECREF(t);
    }
    if (list)
        set_exception(ask_python("no_signature_error", "(OO)", (PyObject *)(uintptr_t)d, list));
    Py_XDECREF(list);
}

/* The entry for exactly these types: promised, made by another thread meanwhile, or new. */
static Entry *exact_entry(Dispatcher *d, Type **types) {
    for (Entry *e = d->entries; e; e = e->next)
        if (entry_is_for(e, types, d->nparams, NULL) && (!e->unit || guards_hold(e))) return e;
    return function_compile(d, types, d->nparams, NULL);
}

static Entry *find_entry(Dispatcher *d, Type **types) {
    Entry *e = d->frozen ? best_entry(d, types) : exact_entry(d, types);
    if (!e && d->frozen) no_signature(d, types);
    if (e) e = function_settle(d, e);
    if (!e || !d->frozen || guards_hold(e)) return e;
    /* a global has changed: the same signature once more */
    return function_compile(d, e->unit->args, e->nargs, e->unit->ret);
}

/* No compiled signature has exactly these types. */
static PyObject *call_new_types(const Runner *r, Dispatcher *d, PyObject *const *args,
                                Type **types) {
    PyObject *result = NULL;
    if (find_types(d, args, types)) return NULL;
    int turn = turn_take(d);
    Entry *e = turn < 0 ? NULL : find_entry(d, types);
    turn_give(d, turn > 0);
    if (!e) return NULL;
    if (d->has_kwargs)
        return PyErr_Format(PyExc_TypeError, "compiled functions cannot take **keywords");
    if (!d->frozen) d->last = e;
    /* Another thread may have changed a global since the compile read it: this call began before that. */
    if (run_entry(r, e, args, d->frozen, &result) == NO_MATCH)
        PyErr_SetString(PyExc_SystemError, "the arguments changed their types during the call");
    return result;
}

static PyObject *call_bound(const Runner *r, Dispatcher *d, PyObject *const *args, Type **types) {
    PyObject *result;
    for (Entry *e = d->entries; e; e = e->next)
        if (try_entry(r, e, args, &result) == DONE) {
            d->last = e;
            return result;
        }
    return call_new_types(r, d, args, types);
}

static __attribute__((noinline)) PyObject *
call_slowly(const Runner *r, Dispatcher *d, PyObject *const *args, size_t n, PyObject *kwnames) {
    enum { FEW = 24 };
    PyObject *few[FEW], **bound = few, *extra = NULL, *result = NULL;
    Type *few_types[FEW], **types = few_types;
    if (d->nparams > FEW) {
        bound = PyMem_Malloc(d->nparams * (sizeof *bound + sizeof *types));
        if (!bound) return PyErr_NoMemory();
        types = (Type **)(bound + d->nparams);
    }
    if (bind_arguments(d, args, n, kwnames, bound, &extra) == 0)
        result = call_bound(r, d, bound, types);
    Py_XDECREF(extra);
    if (bound != few) PyMem_Free(bound);
    return result;
}

PyObject *function_call(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames) {
    Dispatcher *d = (Dispatcher *)self;
    size_t n = nargsf & ~VECTORCALL_OFFSET;
    Entry *e = d->last;
    if (__builtin_expect(e && !kwnames && n == d->direct && e->nslots <= SMALL, 1)) {
        uint64_t slots[SMALL];
        Made made = {NULL};
        int rc = !guards_hold(e) ? 0 : entry_unbox(e, args, slots, &made);
        if (__builtin_expect(rc == 1, 1)) return entry_run(e, slots, &made);
        if (rc < 0) return NULL;
    }
    static const Runner plainly = {NULL, NULL};
    return call_slowly(&plainly, d, args, n, kwnames);
}

PyObject *function_call_with(PyObject *self, PyObject *const *args, size_t n, PyObject *kwnames,
                             EntryRunner *run, void *arg) {
    Dispatcher *d = (Dispatcher *)self;
    Runner r = {run, arg};
    PyObject *result;
    if (d->last && !kwnames && n == d->direct && try_entry(&r, d->last, args, &result) == DONE)
        return result;
    return call_slowly(&r, d, args, n, kwnames);
}
