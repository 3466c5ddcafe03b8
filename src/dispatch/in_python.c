#include "dispatch/in_python.h"

#include "py/py.h"

PyObject *disp_call_in_python(const char *module, const char *name, PyObject *self, PyObject *args,
                              PyObject *kwargs) {
    PyObject *f = py_import_attr(module, name), *result = NULL;
    PyObject *first = f ? PyTuple_Pack(1, self) : NULL;
    PyObject *all = first ? PySequence_Concat(first, args) : NULL;
    if (all) result = PyObject_Call(f, all, kwargs);
    Py_XDECREF(all);
    Py_XDECREF(first);
    Py_XDECREF(f);
    return result;
}

PyObject *disp_ask_in_python(const char *module, const char *name, PyObject *self) {
    PyObject *f = py_import_attr(module, name);
    PyObject *value = f ? PyObject_CallFunctionObjArgs(f, self, NULL) : NULL;
    Py_XDECREF(f);
    return value;
}
