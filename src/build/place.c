/* Captured numbers that keep changing: no constants of the code, but looked up before each call. */
#include <Python.h>

#include "build/build.h"
#include "py/py.h"

/* Is the place (a tuple) this one? */
static bool is_place(PyObject *place, PyObject *home, PyObject *name) {
    if (PyTuple_GetItem(place, 0) != home) return false;
    PyObject *key = PyTuple_GetItem(place, 1);
    if (key == Py_None || !name) return key == Py_None && !name;
    return PyUnicode_Compare(key, name) == 0;
}

static PyObject *find_place(PyObject *places, PyObject *home, PyObject *name) {
    for (Py_ssize_t i = 0, n = places ? PyList_Size(places) : 0; i < n; i++)
        if (is_place(PyList_GetItem(places, i), home, name)) return PyList_GetItem(places, i);
    return NULL;
}

PyObject *build_place_value(PyObject *place) {
    PyObject *home = PyTuple_GetItem(place, 0), *key = PyTuple_GetItem(place, 1);
    PyObject *value = key == Py_None ? PyObject_GetAttrString(home, "cell_contents")
                                     : Py_XNewRef(PyDict_GetItemWithError(home, key));
    if (!value) py_clear_error();
    return value;
}

/* Numbers of this kind have one type, whatever their value: an int beyond 64 bits has none. */
static bool is_number(PyObject *value) {
    if (PyFloat_CheckExact(value) || PyComplex_CheckExact(value) || PyBool_Check(value))
        return true;
    int overflow = 1;
    if (PyLong_CheckExact(value)) PyLong_AsLongLongAndOverflow(value, &overflow);
    return overflow == 0;
}

static int64_t number_of(Cx *cx, Module *m, PyObject *place) {
    for (uint32_t i = 0; i < m->captured.n; i++)
        if (m->captured.at[i] == place) return i;
    Py_IncRef(place);
    vec_push(cx, &m->captured, py_keep(cx, place));
    return m->captured.n - 1;
}

int64_t build_capture_place(Cx *cx, Module *m, PyObject *home, const char *name) {
    if (!m->changing || !home) return -1;
    PyObject *key = name ? PyUnicode_FromString(name) : NULL;
    PyObject *place = name && !key ? NULL : find_place(m->changing, home, key);
    PyObject *value = place ? build_place_value(place) : NULL;
    bool good = value && is_number(value);
    Py_DecRef(value);
    Py_DecRef(key);
    py_clear_error();
    return good ? number_of(cx, m, place) : -1;
}
