/* Has a dict, a cell, or what a class inherits from changed? One word of it tells: the version tag of a dict, what a
 * cell or a class points at.
 *
 * The stable ABI has none of them. So whether the words are where CPython 3.11 to 3.13 have them, and do what they
 * should, is tried out at import. Where they do not (3.14 counts no versions), nothing is watched and each call looks
 * at the values themselves. */
#include "dispatch/watch.h"

#include <string.h>

#include "py/py.h"

enum {
    CELL_VALUE = sizeof(PyObject), /* the object in it */
    DICT_VERSION = sizeof(PyObject) + sizeof(Py_ssize_t), /* another number after each change */
};

static bool dicts, cells; /* can be watched */
static size_t mro_offset; /* in a class; 0: not known */

static const uint64_t *word_at(PyObject *obj, size_t offset) {
    return (const uint64_t *)(const void *)((const char *)obj + offset);
}

/* --- trying it out ---------------------------------------------------------------------------- */

/* New, or NULL with an exception set. */
static PyObject *run(const char *program, PyObject *names) {
    PyObject *code = Py_CompileString(program, "<watch>", Py_file_input);
    PyObject *done = code ? PyEval_EvalCode(code, names, names) : NULL;
    Py_XDECREF(code);
    return done;
}

/* Runs `change`; true if the word of `d` is another then. */
static bool does_change(PyObject *d, const char *change) {
    uint64_t before = *word_at(d, DICT_VERSION);
    PyObject *names = Py_BuildValue("{sO}", "d", d);
    PyObject *done = names ? run(change, names) : NULL;
    bool changed = done && *word_at(d, DICT_VERSION) != before;
    PyErr_Clear();
    Py_XDECREF(done);
    Py_XDECREF(names);
    return changed;
}

static bool try_dict(void) {
    static const char *const changes[] = {
        "d['a'] = 1",       "d['a'] = 2",       "d.update(a=3)",    "d.pop('a')",
        "exec('a = 4', d)", "exec('a = 5', d)", "exec('del a', d)",
    };
    PyObject *d = PyDict_New();
    bool all = d;
    for (size_t i = 0; all && i < sizeof changes / sizeof *changes; i++)
        all = does_change(d, changes[i]);
    PyErr_Clear();
    Py_XDECREF(d);
    return all;
}

static bool holds_at_word(PyObject *cell, PyObject *value) {
    uintptr_t inside;
    if (PyObject_SetAttrString(cell, "cell_contents", value)) return false;
    memcpy(&inside, word_at(cell, CELL_VALUE), sizeof inside);
    return inside == (uintptr_t)value;
}

static bool try_cell(void) {
    PyObject *types = PyImport_ImportModule("types");
    PyObject *cls = types ? PyObject_GetAttrString(types, "CellType") : NULL;
    PyObject *cell = cls ? PyObject_CallFunctionObjArgs(cls, NULL) : NULL;
    bool is = cell && holds_at_word(cell, types) && holds_at_word(cell, cls) &&
              holds_at_word(cell, Py_None);
    PyErr_Clear();
    Py_XDECREF(cell);
    Py_XDECREF(cls);
    Py_XDECREF(types);
    return is;
}

/* Where the class keeps its __mro__, if that is in one place only; else 0. */
static size_t find_mro(PyObject *cls) {
    PyObject *mro = py_get_attr(cls, "__mro__"),
             *size = py_get_attr((PyObject *)&PyType_Type, "__basicsize__");
    size_t end = size ? PyLong_AsSize_t(size) : 0, found = 0, places = 0;
    for (size_t at = sizeof(PyObject); mro && at + sizeof(uint64_t) <= end;
         at += sizeof(uint64_t)) {
        if (*word_at(cls, at) != (uintptr_t)mro) continue;
        found = at;
        places++;
    }
    Py_XDECREF(size);
    Py_XDECREF(mro);
    return places == 1 ? found : 0;
}

/* Gives a class another base, and finds the word before and after. */
static size_t try_class(void) {
    static const char program[] = "class A: pass\nclass B: pass\nclass C(A): pass\n";
    static const char change[] = "C.__bases__ = B,";
    PyObject *names = Py_BuildValue("{ss}", "__name__", "watch");
    if (names) PyDict_SetItemString(names, "__builtins__", PyEval_GetBuiltins());
    PyObject *done = names ? run(program, names) : NULL;
    PyObject *cls = done ? PyDict_GetItemString(names, "C") : NULL; /* borrowed */
    size_t offset = cls ? find_mro(cls) : 0;
    uint64_t before = offset ? *word_at(cls, offset) : 0;
    PyObject *changed = offset ? run(change, names) : NULL;
    if (!changed || find_mro(cls) != offset || *word_at(cls, offset) == before) offset = 0;
    PyErr_Clear();
    Py_XDECREF(changed);
    Py_XDECREF(done);
    Py_XDECREF(names);
    return offset;
}

void watch_init(void) {
    dicts = sizeof(void *) == sizeof(uint64_t) && try_dict();
    cells = sizeof(void *) == sizeof(uint64_t) && try_cell();
}

/* --- watching --------------------------------------------------------------------------------- */

const uint64_t *watch_dict(PyObject *dict) { return dicts ? word_at(dict, DICT_VERSION) : NULL; }
const uint64_t *watch_cell(PyObject *cell) { return cells ? word_at(cell, CELL_VALUE) : NULL; }

/* Tried when the first class is met: most programs read no attributes of classes. */
const uint64_t *watch_bases(PyObject *cls) {
    static bool tried;
    if (!tried && sizeof(void *) == sizeof(uint64_t)) mro_offset = try_class();
    tried = true;
    return mro_offset ? word_at(cls, mro_offset) : NULL;
}
