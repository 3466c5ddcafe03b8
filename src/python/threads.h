/* The functions of the extension module about the threads of parallel loops. */
#pragma once
#include <Python.h>

/* thread_settings(): how many threads there may be, how many loops of this thread use, iterations a chunk (0: chosen). */
PyObject *python_thread_settings(PyObject *module, PyObject *none);
/* set_threads(n), set_chunk_size(n): of this thread; the values have been looked at. */
PyObject *python_set_threads(PyObject *module, PyObject *n);
PyObject *python_set_chunk_size(PyObject *module, PyObject *n);
#ifdef WS_CHECKS
PyObject *python_reverse_chunks(PyObject *module, PyObject *on); /* see pool_reverse */
#endif
