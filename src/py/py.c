#include "py/py.h"

#include <string.h>

static void release(void *obj) { Py_DecRef(obj); }

/* Can looking something up end with the exception that is set? */
static bool is_an_answer(void) {
    PyObject *const answers[] = {PyExc_AttributeError, PyExc_LookupError, PyExc_TypeError,
                                 PyExc_ValueError,     PyExc_NameError,   PyExc_ArithmeticError,
                                 PyExc_ImportError,    PyExc_OSError,     PyExc_SyntaxError,
                                 PyExc_RuntimeError,   PyExc_SystemError, PyExc_AssertionError};
    if (PyErr_ExceptionMatches(PyExc_TimeoutError)) return false; /* an OSError, but of an alarm */
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        if (PyErr_ExceptionMatches(answers[i])) return true;
    return false;
}

void py_clear_error(void) {
    Cx *cx = cx_current();
    if (PyErr_Occurred() && cx && !cx->raised && !is_an_answer()) {
        PyObject *type, *value, *trace;
        PyErr_Fetch(&type, &value, &trace);
        PyErr_NormalizeException(&type, &value, &trace);
        if (trace) PyException_SetTraceback(value, trace);
        cx->raised = value;
        Py_DecRef(type);
        Py_DecRef(trace);
    }
    PyErr_Clear();
}

PyObject *py_get_item(PyObject *dict, const char *name) {
    PyObject *key = PyUnicode_InternFromString(name);
    PyObject *value = key ? PyDict_GetItemWithError(dict, key) : NULL;
    Py_DecRef(key);
    py_clear_error();
    return value;
}

PyObject *py_keep(Cx *cx, PyObject *new_ref) {
    if (!new_ref) {
        py_clear_error();
        return NULL;
    }
    cx_defer(cx, release, new_ref);
    return new_ref;
}

/* CPython's cache of looked-up attributes keeps the name it was asked with: a new str each time
 * would fill its thousands of places, which looks like a leak. Interned, it is one. */
PyObject *py_get_attr(PyObject *obj, const char *name) {
    PyObject *key = obj ? PyUnicode_InternFromString(name) : NULL;
    PyObject *value = key ? PyObject_GetAttr(obj, key) : NULL;
    Py_DecRef(key);
    return value;
}

PyObject *py_import_attr(const char *module, const char *name) {
    PyObject *m = PyImport_ImportModule(module);
    PyObject *value = py_get_attr(m, name);
    Py_DecRef(m);
    return value;
}

PyObject *py_attr(Cx *cx, PyObject *obj, const char *name) {
    return py_keep(cx, py_get_attr(obj, name));
}

int64_t py_int_attr(Cx *cx, PyObject *obj, const char *name, int64_t missing) {
    PyObject *value = py_attr(cx, obj, name);
    if (!value || !PyLong_Check(value)) return missing;
    int64_t i = PyLong_AsLongLong(value);
    if (i != -1 || !PyErr_Occurred()) return i;
    py_clear_error();
    return missing;
}

const char *py_text(Cx *cx, PyObject *str, size_t *n) {
    if (!str || !PyUnicode_Check(str)) return NULL;
    Py_ssize_t size;
    const char *s = PyUnicode_AsUTF8AndSize(str, &size);
    if (!s) {
        py_clear_error();
        return NULL;
    }
    if (n) *n = (size_t)size;
    char *copy = cx_alloc(cx, (size_t)size + 1);
    memcpy(copy, s, (size_t)size);
    return copy;
}

const char *py_text_attr(Cx *cx, PyObject *obj, const char *name) {
    return py_text(cx, py_attr(cx, obj, name), NULL);
}

bool py_is_a(PyObject *obj, const char *class_name) {
    PyObject *name = PyType_GetName(Py_TYPE(obj));
    bool same = name && PyUnicode_CompareWithASCIIString(name, class_name) == 0;
    Py_DecRef(name);
    py_clear_error();
    return same;
}

const char *py_class_name(Cx *cx, PyObject *obj) {
    const char *name = py_text(cx, py_keep(cx, PyType_GetName(Py_TYPE(obj))), NULL);
    return name ? name : "object";
}

bool py_is_fixed_module(const char *name) {
    static const char *const fixed[] = {"numpy",    "math",   "cmath", "random", "builtins",
                                        "operator", "typing", "types", "enum",   "whipsnake"};
    for (size_t i = 0; name && i < sizeof fixed / sizeof *fixed; i++) {
        size_t n = strlen(fixed[i]);
        if (strncmp(name, fixed[i], n) == 0 && (!name[n] || name[n] == '.')) return true;
    }
    return false;
}

PyObject *py_loaded_module(Cx *cx, const char *name) {
    PyObject *key = py_keep(cx, PyUnicode_FromString(name));
    return key ? py_keep(cx, PyImport_GetModule(key)) : NULL;
}

bool py_is_instance(Cx *cx, PyObject *obj, const char *module, const char *class_name) {
    PyObject *cls = py_attr(cx, py_loaded_module(cx, module), class_name);
    int is = cls ? PyObject_IsInstance(obj, cls) : 0;
    if (is < 0) py_clear_error();
    return is > 0;
}
