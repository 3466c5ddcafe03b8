/* The np.ufunc inside ours: its tables of loops, and its layout. */
#define NO_IMPORT_ARRAY
#define PY_ARRAY_UNIQUE_SYMBOL ws_numpy_api
#define PY_UFUNC_UNIQUE_SYMBOL ws_ufunc_api
#include "ufunc/ufunc.h"

#include <numpy/arrayobject.h>
#include <numpy/ufuncobject.h>
#include <string.h>

#include "base/mem.h"

int ufunc_init_numpy(void) { return _import_umath(); }

/* What the np.ufunc points to, freed with it; it keeps our texts, too. */
typedef struct Tables {
    PyObject *keep; /* owned */
    PyUFuncGenericFunction *run;
    void **data;
    char *types;
} Tables;

static const char CAPSULE[] = "whipsnake.ufunc_tables";

static void free_tables(PyObject *capsule) {
    Tables *t = PyCapsule_GetPointer(capsule, CAPSULE);
    Py_XDECREF(t->keep);
    mem_free(t);
}

/* The tables in one block, in a capsule: new, or NULL with an exception set. */
static PyObject *new_tables(const Ufunc *u, UfuncLoop *const *loops, uint32_t n, Tables **out) {
    size_t nargs = u->nin + u->nout;
    size_t size = sizeof(Tables) + n * (sizeof(PyUFuncGenericFunction) + sizeof(void *) + nargs);
    Tables *t = mem_alloc(size);
    if (!t) return PyErr_NoMemory();
    *t = (Tables){.run = (PyUFuncGenericFunction *)(t + 1)};
    t->data = (void **)(t->run + n);
    t->types = (char *)(t->data + n);
    for (size_t i = 0; i < n; i++) {
        t->run[i] = u->signature ? ufunc_run_cores : ufunc_run_rows;
        t->data[i] = loops[i];
        for (size_t k = 0; k < nargs; k++)
            t->types[i * nargs + k] = (char)disp_type_num(loops[i]->elem[k]);
    }
    PyObject *capsule = PyCapsule_New(t, CAPSULE, free_tables);
    if (!capsule) {
        mem_free(t);
        return NULL;
    }
    t->keep = Py_BuildValue("(OOO)", u->name, u->doc, u->signature ? u->signature : Py_None);
    *out = t;
    if (t->keep) return capsule;
    Py_DECREF(capsule);
    return NULL;
}

static int identity_of(const Ufunc *u) {
    if (u->identity == Py_None) return PyUFunc_None;
    return PyUnicode_Check(u->identity) ? PyUFunc_ReorderableNone : PyUFunc_IdentityValue;
}

PyObject *ufunc_build(const Ufunc *u, UfuncLoop *const *loops, uint32_t n) {
    Tables *t;
    PyObject *capsule = new_tables(u, loops, n, &t);
    if (!capsule) return NULL;
    int identity = identity_of(u);
    PyObject *inner = PyUFunc_FromFuncAndDataAndSignatureAndIdentity(
        t->run, t->data, t->types, (int)n, (int)u->nin, (int)u->nout, identity,
        PyBytes_AsString(u->name), PyBytes_AsString(u->doc), 0,
        u->signature ? PyBytes_AsString(u->signature) : NULL,
        identity == PyUFunc_IdentityValue ? u->identity : NULL);
    if (!inner) {
        Py_DECREF(capsule);
        return NULL;
    }
    ((PyUFuncObject *)inner)->obj = capsule;
    return inner;
}

UfuncCore *ufunc_cores(const Ufunc *u) {
    const PyUFuncObject *inner = (const PyUFuncObject *)u->inner;
    size_t nargs = u->nin + u->nout, ndims = 0;
    for (size_t k = 0; k < nargs; k++) ndims += (size_t)inner->core_num_dims[k];
    UfuncCore *core = mem_alloc(nargs * sizeof *core + ndims * sizeof(int));
    if (!core) {
        PyErr_NoMemory();
        return NULL;
    }
    int *dims = (int *)(core + nargs);
    for (size_t k = 0; k < nargs; k++) {
        core[k] = (UfuncCore){inner->core_num_dims[k], dims};
        memcpy(dims, inner->core_dim_ixs + inner->core_offsets[k],
               (size_t)core[k].ndim * sizeof *dims);
        dims += core[k].ndim;
    }
    return core;
}
