/* The functions of the extension module that launch kernels. */
#pragma once
#include <Python.h>

/* launch(function, x, y, z, *args): runs a compiled kernel over a grid of x * y * z blocks on the CPU and returns when
 * all of them are done. An exception raised by a thread ends the launch. */
PyObject *python_launch(PyObject *module, PyObject *const *args, Py_ssize_t n);
