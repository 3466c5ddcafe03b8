#include "python/threads.h"

#include "runtime/pool.h"

PyObject *python_thread_settings(PyObject *module, PyObject *none) {
    (void)module, (void)none;
    return Py_BuildValue("(IIL)", pool_most_threads(), pool_threads(),
                         (long long)pool_chunk_size());
}

PyObject *python_set_threads(PyObject *module, PyObject *n) {
    (void)module;
    unsigned long count = PyLong_AsUnsignedLong(n);
    if (PyErr_Occurred()) return NULL;
    pool_set_threads((unsigned)count);
    Py_RETURN_NONE;
}

PyObject *python_set_chunk_size(PyObject *module, PyObject *n) {
    (void)module;
    long long size = PyLong_AsLongLong(n);
    if (PyErr_Occurred()) return NULL;
    pool_set_chunk_size(size);
    Py_RETURN_NONE;
}

#ifdef WS_CHECKS
PyObject *python_reverse_chunks(PyObject *module, PyObject *on) {
    (void)module;
    pool_reverse(on == Py_True);
    Py_RETURN_NONE;
}
#endif
