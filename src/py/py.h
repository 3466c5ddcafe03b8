/* Reading Python objects through the limited API, for the compiler's front end and for the cache. The
 * GIL is held throughout, inside cx_run.
 *
 * References are not released one by one: py_keep hands each to the compile, so that leaving by
 * cx_abort at any point leaks nothing. None of these leaves an exception set. */
#pragma once
#include <Python.h>

#include "base/cx.h"

/* Clears the exception that is set, if any. One that says nothing about what was asked, but came in
 * between (no memory, Ctrl-C, what a signal handler raised), ends the compile later: Cx.raised. */
void py_clear_error(void);
/* dict[name]: borrowed, or NULL. */
PyObject *py_get_item(PyObject *dict, const char *name);
/* Takes a new reference (or NULL, then clears the exception) and gives it back, released when
 * the compile ends. */
PyObject *py_keep(Cx *cx, PyObject *new_ref);
/* Attribute: a new reference, or NULL with the exception set (obj NULL: as it is). */
PyObject *py_get_attr(PyObject *obj, const char *name);
/* An attribute of a module, which is imported if need be: a new reference, or NULL with the exception set. */
PyObject *py_import_attr(const char *module, const char *name);
/* Attribute, kept by the compile; NULL if there is none. */
PyObject *py_attr(Cx *cx, PyObject *obj, const char *name);
/* Integer attribute, or `missing`. */
int64_t py_int_attr(Cx *cx, PyObject *obj, const char *name, int64_t missing);
/* Text of a str, copied into the compile; NULL if it is none (or has lone surrogates). *n may be
 * NULL. */
const char *py_text(Cx *cx, PyObject *str, size_t *n);
const char *py_text_attr(Cx *cx, PyObject *obj, const char *name);
/* Is obj exactly of the class of this name? For classes that the limited API does not name. */
bool py_is_a(PyObject *obj, const char *class_name);
const char *py_class_name(Cx *cx, PyObject *obj);
/* Is this the name of a module whose contents only its makers change: NumPy, math ...? */
bool py_is_fixed_module(const char *name);
/* A module that was imported before, kept by the compile; NULL if it was not. */
PyObject *py_loaded_module(Cx *cx, const char *name);
/* Is obj an instance of a class that an imported module has? False if the module was not
 * imported. */
bool py_is_instance(Cx *cx, PyObject *obj, const char *module, const char *class_name);
