/* Compiled exceptions into Python's, with a traceback that shows the user's lines.
 *
 * The stable ABI cannot make frames. So for each site there is a code object that consists of one
 * `raise` at the site's place, under the function's name; running them from the innermost outwards
 * with the same exception adds one traceback entry each. */
#include <Python.h>

#include "core/exceptions.h"
#include "dispatch/disp.h"

/* The arguments that the exception was made with: new tuple. */
static PyObject *arguments_of(const ExcObj *e) {
    if (e->message) return e->message[0] ? Py_BuildValue("(s)", e->message) : PyTuple_New(0);
    uint32_t n = e->site ? e->site->nargs : 0;
    PyObject *args = PyTuple_New((Py_ssize_t)n);
    const uint64_t *at = e->slots;
    for (uint32_t i = 0; args && i < n; at += e->site->arg_types[i++]->nparts) {
        PyObject *arg = disp_box_borrowed(e->site->arg_types[i], at);
        if (!arg || PyTuple_SetItem(args, (Py_ssize_t)i, arg)) Py_CLEAR(args);
    }
    return args;
}

/* An instance for e alone: new. If making it raises, that exception is what is raised. */
static PyObject *make_instance(const ExcObj *e) {
    if (e->object) return Py_NewRef(e->object);
    PyObject *args = arguments_of(e);
    PyObject *value = args ? PyObject_CallObject(exc_class(e->unit, e->cls), args) : NULL;
    Py_XDECREF(args);
    if (value && !PyExceptionInstance_Check(value)) {
        PyErr_SetString(PyExc_TypeError, "exceptions must derive from BaseException");
        Py_CLEAR(value);
    }
    if (value) return value;
    PyObject *type, *tb;
    PyErr_Fetch(&type, &value, &tb);
    PyErr_NormalizeException(&type, &value, &tb);
    Py_XDECREF(type);
    Py_XDECREF(tb);
    return value;
}

/* Cause and context. Recursive: compiled code chains few. */
static void attach(PyObject *value, const ExcObj *e);

static PyObject *make_chained(const ExcObj *e) {
    PyObject *value = make_instance(e);
    if (value) attach(value, e);
    return value;
}

static void attach(PyObject *value, const ExcObj *e) {
    if (e->context) PyException_SetContext(value, make_chained(e->context)); /* takes it */
    if (e->suppress_context) PyException_SetCause(value, e->cause ? make_chained(e->cause) : NULL);
}

/* --- traceback -------------------------------------------------------------------------------- */

static PyObject *site_code; /* whipsnake._traceback.site_code; owned */
static PyObject *site_codes; /* dict: address of a Site -> code object; owned, process lifetime */

static int find_helpers(void) {
    if (site_code) return 0;
    PyObject *m = PyImport_ImportModule("whipsnake._traceback");
    if (m) site_code = PyObject_GetAttrString(m, "site_code");
    Py_XDECREF(m);
    if (!site_codes) site_codes = PyDict_New();
    return site_code && site_codes ? 0 : -1;
}

/* The code object of a site: new reference. */
static PyObject *code_of(const Site *s) {
    PyObject *key = PyLong_FromVoidPtr((void *)(uintptr_t)s);
    PyObject *code = key ? PyDict_GetItemWithError(site_codes, key) : NULL; /* borrowed */
    if (code) {
        Py_INCREF(code);
    } else if (key && !PyErr_Occurred()) {
        code = PyObject_CallFunction(site_code, "sssIIII", s->filename, s->function, s->qualname,
                                     s->line, s->end_line, s->col, s->end_col);
        if (code && PyDict_SetItem(site_codes, key, code)) Py_CLEAR(code);
    }
    Py_XDECREF(key);
    return code;
}

/* Adds an entry for the site to value's traceback. Leaves no exception set. */
static void add_entry(PyObject *value, const Site *s, PyObject *globals) {
    PyObject *code = code_of(s);
    PyObject *none = code ? PyEval_EvalCode(code, globals, globals) : NULL;
    Py_XDECREF(none);
    Py_XDECREF(code);
    PyObject *type, *raised, *tb;
    PyErr_Fetch(&type, &raised, &tb);
    PyErr_NormalizeException(&type, &raised, &tb);
    if (raised == value && tb) PyException_SetTraceback(value, tb);
    Py_XDECREF(type);
    Py_XDECREF(raised);
    Py_XDECREF(tb);
}

/* Switches a trace or profile function off and on again: it must not see these frames. Result of
 * the first call: the function (new), or NULL. */
static PyObject *suspend(const char *get, const char *set) {
    PyObject *getter = PySys_GetObject(get), *setter = PySys_GetObject(set); /* borrowed */
    PyObject *hook = getter && setter ? PyObject_CallNoArgs(getter) : NULL;
    if (hook && hook != Py_None) {
        PyObject *none = PyObject_CallFunctionObjArgs(setter, Py_None, NULL);
        Py_XDECREF(none);
        return hook;
    }
    Py_XDECREF(hook);
    PyErr_Clear();
    return NULL;
}

static void resume(const char *set, PyObject *hook) {
    if (!hook) return;
    PyObject *setter = PySys_GetObject(set);
    PyObject *none = setter ? PyObject_CallFunctionObjArgs(setter, hook, NULL) : NULL;
    Py_XDECREF(none);
    Py_DECREF(hook);
    PyErr_Clear();
}

static void add_traceback(PyObject *value, const ExcObj *e) {
    enum { KEPT = sizeof e->trace / sizeof *e->trace };
    uint32_t n = e->ntrace < KEPT ? e->ntrace : KEPT;
    if (!n || find_helpers()) {
        PyErr_Clear();
        return;
    }
    PyObject *globals = PyDict_New();
    if (!globals || PyDict_SetItemString(globals, "__builtins__", PyEval_GetBuiltins()) ||
        PyDict_SetItemString(globals, "e", value)) {
        Py_XDECREF(globals);
        PyErr_Clear();
        return;
    }
    PyObject *trace = suspend("gettrace", "settrace"),
             *profile = suspend("getprofile", "setprofile");
    for (uint32_t i = 0; i < n; i++) add_entry(value, e->trace[i], globals);
    resume("setprofile", profile);
    resume("settrace", trace);
    PyDict_Clear(globals); /* the frames keep the dict, and must not keep the exception */
    Py_DECREF(globals);
}

void disp_raise(WsCtx *ctx) {
    ExcObj *e = ctx->exc;
    ctx->exc = NULL;
    if (!e) {
        PyErr_SetString(PyExc_SystemError, "compiled code failed without an exception");
        return;
    }
    PyObject *value = make_instance(e);
    if (value) {
        add_traceback(value, e);
        attach(value,
               e); /* after the traceback: raising sets the context to what is being handled */
        PyObject *tb = PyException_GetTraceback(value);
        PyErr_Restore(Py_NewRef((PyObject *)Py_TYPE(value)), value, tb);
    }
    exc_release(e);
}
