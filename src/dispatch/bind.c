/* Arguments to parameters, by Python's rules. Where they do not fit, the Python function itself is
 * called with them: it refuses before running anything, in the words of the Python at hand. */
#include "dispatch/function.h"

#include <string.h>

enum { CO_VARARGS_ = 4, CO_VARKEYWORDS_ = 8 };

static long int_attribute(PyObject *obj, const char *name) {
    PyObject *value = PyObject_GetAttrString(obj, name);
    long i = value ? PyLong_AsLong(value) : -1;
    Py_XDECREF(value);
    return i;
}

/* An attribute that is of this class, or NULL: new reference, no exception but for a missing
 * attribute. */
static PyObject *attribute_of(PyObject *obj, const char *name, PyTypeObject *cls) {
    PyObject *value = PyObject_GetAttrString(obj, name);
    if (value && !PyType_IsSubtype(Py_TYPE(value), cls)) Py_CLEAR(value);
    return value;
}

/* Code objects list positional, keyword-only, *args; ours is positional, *args, keyword-only. */
static PyObject *parameter_names(PyObject *code, uint32_t npos, uint32_t nkw, bool has_varargs) {
    PyObject *vars = PyObject_GetAttrString(code, "co_varnames");
    PyObject *names = vars ? PyTuple_New(npos + nkw + has_varargs) : NULL;
    for (uint32_t i = 0; names && i < npos + nkw + has_varargs; i++) {
        uint32_t from = i < npos ? i : !has_varargs ? i : i == npos ? npos + nkw : i - 1;
        PyObject *name = PySequence_GetItem(vars, from);
        if (!name || PyTuple_SetItem(names, i, name)) Py_CLEAR(names);
    }
    Py_XDECREF(vars);
    return names;
}

int bind_init(Dispatcher *d) {
    PyObject *code = PyObject_GetAttrString(d->func, "__code__");
    if (!code) return -1;
    long npos = int_attribute(code, "co_argcount"), nkw = int_attribute(code, "co_kwonlyargcount");
    long nposonly = int_attribute(code, "co_posonlyargcount"),
         flags = int_attribute(code, "co_flags");
    if (!PyErr_Occurred()) {
        d->npositional = (uint32_t)npos;
        d->nposonly = (uint32_t)nposonly;
        d->has_varargs = flags & CO_VARARGS_;
        d->has_kwargs = flags & CO_VARKEYWORDS_;
        d->nparams = (uint32_t)(npos + nkw) + d->has_varargs;
        d->direct = nkw || d->has_varargs || d->has_kwargs ? SIZE_MAX : (size_t)npos;
        d->names = parameter_names(code, (uint32_t)npos, (uint32_t)nkw, d->has_varargs);
    }
    Py_DECREF(code);
    if (!d->names) return -1;
    d->defaults = attribute_of(d->func, "__defaults__", &PyTuple_Type);
    d->kwdefaults = attribute_of(d->func, "__kwdefaults__", &PyDict_Type);
    return PyErr_Occurred() ? -1 : 0;
}

/* Position of the parameter called `name` that a keyword may set, or -1. */
static int find_parameter(const Dispatcher *d, PyObject *name) {
    for (uint32_t pass = 0; pass < 2;
         pass++) /* identity first: names in calls are nearly always interned */
        for (uint32_t i = d->nposonly; i < d->nparams; i++) {
            if (d->has_varargs && i == d->npositional) continue;
            PyObject *mine = PyTuple_GetItem(d->names, i);
            if (mine == name || (pass && PyUnicode_Compare(mine, name) == 0)) return (int)i;
        }
    return -1;
}

/* The default of parameter i: borrowed, or NULL. */
static PyObject *default_of(const Dispatcher *d, uint32_t i) {
    if (i < d->npositional) {
        Py_ssize_t n = d->defaults ? PyTuple_Size(d->defaults) : 0;
        Py_ssize_t at = (Py_ssize_t)i - ((Py_ssize_t)d->npositional - n);
        return at >= 0 ? PyTuple_GetItem(d->defaults, at) : NULL;
    }
    return d->kwdefaults ? PyDict_GetItemWithError(d->kwdefaults, PyTuple_GetItem(d->names, i))
                         : NULL;
}

/* 0 if the arguments fit, 1 if not, -1 with an exception set. */
static int bind(Dispatcher *d, PyObject *const *args, size_t n, PyObject *kwnames, PyObject **out,
                PyObject **extra) {
    size_t npos = n < d->npositional ? n : d->npositional;
    memset(out, 0, d->nparams * sizeof *out);
    memcpy(out, args, npos * sizeof *out);
    if (n > npos && !d->has_varargs) return 1;
    if (d->has_varargs) {
        *extra = PyTuple_New((Py_ssize_t)(n - npos));
        if (!*extra) return -1;
        for (size_t i = npos; i < n; i++)
            if (PyTuple_SetItem(*extra, (Py_ssize_t)(i - npos), Py_NewRef(args[i]))) return -1;
        out[d->npositional] = *extra;
    }
    Py_ssize_t nkw = kwnames ? PyTuple_Size(kwnames) : 0;
    for (Py_ssize_t i = 0; i < nkw; i++) {
        int at = find_parameter(d, PyTuple_GetItem(kwnames, i));
        if (at < 0 && d->has_kwargs)
            continue; /* the compiler refuses the function, and says it better */
        if (at < 0 || out[at]) return 1;
        out[at] = args[n + (size_t)i];
    }
    for (uint32_t i = 0; i < d->nparams; i++)
        if (!out[i] && !(out[i] = default_of(d, i))) return PyErr_Occurred() ? -1 : 1;
    return 0;
}

/* Arguments of a vectorcall as tuple and dict (new references; *kwargs may be NULL); 0, or -1. */
static int spell_out(PyObject *const *args, size_t n, PyObject *kwnames, PyObject **tuple,
                     PyObject **kwargs) {
    Py_ssize_t nkw = kwnames ? PyTuple_Size(kwnames) : 0;
    *tuple = PyTuple_New((Py_ssize_t)n);
    *kwargs = nkw ? PyDict_New() : NULL;
    if (!*tuple || (nkw && !*kwargs)) return -1;
    for (size_t i = 0; i < n; i++)
        if (PyTuple_SetItem(*tuple, (Py_ssize_t)i, Py_NewRef(args[i]))) return -1;
    for (Py_ssize_t i = 0; i < nkw; i++)
        if (PyDict_SetItem(*kwargs, PyTuple_GetItem(kwnames, i), args[n + (size_t)i])) return -1;
    return 0;
}

/* Lets Python say what is wrong with the arguments. */
static void refuse(Dispatcher *d, PyObject *const *args, size_t n, PyObject *kwnames) {
    PyObject *tuple, *kwargs = NULL, *result = NULL;
    if (spell_out(args, n, kwnames, &tuple, &kwargs) == 0)
        result = PyObject_Call(d->func, tuple, kwargs);
    Py_XDECREF(tuple);
    Py_XDECREF(kwargs);
    if (!result) return;
    Py_DECREF(result);
    PyErr_SetString(PyExc_SystemError, "whipsnake and Python disagree about these arguments");
}

int bind_arguments(Dispatcher *d, PyObject *const *args, size_t n, PyObject *kwnames,
                   PyObject **out, PyObject **extra) {
    *extra = NULL;
    int rc = bind(d, args, n, kwnames, out, extra);
    if (rc == 0) return 0;
    if (rc > 0) refuse(d, args, n, kwnames);
    Py_CLEAR(*extra);
    return -1;
}
