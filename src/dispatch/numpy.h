/* NumPy's C API for this folder: the table of its functions is filled in by disp_init. */
#pragma once
#include <Python.h>

#define PY_ARRAY_UNIQUE_SYMBOL ws_numpy_api
#ifndef WS_NUMPY_TABLE
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>
