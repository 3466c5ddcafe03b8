/* Compiled exceptions into Python's, with a traceback that shows the user's lines.
 *
 * The stable ABI cannot make frames. So for each site there is a code object that consists of one
 * `raise` at the site's place, under the function's name; running them from the innermost outwards
 * with the same exception adds one traceback entry each. */
#include <Python.h>

#include "core/exceptions.h"
#include "core/values.h"
#include "dispatch/disp.h"
#include "py/py.h"

/* The arguments that the exception was made with: new tuple. */
static PyObject *arguments_of(const ExcObj *e) {
    char line[EXC_LINE];
    const char *text = exc_text(e, line);
    if (text) return text[0] ? Py_BuildValue("(s)", text) : PyTuple_New(0);
    uint32_t n = e->site ? e->site->nargs : 0;
    PyObject *args = PyTuple_New((Py_ssize_t)n);
    const uint64_t *at = e->slots;
    for (uint32_t i = 0; args && i < n; at += e->site->arg_types[i++]->nparts) {
        PyObject *arg = disp_box_borrowed(e->site->arg_types[i], at);
        if (!arg || PyTuple_SetItem(args, (Py_ssize_t)i, arg)) Py_CLEAR(args);
    }
    return args;
}

/* An instance for e alone, which has none: new. If making it raises, that exception is what is raised; but where there
 * is no memory for it now, there may be later: NULL with MemoryError set. */
static PyObject *make_instance(const ExcObj *e) {
    PyObject *args = arguments_of(e);
    PyObject *value = args ? PyObject_CallObject(exc_class(e->unit, e->cls), args) : NULL;
    Py_XDECREF(args);
    if (value && !PyExceptionInstance_Check(value)) {
        PyErr_SetString(PyExc_TypeError, "exceptions must derive from BaseException");
        Py_CLEAR(value);
    }
    if (value || PyErr_ExceptionMatches(PyExc_MemoryError)) return value;
    PyObject *type, *tb;
    PyErr_Fetch(&type, &value, &tb);
    PyErr_NormalizeException(&type, &value, &tb);
    Py_XDECREF(type);
    Py_XDECREF(tb);
    return value;
}

/* --- traceback -------------------------------------------------------------------------------- */

static PyObject *site_code; /* whipsnake._traceback.site_code; owned */
static PyObject *site_codes; /* dict: address of a Site -> code object; owned, process lifetime */

static int find_helpers(void) {
    if (site_code) return 0;
    site_code = py_import_attr("whipsnake._traceback", "site_code");
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

/* Number in e->trace of entry i of all that e has passed; KEPT: it was not kept. */
enum { KEPT = sizeof((ExcObj *)0)->trace / sizeof *((ExcObj *)0)->trace, INNER = KEPT / 2 };

static uint32_t find_entry(const ExcObj *e, uint32_t i) {
    if (e->ntrace <= KEPT || i < INNER) return i;
    uint32_t outer = e->ntrace - (KEPT - INNER);
    return i < outer ? KEPT : INNER + i - outer;
}

/* A namespace in which `e` is the exception; NULL without an exception. */
static PyObject *new_globals(PyObject *value) {
    PyObject *globals = PyDict_New();
    if (globals && PyDict_SetItemString(globals, "__builtins__", PyEval_GetBuiltins()) == 0 &&
        PyDict_SetItemString(globals, "e", value) == 0)
        return globals;
    Py_XDECREF(globals);
    PyErr_Clear();
    return NULL;
}

/* Entries for the sites that e has passed since it was last shown to Python. */
static void add_traceback(PyObject *value, ExcObj *e) {
    uint32_t first = e->shown;
    e->shown = e->ntrace;
    if (first == e->ntrace) return;
    PyObject *globals = find_helpers() ? NULL : new_globals(value);
    if (!globals) {
        PyErr_Clear();
        return;
    }
    PyObject *trace = suspend("gettrace", "settrace"),
             *profile = suspend("getprofile", "setprofile");
    for (uint32_t i = first; i < e->ntrace; i++) {
        uint32_t k = find_entry(e, i);
        if (k < KEPT) add_entry(value, e->trace[k], globals);
    }
    resume("setprofile", profile);
    resume("settrace", trace);
    PyDict_Clear(globals); /* the frames keep the dict, and must not keep the exception */
    Py_DECREF(globals);
}

/* --- one exception and those behind it -------------------------------------------------------- */

/* The list of e and all that its causes and contexts lead to, through `next`; each once. Not a recursion: the chain
 * may be long. */
typedef struct Chain {
    ExcObj *first, **end;
    PyObject *seen; /* set: addresses */
} Chain;

static int add_link(Chain *c, ExcObj *e) {
    bool none = !e || e == exc_no_memory_borrowed(); /* that one keeps nothing */
    PyObject *key = none ? NULL : PyLong_FromVoidPtr(e);
    int rc = none ? 1 : key ? PySet_Contains(c->seen, key) : -1;
    if (rc == 0) {
        rc = PySet_Add(c->seen, key);
        e->next = NULL;
        *c->end = e;
        c->end = &e->next;
    }
    Py_XDECREF(key);
    return rc < 0 ? -1 : 0;
}

static int collect(Chain *c, ExcObj *e) {
    c->end = &c->first;
    c->seen = PySet_New(NULL);
    int rc = c->seen ? add_link(c, e) : -1;
    for (; e && rc == 0; e = e->next)
        if (add_link(c, e->context) || (e->suppress_context && add_link(c, e->cause))) rc = -1;
    Py_XDECREF(c->seen);
    return rc;
}

/* A note that says which thread of a kernel it was. Leaves no exception set. */
static void add_place(ExcObj *e) {
    const int32_t *at = e->at;
    PyObject *text = PyUnicode_FromFormat("in kernel %s, block (%d, %d, %d), thread (%d, %d, %d)",
                                          e->unit ? e->unit->name : "?", at[0], at[1], at[2], at[3],
                                          at[4], at[5]);
    PyObject *none = text ? PyObject_CallMethod(e->object, "add_note", "O", text) : NULL;
    e->in_kernel = false;
    PyErr_Clear();
    Py_XDECREF(none);
    Py_XDECREF(text);
}

/* Making an exception runs Python code, which may come back here and use `next` for a chain of its own: so all are
 * made first, each as it is found. */
static int make_objects(ExcObj *const *list, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (!list[i]->object) list[i]->object = make_instance(list[i]);
        if (!list[i]->object) return -1;
        add_traceback(list[i]->object, list[i]);
        if (list[i]->in_kernel) add_place(list[i]);
    }
    return 0;
}

/* After the tracebacks: raising sets the context to what Python is handling. */
static void link_objects(ExcObj *const *list, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        const ExcObj *e = list[i];
        if (e->context && e->context->object)
            PyException_SetContext(e->object, Py_NewRef(e->context->object));
        if (e->suppress_context)
            PyException_SetCause(e->object, e->cause ? Py_XNewRef(e->cause->object) : NULL);
    }
}

static PyObject *to_python(ExcObj *e) {
    if (e == exc_no_memory_borrowed()) return make_instance(e);
    Chain c;
    if (collect(&c, e)) return NULL;
    uint32_t n = 0;
    for (const ExcObj *at = c.first; at; at = at->next) n++;
    ExcObj **list = PyMem_Malloc(n * sizeof *list);
    if (!list) return PyErr_NoMemory();
    n = 0;
    for (ExcObj *at = c.first; at; at = at->next) list[n++] = at;
    int rc = make_objects(list, n);
    if (rc == 0) link_objects(list, n);
    PyMem_Free(list);
    return rc ? NULL : Py_NewRef(e->object);
}

static int unbox(const Type *t, PyObject *obj, uint64_t *slots) {
    Made made = {NULL};
    int rc = disp_unbox(t, obj, slots, true, &made);
    if (rc == 1) val_retain(t, slots);
    disp_release_made(&made);
    return rc;
}

void disp_init_exceptions(void) {
    exc_to_python = to_python;
    exc_unbox = unbox;
}

void disp_raise_exc(ExcObj *e) {
    PyObject *value = to_python(e);
    if (value) {
        PyObject *tb = PyException_GetTraceback(value);
        PyErr_Restore(Py_NewRef((PyObject *)Py_TYPE(value)), value, tb);
    }
    exc_release(e);
}

void disp_raise(WsCtx *ctx) {
    ExcObj *e = ctx->exc;
    ctx->exc = NULL;
    if (e)
        disp_raise_exc(e);
    else
        PyErr_SetString(PyExc_SystemError, "compiled code failed without an exception");
}
