/* The class of compiled functions. What is not needed for a call is written in Python, in
 * whipsnake/_function.py. */
#include "dispatch/function.h"

#include <stddef.h>
#include <string.h>
#include <structmember.h>

#include "core/compiler.h"
#include "dispatch/in_python.h"
#include "py/abi.h"

static Dispatcher *self_of(PyObject *self) { return (Dispatcher *)self; }

/* --- making ----------------------------------------------------------------------------------- */

/* Name, doc and attributes of the Python function, as functools.wraps copies them. */
static int copy_attributes(Dispatcher *d) {
    static const char *const names[] = {"__module__", "__name__", "__qualname__", "__doc__",
                                        "__annotations__"};
    PyObject *dict = PyObject_GetAttrString(d->func, "__dict__");
    int rc = dict ? PyDict_Update(d->dict, dict) : -1;
    Py_XDECREF(dict);
    for (size_t i = 0; rc == 0 && i < sizeof names / sizeof *names; i++) {
        PyObject *value = PyObject_GetAttrString(d->func, names[i]);
        rc = value ? PyDict_SetItemString(d->dict, names[i], value) : -1;
        Py_XDECREF(value);
    }
    return rc ? rc : PyDict_SetItemString(d->dict, "__wrapped__", d->func);
}

/* Dispatcher(func, *, fast=0, numpy_errors=False ..., locals=None): see decorators.py for what the
 * options mean. */
static PyObject *new_function(PyTypeObject *cls, PyObject *args, PyObject *kwargs) {
    static char *keywords[] = {
        "func",          "fast",   "numpy_errors", "boundscheck", "nogil", "parallel", "debug",
        "inline_always", "locals", "kernel",       "block",       "cache", NULL};
    PyObject *func, *locals = NULL;
    int fast = 0, numpy_errors = 0, boundscheck = 1, nogil = 0, parallel = 0, debug = 0,
        inline_always = 0, kernel = 0, cache = 1;
    unsigned block[3] = {0, 0, 0};
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|$ippppppOp(III)p", keywords, &func, &fast,
                                     &numpy_errors, &boundscheck, &nogil, &parallel, &debug,
                                     &inline_always, &locals, &kernel, &block[0], &block[1],
                                     &block[2], &cache))
        return NULL;
    if (!PyType_IsSubtype(Py_TYPE(func), disp.function))
        return PyErr_Format(PyExc_TypeError,
                            "%R is not a Python function; decorate one written with def or lambda",
                            func);
    Dispatcher *d = (Dispatcher *)PyType_GenericAlloc(cls, 0);
    if (!d) return NULL;
    d->call = function_call;
    d->func = Py_NewRef(func);
    d->locals = locals && locals != Py_None ? Py_NewRef(locals) : NULL;
    d->cache = cache;
    d->options = (JitOptions){.fast = (uint8_t)fast,
                              .numpy_errors = numpy_errors,
                              .boundscheck = boundscheck,
                              .nogil = nogil,
                              .parallel = parallel,
                              .debug = debug,
                              .inline_always = inline_always,
                              .kernel = kernel,
                              .block_dim = {block[0], block[1], block[2]}};
    d->dict = PyDict_New();
    if (d->dict && bind_init(d) == 0 && copy_attributes(d) == 0) return (PyObject *)d;
    Py_DECREF(d);
    return NULL;
}

static int traverse(PyObject *self, visitproc visit, void *arg) {
    Dispatcher *d = self_of(self);
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(d->func);
    Py_VISIT(d->defaults);
    Py_VISIT(d->kwdefaults);
    Py_VISIT(d->locals);
    Py_VISIT(d->dict);
    return 0;
}

static int clear(PyObject *self) {
    Dispatcher *d = self_of(self);
    Py_CLEAR(d->func);
    Py_CLEAR(d->names);
    Py_CLEAR(d->defaults);
    Py_CLEAR(d->kwdefaults);
    Py_CLEAR(d->locals);
    Py_CLEAR(d->dict);
    return 0;
}

static void dealloc(PyObject *self) {
    PyTypeObject *cls = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    if (self_of(self)->weakrefs) PyObject_ClearWeakRefs(self);
    clear(self); /* entries stay: code is for good */
    freefunc release = (freefunc)PyType_GetSlot(cls, Py_tp_free);
    release(self);
    Py_DECREF(cls);
}

static PyObject *bind_method(PyObject *self, PyObject *obj, PyObject *cls) {
    (void)cls;
    if (!obj || obj == Py_None) return Py_NewRef(self);
    return PyObject_CallFunctionObjArgs(disp.method, self, obj, NULL);
}

static PyObject *repr(PyObject *self) {
    return PyUnicode_FromFormat("<compiled %R>", self_of(self)->func);
}

/* A kernel called by another one: its attribute _device_function, a Dispatcher that it keeps alive
 * (so borrowed here); NULL: obj is no kernel. */
static PyObject *find_device_function(PyObject *obj) {
    PyObject *f = PyObject_GetAttrString(obj, "_device_function");
    bool is = f && Py_TYPE(f) == disp.dispatcher;
    PyErr_Clear();
    Py_XDECREF(f);
    return is ? f : NULL;
}

PyObject *disp_unwrap(PyObject *obj, JitOptions *options) {
    if (Py_TYPE(obj) != disp.dispatcher) obj = find_device_function(obj);
    if (!obj) return NULL;
    if (options) *options = self_of(obj)->options;
    return self_of(obj)->func;
}

/* --- methods ---------------------------------------------------------------------------------- */

/* The types of a sequence of types, one per parameter (missing ones: of the defaults): new memory
 * or NULL. */
static Type **signature_types(Dispatcher *d, PyObject *seq) {
    PyObject *tuple = PySequence_Tuple(seq);
    if (!tuple) return NULL;
    Py_ssize_t n = PyTuple_Size(tuple), ndefaults = d->defaults ? PyTuple_Size(d->defaults) : 0;
    Type **types = NULL;
    if (n > (Py_ssize_t)d->nparams || n + ndefaults < (Py_ssize_t)d->nparams)
        PyErr_Format(PyExc_TypeError,
                     "the signature has %zd argument types, the function %u parameters", n,
                     d->nparams);
    else if (!(types = PyMem_Malloc((d->nparams + 1) * sizeof *types)))
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; types && i < (Py_ssize_t)d->nparams; i++) {
        types[i] =
            i < n
                ? disp_type_from(PyTuple_GetItem(tuple, i))
                : disp_typeof(PyTuple_GetItem(d->defaults, i - (Py_ssize_t)d->nparams + ndefaults));
        if (types[i]) continue;
        PyMem_Free(types);
        types = NULL;
    }
    Py_DECREF(tuple);
    return types;
}

/* The types of the arguments (types, ret=None): new memory, or NULL with an exception set. */
static Type **read_signature(Dispatcher *d, PyObject *args, Type **ret) {
    PyObject *seq, *ret_object = Py_None;
    *ret = NULL;
    if (!PyArg_ParseTuple(args, "O|O", &seq, &ret_object)) return NULL;
    if (ret_object != Py_None && !(*ret = disp_type_from(ret_object))) return NULL;
    return signature_types(d, seq);
}

/* _compile(types, ret=None): the entry's index. Compiles unless there is one for these types. */
static PyObject *compile_signature(PyObject *self, PyObject *args) {
    Dispatcher *d = self_of(self);
    Type *ret, **types = read_signature(d, args, &ret);
    if (!types) return NULL;
    Entry *e = function_entry(d, types, d->nparams, ret);
    PyMem_Free(types);
    return e ? PyLong_FromVoidPtr((void *)(uintptr_t)e->entry) : NULL;
}

/* _callback(types, ret): the address of a C function with these types. */
static PyObject *make_callback(PyObject *self, PyObject *args) {
    Dispatcher *d = self_of(self);
    Type *ret, **types = read_signature(d, args, &ret);
    if (!types) return NULL;
    Entry *e = function_compile(d, types, d->nparams, ret);
    PyMem_Free(types);
    void *address = e ? callback_new(e, self) : NULL;
    return address ? PyLong_FromVoidPtr(address) : NULL;
}

/* _promise(types, ret=None): to be compiled when it is needed. */
static PyObject *promise_signature(PyObject *self, PyObject *args) {
    Dispatcher *d = self_of(self);
    Type *ret, **types = read_signature(d, args, &ret);
    int rc = types ? function_promise(d, types, d->nparams, ret) : -1;
    PyMem_Free(types);
    return rc == 0 ? Py_NewRef(Py_None) : NULL;
}

/* Types of the parameters, of a promised entry too. */
static PyObject *entry_types(const Entry *e) {
    PyObject *tuple = PyTuple_New((Py_ssize_t)e->nargs);
    for (uint32_t i = 0; tuple && i < e->nargs; i++) {
        PyObject *t = disp_type_object((Type *)(uintptr_t)e->arg[i].ty);
        if (!t || PyTuple_SetItem(tuple, (Py_ssize_t)i, t)) Py_CLEAR(tuple);
    }
    return tuple;
}

static PyObject *stage_times(const Unit *u) {
    enum { STAGES = sizeof u->stage_ns / sizeof *u->stage_ns };
    PyObject *tuple = PyTuple_New(STAGES);
    for (int i = 0; tuple && i < STAGES; i++)
        if (PyTuple_SetItem(tuple, i, PyLong_FromUnsignedLongLong(u->stage_ns[i]))) Py_CLEAR(tuple);
    return tuple;
}

static PyObject *describe_entry(const Entry *e) {
    const Unit *u = e->unit;
    return Py_BuildValue("(NNNnNNz)", entry_types(e), disp_type_object(u->ret),
                         PyLong_FromVoidPtr((void *)(uintptr_t)u->entry), (Py_ssize_t)u->code_size,
                         stage_times(u), PyBool_FromLong(u->cached), e->uncached);
}

/* _entries(): what was promised is compiled; a list of (argument types, result type, address, size of the code, nanoseconds per
 * stage, whether it came from the cache, why it is not kept there or None). */
static PyObject *list_entries(PyObject *self, PyObject *unused) {
    (void)unused;
    Dispatcher *d = self_of(self);
    PyObject *list = PyList_New(0);
    for (Entry *e = d->entries; list && e; e = e->next) {
        if (!(e = function_settle(d, e))) {
            Py_CLEAR(list);
            break;
        }
        PyObject *row = describe_entry(e);
        if (!row || PyList_Append(list, row)) Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

/* _given(): (whether it compiles no more signatures, list of (argument types, result type or None) of
 * those that it has, compiled or promised). */
static PyObject *list_given(PyObject *self, PyObject *unused) {
    (void)unused;
    Dispatcher *d = self_of(self);
    PyObject *list = PyList_New(0);
    for (const Entry *e = d->entries; list && e; e = e->next) {
        PyObject *args = entry_types(e);
        Type *ret = e->unit ? e->unit->ret : e->ret;
        PyObject *row =
            Py_BuildValue("(NN)", args, ret ? disp_type_object(ret) : Py_NewRef(Py_None));
        if (!row || PyList_Append(list, row)) Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list ? Py_BuildValue("(NN)", PyBool_FromLong(d->frozen), list) : NULL;
}

/* _text(what, types, ptx_target=None): the function at a stage of its compilation. */
static PyObject *text_of(PyObject *self, PyObject *args) {
    static const char *const wants[] = {"code", "types", "ir",      "llvm",  "asm",
                                        "cfg",  "ptx",   "explain", "result"};
    Dispatcher *d = self_of(self);
    const char *what, *ptx_target = NULL;
    PyObject *seq;
    if (!PyArg_ParseTuple(args, "sO|z", &what, &seq, &ptx_target)) return NULL;
    int want = WANT_TYPES;
    while (want <= WANT_RESULT && strcmp(wants[want], what) != 0) want++;
    if (want > WANT_RESULT)
        return PyErr_Format(PyExc_ValueError, "there is no text called %s", what);
    Type **types = signature_types(d, seq);
    PyObject *text = types ? function_text(d, types, d->nparams, (Want)want, ptx_target) : NULL;
    PyMem_Free(types);
    return text;
}

/* _forget(): the next call of each signature compiles again. */
static PyObject *forget(PyObject *self, PyObject *unused) {
    (void)unused;
    self_of(self)->last = NULL;
    self_of(self)->entries = NULL;
    Py_RETURN_NONE;
}

static PyObject *disable_compile(PyObject *self, PyObject *args) {
    int yes = 1;
    if (!PyArg_ParseTuple(args, "|p", &yes)) return NULL;
    self_of(self)->frozen = yes;
    Py_RETURN_NONE;
}

/* Methods and attributes written in Python. */
#define MODULE "whipsnake._function"
/* clang-format off */
#define PYTHON_METHODS(METHOD) \
    METHOD(compile) \
    METHOD(recompile) \
    METHOD(inspect_types) \
    METHOD(inspect_llvm) \
    METHOD(inspect_asm) \
    METHOD(inspect_cfg) \
    METHOD(inspect_ir) \
    METHOD(explain) \
    METHOD(inspect_disasm_cfg) \
    METHOD(get_metadata) \
    METHOD(get_annotation_info) \
    METHOD(parallel_diagnostics)
/* clang-format on */
#define METHOD(name) METHOD_IN_PYTHON(MODULE, name)
PYTHON_METHODS(METHOD)
#undef METHOD

static PyObject *get_from_python(PyObject *self, void *name) {
    return disp_ask_in_python(MODULE, name, self);
}

static PyObject *get_func(PyObject *self, void *closure) {
    (void)closure;
    return Py_NewRef(self_of(self)->func);
}

static PyObject *get_func_attribute(PyObject *self, void *name) {
    return PyObject_GetAttrString(self_of(self)->func, name);
}

static PyObject *get_options(PyObject *self, void *closure) {
    (void)closure;
    const JitOptions *o = &self_of(self)->options;
    PyObject *locals = self_of(self)->locals;
    return Py_BuildValue(
        "{s:i,s:O,s:O,s:O,s:O,s:O,s:O,s:O,s:O}", "fast", o->fast, "numpy_errors",
        o->numpy_errors ? Py_True : Py_False, "boundscheck", o->boundscheck ? Py_True : Py_False,
        "nogil", o->nogil ? Py_True : Py_False, "parallel", o->parallel ? Py_True : Py_False,
        "debug", o->debug ? Py_True : Py_False, "inline_always",
        o->inline_always ? Py_True : Py_False, "cache", self_of(self)->cache ? Py_True : Py_False,
        "locals", locals ? locals : Py_None);
}

static PyObject *get_names(PyObject *self, void *closure) {
    (void)closure;
    return Py_NewRef(self_of(self)->names);
}

static PyObject *reduce(PyObject *self, PyObject *unused) {
    (void)unused;
    return disp_ask_in_python(MODULE, "reduce", self);
}

/* Copies are the function itself, as with Python's functions. */
static PyObject *give_self(PyObject *self, PyObject *memo) {
    (void)memo;
    return Py_NewRef(self);
}

#define FROM_PYTHON(name) {#name, get_from_python, NULL, NULL, (void *)(uintptr_t)#name}
#define FROM_FUNC(name)   {#name, get_func_attribute, NULL, NULL, (void *)(uintptr_t)#name}
static PyGetSetDef getset[] = {
    {"py_func", get_func, NULL, "The Python function.", NULL},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {"_options", get_options, NULL, NULL, NULL},
    {"_parameters", get_names, NULL, NULL, NULL},
    FROM_PYTHON(signatures),
    FROM_PYTHON(nopython_signatures),
    FROM_PYTHON(overloads),
    FROM_PYTHON(stats),
    FROM_PYTHON(targetoptions),
    FROM_FUNC(__code__),
    FROM_FUNC(__defaults__),
    FROM_FUNC(__kwdefaults__),
    FROM_FUNC(__globals__),
    FROM_FUNC(__closure__),
    {NULL, NULL, NULL, NULL, NULL}};

static PyMethodDef methods[] = {
    PYTHON_METHODS(METHOD_IN_PYTHON_ROW){
        "disable_compile", disable_compile, METH_VARARGS,
        "Compile no more signatures; calls convert to those there are."},
    {"_compile", compile_signature, METH_VARARGS, NULL},
    {"_promise", promise_signature, METH_VARARGS, NULL},
    {"_entries", list_entries, METH_NOARGS, NULL},
    {"_text", text_of, METH_VARARGS, NULL},
    {"_forget", forget, METH_NOARGS, NULL},
    {"_callback", make_callback, METH_VARARGS, NULL},
    {"_given", list_given, METH_NOARGS, NULL},
    {"__reduce__", reduce, METH_NOARGS, NULL},
    {"__copy__", give_self, METH_NOARGS, NULL},
    {"__deepcopy__", give_self, METH_O, NULL},
    {NULL, NULL, 0, NULL}};

static PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Dispatcher, call), READONLY, NULL},
    {"__dictoffset__", T_PYSSIZET, offsetof(Dispatcher, dict), READONLY, NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Dispatcher, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};

/* f(*args, **kwargs) through the type slot: spelled out for the vectorcall. */
static PyObject *call_with_tuple(PyObject *self, PyObject *args, PyObject *kwargs) {
    Py_ssize_t n = PyTuple_Size(args), nkw = kwargs ? PyDict_Size(kwargs) : 0, at = 0, k = 0;
    PyObject **all = PyMem_Malloc((size_t)(n + nkw + 1) * sizeof *all);
    PyObject *names = nkw ? PyTuple_New(nkw) : NULL, *result = NULL, *key, *value;
    if (!all) PyErr_NoMemory();
    if (all && (names || !nkw)) {
        for (Py_ssize_t i = 0; i < n; i++) all[i] = PyTuple_GetItem(args, i);
        while (nkw && PyDict_Next(kwargs, &at, &key, &value)) {
            PyTuple_SetItem(names, k, Py_NewRef(key));
            all[n + k++] = value;
        }
        result = function_call(self, all, (size_t)n, names);
    }
    Py_XDECREF(names);
    PyMem_Free(all);
    return result;
}

static PyType_Slot slots[] = {{Py_tp_new, (void *)(uintptr_t)new_function},
                              {Py_tp_dealloc, (void *)(uintptr_t)dealloc},
                              {Py_tp_traverse, (void *)(uintptr_t)traverse},
                              {Py_tp_clear, (void *)(uintptr_t)clear},
                              {Py_tp_call, (void *)(uintptr_t)call_with_tuple},
                              {Py_tp_descr_get, (void *)(uintptr_t)bind_method},
                              {Py_tp_repr, (void *)(uintptr_t)repr},
                              {Py_tp_getset, getset},
                              {Py_tp_methods, methods},
                              {Py_tp_members, members},
                              {0, NULL}};
static PyType_Spec spec = {"whipsnake._core.Dispatcher", sizeof(Dispatcher), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_METHOD_DESCRIPTOR |
                               HAVE_VECTORCALL,
                           slots};

int disp_init_function(PyObject *module) {
    disp.dispatcher = (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
    if (!disp.dispatcher) return -1;
    return PyModule_AddObjectRef(module, "Dispatcher", (PyObject *)disp.dispatcher);
}
