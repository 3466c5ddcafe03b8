/* What the limited headers of Python 3.11 hide, though it is there: part of the stable ABI since 3.12. */
#pragma once
#include <Python.h>

#define HAVE_VECTORCALL (1UL << 11) /* Py_TPFLAGS_HAVE_VECTORCALL */
#if defined(Py_TPFLAGS_HAVE_VECTORCALL)
_Static_assert(Py_TPFLAGS_HAVE_VECTORCALL == HAVE_VECTORCALL, "the flag has moved");
#endif

/* The flag in the count of arguments of a vectorcall. */
#define VECTORCALL_OFFSET ((size_t)1 << (8 * sizeof(size_t) - 1))

#if Py_LIMITED_API + 0 < 0x030c0000
PyAPI_FUNC(PyObject *) PyObject_Vectorcall(PyObject *callable, PyObject *const *args, size_t nargsf,
                                           PyObject *kwnames);
PyAPI_FUNC(PyObject *) PyVectorcall_Call(PyObject *callable, PyObject *args, PyObject *kwargs);
#endif
