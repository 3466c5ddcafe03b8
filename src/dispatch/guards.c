/* Globals and closure values are constants of compiled code; a guard notices when one has
 * changed.
 *
 * The list of an entry is flat and covers all that the function reaches: its own global names and
 * cells, and those of the functions among them. It is made from names alone, so it may hold a few
 * too many (an attribute that is called like a global); a guard that holds costs about 4 ns.
 * Modules, classes and builtins are not guarded themselves; what is read from a user's module is. */
#include "dispatch/function.h"

#include <string.h>

#include "base/mem.h"

enum { MOST = 400 }; /* guards; a function that reaches more is compiled once and for all */

typedef struct Collect {
    const Unit *unit;
    Guard *at;
    uint32_t n, cap;
    PyObject *seen; /* set: ids of the functions visited */
} Collect;

static bool is_place(PyObject *place, PyObject *home, PyObject *key) {
    if (!PyTuple_Check(place) || PyTuple_GetItem(place, 0) != home) return false;
    PyObject *name = PyTuple_GetItem(place, 1);
    return key ? name != Py_None && PyUnicode_Compare(name, key) == 0 : name == Py_None;
}

/* The type of a number that the unit looks up there; NULL: it does not. */
static const Type *changing_type(const Unit *u, PyObject *home, PyObject *key) {
    for (uint32_t i = 0; i < u->ncaptured; i++)
        if (is_place(u->captured[i], home, key)) return u->captured_types[i];
    return NULL;
}

static bool is_at(const Guard *g, PyObject *home, PyObject *key) {
    if (g->home != home || !g->key != !key) return false;
    return g->key == key || PyUnicode_Compare(g->key, key) == 0;
}

static int grow(Collect *c) {
    uint32_t cap = c->cap ? c->cap * 2 : 8;
    Guard *at = mem_realloc(c->at, cap * sizeof *at);
    if (!at) {
        PyErr_NoMemory();
        return -1;
    }
    c->at = at;
    c->cap = cap;
    return 0;
}

static int add(Collect *c, PyObject *home, PyObject *key, PyObject *value) {
    for (uint32_t i = 0; i < c->n; i++)
        if (c->at[i].home == home && c->at[i].key == key) return 0;
    if (c->n == c->cap && grow(c)) return -1;
    const Type *type = changing_type(c->unit, home, key);
    c->at[c->n++] = (Guard){Py_NewRef(home), Py_XNewRef(key), type ? NULL : Py_NewRef(value), type};
    return 0;
}

static bool is_guarded(PyObject *value) {
    return !PyType_Check(value) && Py_TYPE(value) != disp.module &&
           Py_TYPE(value) != disp.builtin && Py_TYPE(value) != disp.ufunc;
}

static int collect_function(Collect *c, PyObject *func);

/* A value that code can see: guards it and follows it into functions. */
static int collect_value(Collect *c, PyObject *home, PyObject *key, PyObject *value) {
    if (c->n >= MOST || !is_guarded(value)) return 0;
    if (add(c, home, key, value)) return -1;
    PyObject *func = disp_unwrap(value, NULL);
    if (!func && Py_TYPE(value) == disp.function) func = value;
    return func ? collect_function(c, func) : 0;
}

/* Is the module the package or below it? (numpy_groupies is not below numpy.) */
static bool is_in_package(const char *module, const char *package) {
    size_t n = strlen(package);
    return strncmp(module, package, n) == 0 && (module[n] == 0 || module[n] == '.');
}

/* Modules whose contents nobody changes: what compiled code uses of them is ours anyway. */
static bool is_fixed_module(PyObject *module) {
    static const char *const fixed[] = {"numpy",    "math",   "cmath", "random", "builtins",
                                        "operator", "typing", "types", "enum",   "whipsnake"};
    const char *name = NULL;
    PyObject *text = PyObject_GetAttrString(module, "__name__");
    if (text && PyUnicode_Check(text)) name = PyUnicode_AsUTF8AndSize(text, NULL);
    PyErr_Clear();
    bool found = false;
    for (size_t i = 0; name && !found && i < sizeof fixed / sizeof *fixed; i++) {
        found = is_in_package(name, fixed[i]);
    }
    Py_XDECREF(text);
    return found;
}

/* What the names of a code object are in a dict: its globals, or a module that it names. */
static int collect_from(Collect *c, PyObject *names, PyObject *dict, bool is_module) {
    for (Py_ssize_t i = 0, n = PyTuple_Size(names); i < n; i++) {
        PyObject *name = PyTuple_GetItem(names, i), *value = PyDict_GetItemWithError(dict, name);
        if (!value) continue;
        if (collect_value(c, dict, name, value)) return -1;
        if (!is_module && Py_TYPE(value) == disp.module && !is_fixed_module(value) &&
            collect_from(c, names, PyModule_GetDict(value), true))
            return -1;
    }
    return 0;
}

/* The global names of a code object and of those nested in it. */
static int collect_names(Collect *c, PyObject *code, PyObject *globals) {
    PyObject *names = PyObject_GetAttrString(code, "co_names");
    PyObject *consts = names ? PyObject_GetAttrString(code, "co_consts") : NULL;
    int rc = consts ? collect_from(c, names, globals, false) : -1;
    for (Py_ssize_t i = 0, n = consts ? PyTuple_Size(consts) : 0; rc == 0 && i < n; i++) {
        PyObject *inner = PyTuple_GetItem(consts, i);
        if (Py_TYPE(inner) == Py_TYPE(code)) rc = collect_names(c, inner, globals);
    }
    Py_XDECREF(names);
    Py_XDECREF(consts);
    return rc;
}

static int collect_cells(Collect *c, PyObject *func) {
    PyObject *closure = PyObject_GetAttrString(func, "__closure__");
    int rc = closure ? 0 : -1;
    Py_ssize_t n = closure && closure != Py_None ? PyTuple_Size(closure) : 0;
    for (Py_ssize_t i = 0; rc == 0 && i < n; i++) {
        PyObject *cell = PyTuple_GetItem(closure, i);
        PyObject *value = PyObject_GetAttrString(cell, "cell_contents");
        if (value)
            rc = collect_value(c, cell, NULL, value);
        else
            PyErr_Clear(); /* not set yet */
        Py_XDECREF(value);
    }
    Py_XDECREF(closure);
    return rc;
}

/* Code of NumPy's own is replaced by ours: what it reads does not matter. */
static bool is_foreign(PyObject *func) {
    PyObject *module = PyObject_GetAttrString(func, "__module__");
    const char *text =
        module && PyUnicode_Check(module) ? PyUnicode_AsUTF8AndSize(module, NULL) : NULL;
    bool foreign = text && (is_in_package(text, "numpy") || is_in_package(text, "whipsnake"));
    PyErr_Clear();
    Py_XDECREF(module);
    return foreign;
}

static int collect_function(Collect *c, PyObject *func) {
    PyObject *id = PyLong_FromVoidPtr(func);
    int known = id ? PySet_Contains(c->seen, id) : -1;
    if (known == 0)
        known = PySet_Add(c->seen, id);
    else if (known == 1)
        known = 2;
    Py_XDECREF(id);
    if (known < 0) return -1;
    if (known == 2 || is_foreign(func)) return 0;
    PyObject *code = PyObject_GetAttrString(func, "__code__");
    PyObject *globals = code ? PyObject_GetAttrString(func, "__globals__") : NULL;
    int rc = globals ? collect_names(c, code, globals) : -1;
    Py_XDECREF(code);
    Py_XDECREF(globals);
    return rc ? rc : collect_cells(c, func);
}

int guards_collect(Entry *e, PyObject *func) {
    Collect c = {.unit = e->unit, .seen = PySet_New(NULL)};
    int rc = c.seen ? collect_function(&c, func) : -1;
    Py_XDECREF(c.seen);
    e->guards = c.at;
    e->nguards = c.n;
    return rc;
}

/* --- checking --------------------------------------------------------------------------------- */

static bool is_same_float(PyObject *a, PyObject *b) {
    double x = PyFloat_AsDouble(a), y = PyFloat_AsDouble(b);
    return memcmp(&x, &y, sizeof x) == 0; /* 0.0 is not -0.0, nan is nan */
}

/* Another object of the same type and value; False is not 0. */
static bool is_same(PyObject *a, PyObject *b) {
    if (a == b) return true;
    PyTypeObject *cls = Py_TYPE(a);
    if (cls != Py_TYPE(b)) return false;
    if (cls == &PyFloat_Type) return is_same_float(a, b);
    if (cls == &PyTuple_Type) {
        Py_ssize_t n = PyTuple_Size(a);
        if (n != PyTuple_Size(b)) return false;
        for (Py_ssize_t i = 0; i < n; i++)
            if (!is_same(PyTuple_GetItem(a, i), PyTuple_GetItem(b, i))) return false;
        return true;
    }
    if (cls != &PyLong_Type && cls != &PyUnicode_Type && cls != &PyBytes_Type) return false;
    return PyObject_RichCompareBool(a, b, Py_EQ) == 1;
}

/* What is there now: new, or NULL without an exception. */
static PyObject *value_at(PyObject *home, PyObject *key) {
    PyObject *value = key ? Py_XNewRef(PyDict_GetItemWithError(home, key))
                          : PyObject_GetAttrString(home, "cell_contents");
    if (!value) PyErr_Clear();
    return value;
}

static bool holds_changed(Guard *g, PyObject *value) {
    if (g->type) {
        bool same = disp_typeof(value) == g->type;
        PyErr_Clear();
        return same;
    }
    if (!is_same(g->value, value)) return false;
    PyObject *old = g->value;
    g->value = Py_NewRef(value); /* next time the pointers are equal */
    Py_DECREF(old);
    return true;
}

static bool holds(Guard *g) {
    PyObject *cell_value = g->key ? NULL : PyObject_GetAttrString(g->home, "cell_contents");
    PyObject *value = g->key ? PyDict_GetItemWithError(g->home, g->key) : cell_value;
    bool same = value && (value == g->value || holds_changed(g, value));
    Py_XDECREF(cell_value);
    return same;
}

bool guards_hold(const Entry *e) {
    for (uint32_t i = 0; i < e->nguards; i++)
        if (__builtin_expect(!holds(&e->guards[i]), 0)) {
            PyErr_Clear();
            return false;
        }
    return true;
}

/* --- numbers that keep changing --------------------------------------------------------------- */

PyObject *guards_place_value(PyObject *place) {
    PyObject *key = PyTuple_GetItem(place, 1);
    return value_at(PyTuple_GetItem(place, 0), key == Py_None ? NULL : key);
}

static bool is_python_number(PyObject *obj) {
    PyTypeObject *cls = Py_TYPE(obj);
    return cls == &PyLong_Type || cls == &PyFloat_Type || cls == &PyBool_Type ||
           cls == &PyComplex_Type;
}

static bool is_for(const Entry *e, Type *const *types, uint32_t n) {
    return e->unit && entry_is_for(e, types, n, NULL);
}

/* How many entries for these types were compiled for another number there than `value`. */
static uint32_t count_others(const Entry *e, Type *const *types, uint32_t n, const Guard *at,
                             PyObject *value) {
    uint32_t others = 0;
    for (; e; e = e->next)
        for (uint32_t i = 0; is_for(e, types, n) && i < e->nguards; i++) {
            const Guard *g = &e->guards[i];
            if (is_at(g, at->home, at->key) && g->value && Py_TYPE(g->value) == Py_TYPE(value))
                others += !is_same(g->value, value);
        }
    return others;
}

/* Does the number there keep changing, or has it done so already? */
static bool is_changing(const Entry *e, Type *const *types, uint32_t n, const Guard *g) {
    enum { CHANGES = 2 };
    PyObject *value = value_at(g->home, g->key);
    bool is = value && is_python_number(value) &&
              (g->type || count_others(e, types, n, g, value) >= CHANGES);
    Py_XDECREF(value);
    return is;
}

static int add_place(PyObject *list, const Guard *g) {
    PyObject *place = PyTuple_Pack(2, g->home, g->key ? g->key : Py_None);
    int rc = place ? PyList_Append(list, place) : -1;
    Py_XDECREF(place);
    return rc;
}

PyObject *guards_find_changing(const Entry *entries, Type *const *types, uint32_t n) {
    const Entry *newest = NULL;
    for (const Entry *e = entries; e; e = e->next)
        if (is_for(e, types, n)) newest = e;
    PyObject *list = newest ? PyList_New(0) : NULL;
    for (uint32_t i = 0; list && i < newest->nguards; i++)
        if (is_changing(entries, types, n, &newest->guards[i]) &&
            add_place(list, &newest->guards[i]))
            Py_CLEAR(list);
    if (list && PyList_Size(list) == 0) Py_CLEAR(list);
    return list;
}
