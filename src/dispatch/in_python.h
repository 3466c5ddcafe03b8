/* Classes in C whose methods are written in Python, where they need no speed. */
#pragma once
#include <Python.h>

/* <module>.<name>(self, *args, **kwargs): a new reference, or NULL with an exception set. args: a tuple; kwargs: a
 * dict, or NULL. */
PyObject *disp_call_in_python(const char *module, const char *name, PyObject *self, PyObject *args,
                              PyObject *kwargs);
/* The same without more arguments: what a property gives. */
PyObject *disp_ask_in_python(const char *module, const char *name, PyObject *self);

/* The method `name` that is the function of that name in the module, and its row of a PyMethodDef. */
#define METHOD_IN_PYTHON(module, name)                                                 \
    static PyObject *method_##name(PyObject *self, PyObject *args, PyObject *kwargs) { \
        return disp_call_in_python(module, #name, self, args, kwargs);                 \
    }
#define METHOD_IN_PYTHON_ROW(name) \
    {#name, (PyCFunction)(void *)(uintptr_t)method_##name, METH_VARARGS | METH_KEYWORDS, NULL},
