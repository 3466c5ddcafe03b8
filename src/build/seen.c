/* What a compile reads of Python's changeable places, for the guards: see PyRead in core/unit.h. */
#include <Python.h>

#include "build/build.h"
#include "py/py.h"

static bool is_known(const Module *m, PyObject *home, PyObject *key, PyObject *value) {
    for (uint32_t i = 0; i < m->seen.n; i++) {
        const PyRead *s = &m->seen.at[i];
        if (s->home == home && s->key == key && s->value == value) return true;
    }
    return false;
}

static PyObject *keep(Cx *cx, PyObject *obj) { return obj ? py_keep(cx, Py_NewRef(obj)) : NULL; }

/* A place that changed since it was read before is noted once more: no guard can hold for both. */
void build_see(Cx *cx, Module *m, PyObject *home, const char *name, PyObject *value) {
    PyObject *key = name ? py_keep(cx, PyUnicode_InternFromString(name)) : NULL;
    if ((name && !key) || is_known(m, home, key, value)) return;
    vec_push(cx, &m->seen, ((PyRead){keep(cx, home), key, keep(cx, value)}));
}

static void see_in_module(Cx *cx, Module *m, PyObject *module, const char *name) {
    PyObject *dict = PyModule_GetDict(module); /* borrowed */
    if (!py_is_fixed_module(py_text(cx, py_get_item(dict, "__name__"), NULL)))
        build_see(cx, m, dict, name, py_get_item(dict, name));
}

/* Classes that are written in C do not change. */
static void see_in_class(Cx *cx, Module *m, PyObject *cls, const char *name) {
    if (!(PyType_GetFlags((PyTypeObject *)cls) & Py_TPFLAGS_HEAPTYPE)) return;
    if (!py_is_fixed_module(py_text_attr(cx, cls, "__module__")))
        build_see(cx, m, cls, name, py_attr(cx, cls, name));
}

void build_see_attr(Cx *cx, Module *m, PyObject *owner, const char *name) {
    if (PyModule_Check(owner))
        see_in_module(cx, m, owner, name);
    else if (PyType_Check(owner))
        see_in_class(cx, m, owner, name);
}
