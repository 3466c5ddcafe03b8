/* Has a dict or a cell changed? One word of it tells: the version tag of a dict, what a cell points at.
 *
 * The stable ABI has neither. So whether the words are where CPython 3.11 to 3.13 have them, and do what they
 * should, is tried out at import. Where they do not (3.14 counts no versions), nothing is watched and each call looks
 * at the values themselves. */
#include "dispatch/watch.h"

#include <string.h>

enum {
    CELL_VALUE = sizeof(PyObject), /* the object in it */
    DICT_VERSION = sizeof(PyObject) + sizeof(Py_ssize_t), /* another number after each change */
};

static bool dicts, cells; /* can be watched */

static const uint64_t *word_at(PyObject *obj, size_t offset) {
    return (const uint64_t *)(const void *)((const char *)obj + offset);
}

/* --- trying it out ---------------------------------------------------------------------------- */

/* Runs `change`; true if the word of `d` is another then. */
static bool does_change(PyObject *d, const char *change) {
    uint64_t before = *word_at(d, DICT_VERSION);
    PyObject *names = Py_BuildValue("{sO}", "d", d);
    PyObject *code = names ? Py_CompileString(change, "<watch>", Py_file_input) : NULL;
    PyObject *done = code ? PyEval_EvalCode(code, names, names) : NULL;
    bool changed = done && *word_at(d, DICT_VERSION) != before;
    PyErr_Clear();
    Py_XDECREF(done);
    Py_XDECREF(code);
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

void watch_init(void) {
    dicts = sizeof(void *) == sizeof(uint64_t) && try_dict();
    cells = sizeof(void *) == sizeof(uint64_t) && try_cell();
}

/* --- watching --------------------------------------------------------------------------------- */

const uint64_t *watch_dict(PyObject *dict) { return dicts ? word_at(dict, DICT_VERSION) : NULL; }
const uint64_t *watch_cell(PyObject *cell) { return cells ? word_at(cell, CELL_VALUE) : NULL; }
