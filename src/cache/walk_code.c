/* Code objects and what their names are. */
#include "cache/walk.h"

static PyObject *item_of(PyObject *dict, PyObject *name) {
    PyObject *value = dict ? PyDict_GetItemWithError(dict, name) : NULL; /* borrowed */
    if (!value) py_clear_error();
    return value;
}

static PyObject *keep(Walk *w, PyObject *obj) {
    return obj ? py_keep(w->cx, Py_NewRef(obj)) : NULL;
}

/* What a name led to, or that it led to nothing there. */
static void note_place(Walk *w, PyObject *home, PyObject *key, PyObject *value) {
    vec_push(w->cx, &w->found, ((PyRead){keep(w, home), keep(w, key), keep(w, value)}));
}

static void put_found(Walk *w, char tag, uint32_t name, PyObject *value) {
    walk_put(w, &tag, 1);
    walk_put(w, &name, sizeof name);
    walk_value(w, value);
}

/* --- names ------------------------------------------------------------------------------------ */

static bool is_shared(const Walk *w, PyObject *value) {
    return w->functions && (PyModule_Check(value) || item_of(w->functions, value));
}

/* An attribute that code may mean. Of modules that we know only what users have overloaded counts. */
static void look_up(Walk *w, PyObject *owner, uint32_t i, bool fixed) {
    PyObject *name = w->names.at[i], *home = owner, *value;
    if (PyModule_Check(owner))
        value = item_of(home = PyModule_GetDict(owner), name);
    else
        value = py_keep(w->cx, PyObject_GetAttr(owner, name));
    if (!fixed) note_place(w, home, name, value);
    if (value && (!fixed || is_shared(w, value))) put_found(w, '.', i, value);
}

bool walk_look_into(Walk *w, uint32_t node) {
    PyObject *owner = w->nodes.at[node].obj;
    bool is_module = PyModule_Check(owner);
    uint32_t from = w->nodes.at[node].looked, to = w->names.n;
    if (from == to || (!is_module && !PyType_Check(owner))) return false;
    bool fixed =
        py_is_fixed_module(py_text_attr(w->cx, owner, is_module ? "__name__" : "__module__"));
    w->nodes.at[node].looked = to;
    if (fixed && (!is_module || !w->functions)) return false;
    w->python = w->nodes.at[node].python;
    put_found(w, '!', node, owner);
    for (uint32_t i = from; i < to; i++) look_up(w, owner, i, fixed);
    return true;
}

/* Overloads of methods and attributes of this name, of whatever class. */
static void put_methods(Walk *w, PyObject *name) {
    PyObject *rows = w->by_name ? item_of(w->by_name, name) : NULL;
    if (!rows) return;
    bool outer = w->python;
    w->python = true;
    walk_value(w, rows);
    w->python = outer;
}

static void note_name(Walk *w, PyObject *name) {
    if (map_set(w->cx, &w->known_names, map_key(name), 1)) vec_push(w->cx, &w->names, name);
}

typedef struct Space {
    PyObject *globals, *builtins;
} Space;

static void put_names(Walk *w, PyObject *names, const Space *x) {
    for (uint32_t i = 0; i < (uint32_t)PyTuple_Size(names); i++) {
        PyObject *name = PyTuple_GetItem(names, (Py_ssize_t)i), *value = item_of(x->globals, name);
        note_name(w, name);
        put_methods(w, name);
        note_place(w, x->globals, name, value);
        if (!value) {
            value = item_of(x->builtins, name);
            note_place(w, x->builtins, name, value);
        }
        if (value) put_found(w, 'g', i, value);
    }
}

/* --- code ------------------------------------------------------------------------------------- */

static bool is_code(PyObject *obj) { return py_is_a(obj, "code"); }

/* Lines in co_linetable are relative to the first. */
static void put_code(Walk *w, PyObject *code, const Space *x) {
    static const char *const attributes[] = {
        "co_code",
        "co_name",
        "co_qualname",
        "co_argcount",
        "co_posonlyargcount",
        "co_kwonlyargcount",
        "co_flags",
        "co_names",
        "co_varnames",
        "co_freevars",
        "co_cellvars",
        "co_linetable",
        "co_exceptiontable",
    };
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        PyObject *value = py_attr(w->cx, code, attributes[i]);
        walk_value(w, value ? value : Py_None);
    }
    PyObject *consts = py_attr(w->cx, code, "co_consts");
    int64_t line = py_int_attr(w->cx, code, "co_firstlineno", 0);
    for (Py_ssize_t i = 0; consts && i < PyTuple_Size(consts); i++) {
        PyObject *k = PyTuple_GetItem(consts, i);
        if (!is_code(k)) {
            walk_value(w, k);
            continue;
        }
        int64_t below = py_int_attr(w->cx, k, "co_firstlineno", 0) - line;
        walk_put(w, &below, sizeof below);
        put_code(w, k, x);
    }
    PyObject *names = py_attr(w->cx, code, "co_names");
    if (names && PyTuple_Check(names)) put_names(w, names, x);
}

static void put_cells(Walk *w, PyObject *func) {
    PyObject *closure = py_attr(w->cx, func, "__closure__");
    Py_ssize_t n = closure && PyTuple_Check(closure) ? PyTuple_Size(closure) : 0;
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *cell = PyTuple_GetItem(closure, i);
        PyObject *value = py_attr(w->cx, cell, "cell_contents");
        note_place(w, cell, NULL, value);
        if (value) put_found(w, 'v', (uint32_t)i, value);
    }
}

static PyObject *builtins_of(Walk *w, PyObject *func) {
    PyObject *builtins = py_attr(w->cx, func, "__builtins__");
    if (builtins && !PyDict_Check(builtins)) builtins = py_attr(w->cx, builtins, "__dict__");
    return builtins && PyDict_Check(builtins) ? builtins : PyEval_GetBuiltins();
}

void walk_function(Walk *w, PyObject *func) {
    PyObject *code = py_attr(w->cx, func, "__code__"), *kwdefaults;
    PyObject *globals = py_attr(w->cx, func, "__globals__");
    if (!code || !is_code(code) || !globals || !PyDict_Check(globals)) {
        walk_give_up(w, "it calls something that has code but is no Python function");
        return;
    }
    walk_text(w, py_text_attr(w->cx, func, "__qualname__"));
    Space x = {.globals = globals, .builtins = builtins_of(w, func)};
    put_code(w, code, &x);
    put_cells(w, func);
    PyObject *defaults = py_attr(w->cx, func, "__defaults__");
    walk_value(w, defaults ? defaults : Py_None);
    kwdefaults = py_attr(w->cx, func, "__kwdefaults__");
    if (!kwdefaults || !PyDict_Check(kwdefaults)) return;
    PyObject *items = py_keep(w->cx, PyDict_Items(kwdefaults));
    for (Py_ssize_t i = 0; items && i < PyList_Size(items); i++)
        walk_value(w, PyList_GetItem(items, i));
}

const Home *walk_home(Walk *w, uint32_t node) {
    if (w->nodes.at[node].home) return w->nodes.at[node].home;
    Home *h = NEW(w->cx, Home);
    w->nodes.at[node].home = h;
    PyObject *func = w->nodes.at[node].obj;
    PyObject *code = PyCallable_Check(func) ? py_attr(w->cx, func, "__code__") : NULL;
    if (!code || !is_code(code)) return h;
    h->filename = py_text_attr(w->cx, code, "co_filename");
    h->qualname = py_text_attr(w->cx, func, "__qualname__");
    h->code_qualname = py_text_attr(w->cx, code, "co_qualname");
    if (h->filename && h->qualname)
        h->line = (uint32_t)py_int_attr(w->cx, code, "co_firstlineno", 0);
    return h;
}
