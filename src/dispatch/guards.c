/* Globals and closure values are constants of compiled code; a guard notices when one has
 * changed.
 *
 * The guards of an entry are the places that its compile looked at (Unit.seen), with what was there then,
 * wherever they are: names and cells of the function and of all it calls, attributes of modules and
 * classes. Before a call nobody looks at them, but at the words that tell whether anything has changed in
 * those dicts, classes and cells since (dispatch/watch.c): about 1 ns each, and there are few. If a word
 * is another, each place is looked at. */
#include "dispatch/function.h"

#include <string.h>

#include "base/mem.h"
#include "dispatch/watch.h"

enum { NONE = UINT32_MAX };

static bool is_at(const Guard *g, PyObject *home, PyObject *key) {
    if (g->home != home || !g->key != !key) return false;
    return g->key == key || PyUnicode_Compare(g->key, key) == 0;
}

static void add(Entry *e, Guard g) {
    g.in_dict = g.key && !PyType_Check(g.home);
    Py_INCREF(g.home);
    Py_XINCREF(g.key);
    Py_XINCREF(g.value);
    e->guards[e->nguards++] = g;
}

static int add_all(Entry *e) {
    const Unit *u = e->unit;
    e->guards = mem_alloc((u->nseen + u->ncaptured + 1) * sizeof *e->guards);
    if (!e->guards) return -1;
    for (uint32_t i = 0; i < u->nseen; i++)
        add(e, (Guard){u->seen[i].home, u->seen[i].key, u->seen[i].value, NULL});
    for (uint32_t i = 0; i < u->ncaptured; i++) {
        PyObject *place = u->captured[i], *key;
        if (!PyTuple_Check(place)) continue; /* an array: the name that it had is a place */
        key = PyTuple_GetItem(place, 1);
        add(e, (Guard){PyTuple_GetItem(place, 0), key == Py_None ? NULL : key, NULL,
                       u->captured_types[i]});
    }
    return 0;
}

/* --- watching --------------------------------------------------------------------------------- */

/* Its number in e->watches; NONE: there is no word. */
static uint32_t watch(Entry *e, Watch w) {
    uint32_t i = 0;
    if (!w.word) {
        e->unwatched = true;
        return NONE;
    }
    while (i < e->nwatches && e->watches[i].word != w.word) i++;
    if (i < e->nwatches) return i;
    Py_INCREF(w.home);
    Py_XINCREF(w.held);
    e->watches[e->nwatches++] = w;
    return i;
}

/* The words have no value yet: the first call looks at the places. */
static uint32_t watch_changes(Entry *e, PyObject *dict) {
    return watch(e, (Watch){.word = watch_dict(dict), .value = UINT64_MAX, .home = dict});
}

static uint32_t watch_content(Entry *e, PyObject *cell) {
    return watch(
        e,
        (Watch){.word = watch_cell(cell), .value = UINT64_MAX, .home = cell, .is_address = true});
}

static bool may_change(PyObject *cls) {
    return PyType_GetFlags((PyTypeObject *)cls) & Py_TPFLAGS_HEAPTYPE;
}

/* The dict of a class: borrowed. NULL: it has none that may change. */
static PyObject *dict_of(PyObject *cls) {
    if (!may_change(cls)) return NULL;
    PyObject *dict = PyObject_GenericGetDict(cls, NULL);
    if (!dict) PyErr_Clear();
    Py_XDECREF(dict); /* the class has it */
    return dict;
}

static PyObject *mro_of(PyObject *home) {
    PyObject *name = PyType_Check(home) ? PyUnicode_InternFromString("__mro__") : NULL;
    PyObject *mro = name ? PyObject_GetAttr(home, name) : NULL; /* see py_get_attr */
    if (!mro) PyErr_Clear();
    Py_XDECREF(name);
    return mro;
}

/* The dicts of all classes that cls inherits from, and which those are: once that is another, every call looks at
 * the places. */
static void watch_class(Entry *e, PyObject *cls, PyObject *mro) {
    if (may_change(cls))
        watch(e, (Watch){.word = watch_bases(cls),
                         .value = (uintptr_t)mro,
                         .home = cls,
                         .held = mro,
                         .is_fixed = true});
    for (Py_ssize_t i = 0; i < PyTuple_Size(mro); i++) {
        PyObject *dict = dict_of(PyTuple_GetItem(mro, i));
        if (dict) watch_changes(e, dict);
    }
}

/* How many words there are at most. */
static size_t count_words(const Entry *e) {
    size_t n = e->nguards;
    for (uint32_t i = 0; i < e->nguards; i++) {
        PyObject *mro = mro_of(e->guards[i].home);
        if (mro) n += 1 + (size_t)PyTuple_Size(mro);
        Py_XDECREF(mro);
    }
    return n;
}

static void watch_guard(Entry *e, Guard *g) {
    PyObject *mro = mro_of(g->home);
    g->watch = NONE;
    if (mro)
        watch_class(e, g->home, mro);
    else if (PyType_Check(g->home))
        e->unwatched = true;
    else
        g->watch = g->key ? watch_changes(e, g->home) : watch_content(e, g->home);
    Py_XDECREF(mro);
}

static int watch_all(Entry *e) {
    e->watches = mem_alloc((count_words(e) + 1) * sizeof *e->watches);
    if (!e->watches) return -1;
    for (uint32_t i = 0; i < e->nguards; i++) watch_guard(e, &e->guards[i]);
    return 0;
}

int guards_make(Entry *e) {
    if (add_all(e) || watch_all(e)) {
        PyErr_NoMemory();
        return -1;
    }
    return 0;
}

void guards_free(Entry *e) {
    for (uint32_t i = 0; i < e->nguards; i++) {
        Py_DECREF(e->guards[i].home);
        Py_XDECREF(e->guards[i].key);
        Py_XDECREF(e->guards[i].value);
    }
    for (uint32_t i = 0; i < e->nwatches; i++) {
        Py_DECREF(e->watches[i].home);
        Py_XDECREF(e->watches[i].held);
    }
    mem_free(e->guards);
    mem_free(e->watches);
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
    PyObject *value = !key                 ? PyObject_GetAttrString(home, "cell_contents")
                      : PyType_Check(home) ? PyObject_GetAttr(home, key)
                                           : Py_XNewRef(PyDict_GetItemWithError(home, key));
    if (!value) PyErr_Clear();
    return value;
}

static bool holds_changed(Guard *g, PyObject *value) {
    if (g->type) {
        bool same = disp_typeof(value) == g->type;
        PyErr_Clear();
        return same;
    }
    if (!g->value || !is_same(g->value, value)) return false;
    PyObject *old = g->value;
    g->value = Py_NewRef(value); /* next time the pointers are equal */
    Py_DECREF(old);
    return true;
}

static bool holds(Guard *g) {
    if (g->in_dict && PyDict_GetItemWithError(g->home, g->key) == g->value && !g->type) return true;
    PyObject *value = value_at(g->home, g->key);
    bool same = value ? value == g->value || holds_changed(g, value) : !g->value && !g->type;
    Py_XDECREF(value);
    return same;
}

/* now: what the words are; NULL: not known. */
static bool look_at_places(const Entry *e, const uint64_t *now) {
    for (uint32_t i = 0; i < e->nguards; i++) {
        Guard *g = &e->guards[i];
        bool unchanged = now && g->watch != NONE && now[g->watch] == e->watches[g->watch].value;
        if (unchanged || holds(g)) continue;
        PyErr_Clear();
        return false;
    }
    return true;
}

/* What the word is now; an object whose address that is stays until it is kept or dropped. */
static uint64_t read_word(const Watch *w) {
    uint64_t now = *w->word;
    if (w->is_address) Py_XINCREF((PyObject *)(uintptr_t)now);
    return now;
}

static void keep_word(Watch *w, uint64_t now) {
    PyObject *before = w->held;
    if (w->is_fixed) return;
    w->value = now;
    if (!w->is_address) return;
    w->held = (PyObject *)(uintptr_t)now;
    Py_XDECREF(before);
}

/* The words are read before the places: what changes while those are looked at is seen the next time. Looking may run
 * Python, and this function once more for the same entry. */
bool guards_look(const Entry *e) {
    enum { FEW = 32 };
    uint64_t few[FEW], *now = few;
    if (e->nwatches > FEW) now = mem_alloc(e->nwatches * sizeof *now);
    if (!now) return look_at_places(e, NULL);
    for (uint32_t i = 0; i < e->nwatches; i++) now[i] = read_word(&e->watches[i]);
    bool same = look_at_places(e, now);
    for (uint32_t i = 0; i < e->nwatches; i++)
        if (same)
            keep_word(&e->watches[i], now[i]);
        else if (e->watches[i].is_address)
            Py_XDECREF((PyObject *)(uintptr_t)now[i]);
    if (now != few) mem_free(now);
    return same;
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
    if (PyType_Check(g->home)) return false; /* an attribute of a class stays a constant */
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
