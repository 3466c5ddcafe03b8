/* Types that stand for a Python object: classes, functions, modules. */
#include <Python.h>

#include <string.h>

#include "base/mem.h"
#include "types/types.h"
#include "types/types_int.h"

/* The object's name for people: a new str, or NULL without an exception. */
static PyObject *name_of(PyObject *obj) {
    static const char *const attributes[] = {"__qualname__", "__name__"};
    for (int i = 0; i < 2; i++) {
        PyObject *name = PyObject_GetAttrString(obj, attributes[i]);
        if (name && PyUnicode_Check(name)) return name;
        Py_XDECREF(name);
        PyErr_Clear();
    }
    PyObject *text = PyObject_Repr(obj);
    if (!text) PyErr_Clear();
    return text;
}

/* Interns a probe that names probe->obj, which is kept for good if the type is new. */
static Type *intern_object(const Type *probe) {
    Type *t = ty_lookup(probe);
    if (t) return t;
    PyObject *name = name_of(probe->obj);
    const char *label = name ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
    if (!label) PyErr_Clear();
    Py_INCREF(probe->obj);
    t = ty_intern(probe, label ? label : "?");
    Py_XDECREF(name);
    if (!t) Py_DECREF(probe->obj);
    return t;
}

Type *ty_object(TyKind kind, PyObject *obj) {
    Type probe = {.kind = (uint8_t)kind, .obj = obj};
    return intern_object(&probe);
}

Type *ty_enum(PyObject *cls, Type *of) {
    int is_int = PyObject_IsSubclass(cls, (PyObject *)&PyLong_Type);
    if (is_int < 0) PyErr_Clear();
    Type probe = {.kind = TY_ENUM, .obj = cls, .of = of, .is_signed = is_int > 0};
    return intern_object(&probe);
}

/* Field names live as long as the type: one block for all of them. */
static const char **copy_names(const char *const *names, uint32_t n) {
    size_t bytes = 0;
    for (uint32_t i = 0; i < n; i++) bytes += strlen(names[i]) + 1;
    const char **copy = mem_alloc(n * sizeof *copy + bytes);
    if (!copy) return NULL;
    char *text = (char *)(copy + n);
    for (uint32_t i = 0; i < n; i++) {
        copy[i] = text;
        text = stpcpy(text, names[i]) + 1;
    }
    return copy;
}

Type *ty_named_tuple(PyObject *cls, const char *const *names, Type *const *items, uint32_t n) {
    Type probe = {.kind = TY_TUPLE, .obj = cls, .items = (Type **)(uintptr_t)items, .nitems = n};
    Type *t = ty_lookup(&probe);
    if (t) return t;
    probe.names = copy_names(names, n);
    if (!probe.names) return ty_fail(true);
    t = intern_object(&probe);
    if (!t) mem_free(probe.names);
    return t; /* the texts stay: the type points at them */
}
