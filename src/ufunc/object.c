/* The class of ufuncs. A call with numbers runs the function itself; a call with arrays of the types
 * that it had last goes to the np.ufunc at once; all others are looked at in Python. */
#define NO_IMPORT_ARRAY
#define PY_ARRAY_UNIQUE_SYMBOL ws_numpy_api
#include "ufunc/ufunc.h"

#include <numpy/arrayobject.h>
#include <stddef.h>
#include <string.h>
#include <structmember.h>

#include "base/mem.h"
#include "dispatch/in_python.h"
#include "py/abi.h"
#include "py/py.h"

#define MODULE "whipsnake._ufunc"

static Ufunc *self_of(PyObject *self) { return (Ufunc *)self; }

/* --- calls ------------------------------------------------------------------------------------ */

static bool is_number(PyObject *obj) {
    PyTypeObject *cls = Py_TYPE(obj);
    return cls == &PyFloat_Type || cls == &PyLong_Type || cls == &PyBool_Type ||
           cls == &PyComplex_Type || PyArray_IsScalar(obj, Generic);
}

/* The NumPy scalar of a result in slots. */
static PyObject *box_scalar(const Type *t, uint64_t *slots) {
    PyArray_Descr *descr = (PyArray_Descr *)disp.descr[disp_type_num(t)];
    if (t->kind == TY_COMPLEX && t->bits == 64) slots[0] = slots[0] << 32 >> 32 | slots[1] << 32;
    return PyArray_Scalar(slots, descr, NULL);
}

/* The function itself on numbers of exactly the types of a compiled signature: 1 and the result (NULL:
 * exception set); 0: there is none. */
static int call_with_numbers(Ufunc *u, PyObject *const *args, PyObject **result) {
    enum { SLOTS = 2 * UFUNC_MAX_ARGS };
    uint64_t slots[SLOTS];
    for (uint32_t i = 0; i < u->nin; i++)
        if (!is_number(args[i])) return 0;
    for (const Entry *e = u->scalar->entries; e; e = e->next) {
        Made made = {NULL};
        if (!e->unit || e->nslots > SLOTS || (e->nguards && !guards_hold(e))) continue;
        int rc = entry_unbox(e, args, slots, &made);
        if (rc < 0) return *result = NULL, 1;
        if (rc == 0) continue;
        *result = entry_run_slots(e, slots) ? NULL : box_scalar(e->unit->ret, slots);
        disp_release_made(&made);
        return 1;
    }
    return 0;
}

/* Of the type that the argument had last time, when NumPy found the loop for it by itself? Of several
 * loops the fitting one comes first (see _ufunc.py), but a number may fit more than one. */
static bool is_like_last(const Ufunc *u, const UfuncLoop *last, uint32_t i, PyObject *arg) {
    const Type *elem = last->elem[i];
    bool is_array = Py_TYPE(arg) == disp.array;
    if (u->nloops > 1 && (!is_array || !PyArray_NDIM((PyArrayObject *)arg))) return false;
    if (!is_array) return disp_typeof(arg) == elem;
    return (PyObject *)PyArray_DESCR((PyArrayObject *)arg) == disp.descr[disp_type_num(elem)];
}

/* Does an output begin where an input does? (All arguments are plain arrays.) NumPy copies what overlaps, but takes
 * one array as input and output for safe, as it is element by element. */
static bool has_output_on_input(const Ufunc *u, PyObject *const *args, size_t n) {
    for (size_t k = u->nin; k < n; k++)
        for (uint32_t i = 0; i < u->nin; i++)
            if (Py_TYPE(args[i]) == disp.array &&
                PyArray_DATA((PyArrayObject *)args[i]) == PyArray_DATA((PyArrayObject *)args[k]))
                return true;
    return false;
}

/* Arguments that NumPy can have at once: plain arrays and numbers, not numbers alone, of signatures that are
 * there. */
static bool is_plain_call(const Ufunc *u, PyObject *const *args, size_t n) {
    const UfuncLoop *last = u->last;
    if (n < u->nin || n > u->nin + u->nout || !(u->frozen || last)) return false;
    bool any_array = false;
    for (uint32_t i = 0; i < n; i++) {
        bool is_array = Py_TYPE(args[i]) == disp.array;
        any_array |= is_array;
        if (!is_array && (i >= u->nin || !is_number(args[i]))) return false;
        if (last && !u->frozen && i < u->nin && !is_like_last(u, last, i, args[i])) return false;
    }
    if (u->signature && has_output_on_input(u, args, n)) return false;
    return any_array && (u->frozen || !u->signature || n == u->nin + u->nout);
}

/* Guards run Python, which may add a loop: the list may be another one after each. */
static void refresh(Ufunc *u) {
    for (uint32_t i = 0; i < u->nloops; i++) ufunc_refresh(u->loops[i]);
}

/* whipsnake._ufunc.call(u, args, kwargs). */
static PyObject *call_in_python(PyObject *self, PyObject *const *args, size_t n,
                                PyObject *kwnames) {
    PyObject *tuple = PyTuple_New((Py_ssize_t)n), *dict = PyDict_New(), *result = NULL;
    Py_ssize_t nkw = kwnames ? PyTuple_Size(kwnames) : 0;
    bool good = tuple && dict;
    for (size_t i = 0; tuple && i < n; i++)
        PyTuple_SetItem(tuple, (Py_ssize_t)i, Py_NewRef(args[i]));
    for (Py_ssize_t i = 0; good && i < nkw; i++)
        good = !PyDict_SetItem(dict, PyTuple_GetItem(kwnames, i), args[(Py_ssize_t)n + i]);
    PyObject *f = good ? py_import_attr(MODULE, "call") : NULL;
    if (f) result = PyObject_CallFunctionObjArgs(f, self, tuple, dict, NULL);
    Py_XDECREF(f);
    Py_XDECREF(tuple);
    Py_XDECREF(dict);
    return result;
}

static PyObject *call(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames) {
    Ufunc *u = self_of(self);
    size_t n = nargsf & ~VECTORCALL_OFFSET;
    PyObject *result;
    if (kwnames) return call_in_python(self, args, n, kwnames);
    if (n == u->nin && !u->signature && call_with_numbers(u, args, &result)) return result;
    if (!is_plain_call(u, args, n)) return call_in_python(self, args, n, NULL);
    refresh(u);
    PyObject *inner = Py_NewRef(u->inner); /* another thread may add a signature meanwhile */
    result = ufunc_call_numpy(inner, args, n, NULL);
    Py_DECREF(inner);
    return result;
}

/* _run(name, args, kwargs): the np.ufunc's method of that name, "__call__" too. */
static PyObject *run(PyObject *self, PyObject *args) {
    Ufunc *u = self_of(self);
    PyObject *name, *positional, *keywords;
    if (!PyArg_ParseTuple(args, "UO!O!", &name, &PyTuple_Type, &positional, &PyDict_Type,
                          &keywords))
        return NULL;
    refresh(u);
    PyObject *method = PyObject_GetAttr(u->inner, name);
    PyObject *result = method ? ufunc_call_numpy_with(method, positional, keywords) : NULL;
    Py_XDECREF(method);
    return result;
}

/* --- loops ------------------------------------------------------------------------------------ */

/* u's loops and l, before the one number `at`: new memory, or NULL. */
static UfuncLoop **loops_with(const Ufunc *u, UfuncLoop *l, uint32_t at) {
    UfuncLoop **loops = mem_alloc((u->nloops + 1) * sizeof *loops);
    for (uint32_t i = 0; loops && i < u->nloops; i++) loops[i + (i >= at)] = u->loops[i];
    if (loops) loops[at] = l;
    return loops;
}

/* 1; 0: u has other loops than the `known` first ones by now (they only get more); -1 with an exception set. */
static int insert(Ufunc *u, UfuncLoop *l, uint32_t at, uint32_t known) {
    if (u->nloops != known) return 0;
    UfuncLoop **loops = loops_with(u, l, at);
    if (!loops) return PyErr_NoMemory(), -1;
    PyObject *inner = ufunc_build(u, loops, known + 1);
    if (!inner || u->nloops != known) { /* another thread had the GIL meanwhile */
        mem_free(loops);
        Py_XDECREF(inner);
        return inner ? 0 : -1;
    }
    UfuncLoop **loops_before = u->loops;
    PyObject *inner_before = u->inner;
    u->loops = loops;
    u->nloops = known + 1;
    u->inner = inner;
    mem_free(loops_before);
    Py_DECREF(inner_before);
    return 1;
}

/* _add(known, at, elems, codes): a loop for these element types, tried before the loop number `at` of the `known` that
 * there are. False: there are others by now. codes: see ufunc_new_loop. */
static PyObject *add(PyObject *self, PyObject *args) {
    Ufunc *u = self_of(self);
    unsigned known, at;
    PyObject *elems, *codes;
    if (!PyArg_ParseTuple(args, "IIO!O!", &known, &at, &PyTuple_Type, &elems, &PyTuple_Type,
                          &codes))
        return NULL;
    if (PyTuple_Size(elems) != (Py_ssize_t)u->nin + u->nout || PyTuple_Size(codes) != 2 ||
        at > known)
        return PyErr_Format(PyExc_ValueError, "a loop has %u types and two codes",
                            u->nin + u->nout);
    UfuncCore *core = NULL;
    if (u->signature && !(core = ufunc_cores(u))) return NULL;
    UfuncLoop *l = ufunc_new_loop(codes, elems, u->nin, core);
    int rc = l ? insert(u, l, at, known) : -1;
    if (l && rc != 1) ufunc_free_loop(l);
    return rc < 0 ? NULL : PyBool_FromLong(rc);
}

static bool is_of_types(const UfuncLoop *l, PyObject *elems) {
    uint32_t n = l->nin + l->nout;
    bool same = PyTuple_Size(elems) == (Py_ssize_t)n;
    for (uint32_t k = 0; same && k < n; k++)
        same = disp_as_type(PyTuple_GetItem(elems, k)) == l->elem[k];
    return same;
}

/* _remember(elems): arguments of exactly the types of that loop came last; None: others did. */
static PyObject *remember(PyObject *self, PyObject *elems) {
    Ufunc *u = self_of(self);
    u->last = NULL;
    for (uint32_t i = 0; PyTuple_Check(elems) && i < u->nloops; i++)
        if (is_of_types(u->loops[i], elems)) u->last = u->loops[i];
    Py_RETURN_NONE;
}

/* _loops(): the element types of each. */
static PyObject *list_loops(PyObject *self, PyObject *unused) {
    (void)unused;
    Ufunc *u = self_of(self);
    PyObject *list = PyList_New(0);
    for (uint32_t i = 0; list && i < u->nloops; i++) {
        PyObject *types = PyTuple_New((Py_ssize_t)u->nin + u->nout);
        for (uint32_t k = 0; types && k < u->nin + u->nout; k++) {
            PyObject *t = disp_type_object(u->loops[i]->elem[k]);
            if (!t || PyTuple_SetItem(types, (Py_ssize_t)k, t)) Py_CLEAR(types);
        }
        if (!types || PyList_Append(list, types)) Py_CLEAR(list);
        Py_XDECREF(types);
    }
    return list;
}

static PyObject *disable_compile(PyObject *self, PyObject *args) {
    int yes = 1;
    if (!PyArg_ParseTuple(args, "|p", &yes)) return NULL;
    self_of(self)->frozen = yes;
    Py_RETURN_NONE;
}

/* --- the object ------------------------------------------------------------------------------- */

/* Name, doc and attributes of the function. */
static int copy_attributes(Ufunc *u) {
    static const char *const names[] = {"__module__", "__name__", "__qualname__", "__doc__",
                                        "__wrapped__"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        PyObject *value = py_get_attr((PyObject *)u->scalar, names[i]);
        int rc = value ? PyDict_SetItemString(u->dict, names[i], value) : -1;
        Py_XDECREF(value);
        if (rc) return -1;
    }
    return 0;
}

/* Ufunc(compiled function, nin, nout, name, doc, identity, signature): name, doc and signature are bytes,
 * the last None unless it is a generalized one. */
static PyObject *new_ufunc(PyTypeObject *cls, PyObject *args, PyObject *kwargs) {
    PyObject *scalar, *name, *doc, *identity, *signature;
    unsigned nin, nout;
    if (kwargs && PyDict_Size(kwargs))
        return PyErr_Format(PyExc_TypeError, "Ufunc takes no keywords");
    if (!PyArg_ParseTuple(args, "O!IISSOO", disp.dispatcher, &scalar, &nin, &nout, &name, &doc,
                          &identity, &signature))
        return NULL;
    if (nin + nout > UFUNC_MAX_ARGS)
        return PyErr_Format(PyExc_ValueError, "a ufunc has at most %d inputs and outputs, not %u",
                            UFUNC_MAX_ARGS, nin + nout);
    Ufunc *u = (Ufunc *)PyType_GenericAlloc(cls, 0);
    if (!u) return NULL;
    u->call = call;
    u->scalar = (Dispatcher *)Py_NewRef(scalar);
    u->nin = nin;
    u->nout = nout;
    u->name = Py_NewRef(name);
    u->doc = Py_NewRef(doc);
    u->identity = Py_NewRef(identity);
    u->signature = signature == Py_None ? NULL : Py_NewRef(signature);
    u->dict = PyDict_New();
    if (u->dict && copy_attributes(u) == 0 && (u->inner = ufunc_build(u, NULL, 0)))
        return (PyObject *)u;
    Py_DECREF(u);
    return NULL;
}

static int traverse(PyObject *self, visitproc visit, void *arg) {
    Ufunc *u = self_of(self);
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(u->scalar);
    Py_VISIT(u->inner);
    Py_VISIT(u->dict);
    return 0;
}

static int clear(PyObject *self) {
    Ufunc *u = self_of(self);
    Py_CLEAR(u->scalar);
    Py_CLEAR(u->inner);
    Py_CLEAR(u->dict);
    return 0;
}

static void dealloc(PyObject *self) {
    Ufunc *u = self_of(self);
    PyTypeObject *cls = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    if (u->weakrefs) PyObject_ClearWeakRefs(self);
    clear(self);
    Py_CLEAR(u->name);
    Py_CLEAR(u->doc);
    Py_CLEAR(u->identity);
    Py_CLEAR(u->signature);
    mem_free(u->loops); /* the loops stay: an np.ufunc may hold them */
    freefunc release = (freefunc)PyType_GetSlot(cls, Py_tp_free);
    release(self);
    Py_DECREF(cls);
}

/* clang-format off */
#define PYTHON_METHODS(METHOD) \
    METHOD(reduce) \
    METHOD(accumulate) \
    METHOD(reduceat) \
    METHOD(outer) \
    METHOD(at) \
    METHOD(add) \
    METHOD(build_ufunc) \
    METHOD(_pickled_parts) \
    METHOD(__reduce__)
/* clang-format on */
#define METHOD(name) METHOD_IN_PYTHON(MODULE, name)
PYTHON_METHODS(METHOD)
#undef METHOD

static PyObject *repr(PyObject *self) { return disp_ask_in_python(MODULE, "__repr__", self); }

static PyObject *get_inner(PyObject *self, void *closure) {
    (void)closure;
    return Py_NewRef(self_of(self)->inner);
}

/* An attribute of the np.ufunc. */
static PyObject *get_from_inner(PyObject *self, void *name) {
    return py_get_attr(self_of(self)->inner, name);
}

static PyObject *get_scalar(PyObject *self, void *closure) {
    (void)closure;
    return Py_NewRef((PyObject *)self_of(self)->scalar);
}

static PyObject *get_identity(PyObject *self, void *closure) {
    (void)closure;
    return Py_NewRef(self_of(self)->identity);
}

static PyObject *get_from_scalar(PyObject *self, void *name) {
    return py_get_attr((PyObject *)self_of(self)->scalar, name);
}

static PyObject *is_frozen(PyObject *self, void *closure) {
    (void)closure;
    return PyBool_FromLong(self_of(self)->frozen);
}

#define FROM_INNER(name)  {#name, get_from_inner, NULL, NULL, (void *)(uintptr_t)#name}
#define FROM_SCALAR(name) {#name, get_from_scalar, NULL, NULL, (void *)(uintptr_t)#name}
static PyGetSetDef getset[] = {
    {"ufunc", get_inner, NULL, "The np.ufunc inside.", NULL},
    {"_device_function", get_scalar, NULL, NULL, NULL}, /* see disp_unwrap */
    {"_function", get_scalar, NULL, NULL, NULL},
    {"_identity", get_identity, NULL, NULL, NULL},
    {"_frozen", is_frozen, NULL, NULL, NULL},
    FROM_INNER(nin),
    FROM_INNER(nout),
    FROM_INNER(nargs),
    FROM_INNER(ntypes),
    FROM_INNER(types),
    FROM_INNER(signature),
    FROM_INNER(identity),
    FROM_SCALAR(py_func),
    FROM_SCALAR(targetoptions),
    {NULL, NULL, NULL, NULL, NULL}};

static PyMethodDef methods[] = {
    PYTHON_METHODS(METHOD_IN_PYTHON_ROW){"disable_compile", disable_compile, METH_VARARGS,
                                         "Add no more signatures at calls."},
    {"_run", run, METH_VARARGS, NULL},
    {"_add", add, METH_VARARGS, NULL},
    {"_loops", list_loops, METH_NOARGS, NULL},
    {"_remember", remember, METH_O, NULL},
    {NULL, NULL, 0, NULL}};

static PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Ufunc, call), READONLY, NULL},
    {"__dictoffset__", T_PYSSIZET, offsetof(Ufunc, dict), READONLY, NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Ufunc, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};

/* u(*args, **kwargs) through the type slot. */
static PyObject *call_with_tuple(PyObject *self, PyObject *args, PyObject *kwargs) {
    PyObject *f = py_import_attr(MODULE, "call");
    PyObject *dict = kwargs ? Py_NewRef(kwargs) : PyDict_New();
    PyObject *result = f && dict ? PyObject_CallFunctionObjArgs(f, self, args, dict, NULL) : NULL;
    Py_XDECREF(dict);
    Py_XDECREF(f);
    return result;
}

static PyType_Slot slots[] = {{Py_tp_new, (void *)(uintptr_t)new_ufunc},
                              {Py_tp_dealloc, (void *)(uintptr_t)dealloc},
                              {Py_tp_traverse, (void *)(uintptr_t)traverse},
                              {Py_tp_clear, (void *)(uintptr_t)clear},
                              {Py_tp_call, (void *)(uintptr_t)call_with_tuple},
                              {Py_tp_repr, (void *)(uintptr_t)repr},
                              {Py_tp_getset, getset},
                              {Py_tp_methods, methods},
                              {Py_tp_members, members},
                              {0, NULL}};
static PyType_Spec spec = {"whipsnake._core.Ufunc", sizeof(Ufunc), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | HAVE_VECTORCALL, slots};

int ufunc_init(PyObject *module) {
    disp.vectorized = (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
    if (!disp.vectorized || PyModule_AddObjectRef(module, "Ufunc", (PyObject *)disp.vectorized))
        return -1;
    return ufunc_init_numpy();
}
