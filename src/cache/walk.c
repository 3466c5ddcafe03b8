#include "cache/walk.h"

#include "cache/form.h"

enum {
    DEEPEST = 40,       /* containers in containers */
    MOST = 200000,      /* values */
};

void walk_put(Walk *w, const void *bytes, size_t n) { blake_add(&w->hash, bytes, n); }

static void put_number(Walk *w, uint64_t x) { walk_put(w, &x, sizeof x); }

/* What follows is told by a letter, so that no two contents give the same bytes. */
static void put_tag(Walk *w, char tag) { walk_put(w, &tag, 1); }

static void put_bytes(Walk *w, const char *bytes, size_t n) {
    put_number(w, n);
    walk_put(w, bytes, n);
}

void walk_text(Walk *w, const char *text) {
    put_bytes(w, text ? text : "", text ? strlen(text) : 0);
}

void walk_give_up(Walk *w, const char *why) {
    if (!w->problem) w->problem = why;
}

/* --- nodes ------------------------------------------------------------------------------------ */

int64_t walk_number(const Walk *w, PyObject *obj) {
    return (int64_t)map_get(&w->numbers, map_key(obj), 0) - 1;
}

uint32_t walk_meet(Walk *w, PyObject *obj) {
    int64_t known = walk_number(w, obj);
    if (known >= 0) return (uint32_t)known;
    Py_IncRef(obj);
    vec_push(w->cx, &w->nodes, ((WalkNode){.obj = py_keep(w->cx, obj), .python = w->python}));
    map_set(w->cx, &w->numbers, map_key(obj), w->nodes.n);
    vec_push(w->cx, &w->queue, w->nodes.n - 1);
    return w->nodes.n - 1;
}

/* An object that only compiled code could reach so far is looked at again, more closely. */
static void put_node(Walk *w, PyObject *obj) {
    uint32_t n = walk_meet(w, obj);
    put_tag(w, '#');
    put_number(w, n);
    if (!w->python || w->nodes.at[n].python) return;
    w->nodes.at[n].python = true;
    w->nodes.at[n].looked = 0;
    vec_push(w->cx, &w->queue, n);
}

/* --- plain values ----------------------------------------------------------------------------- */

static void put_float(Walk *w, double x) { walk_put(w, &x, sizeof x); }

static void put_int(Walk *w, PyObject *obj) {
    int overflow;
    long long x = PyLong_AsLongLongAndOverflow(obj, &overflow);
    put_tag(w, overflow ? 'I' : 'i');
    if (overflow)
        walk_text(w, py_text(w->cx, py_keep(w->cx, PyNumber_ToBase(obj, 16)), NULL));
    else
        put_number(w, (uint64_t)x);
}

static void put_str(Walk *w, PyObject *obj) {
    PyObject *bytes = py_keep(w->cx, PyUnicode_AsEncodedString(obj, "utf-8", "surrogatepass"));
    char *s = NULL;
    Py_ssize_t n = 0;
    if (!bytes || PyBytes_AsStringAndSize(bytes, &s, &n)) py_clear_error();
    put_tag(w, 's');
    put_bytes(w, s ? s : "", (size_t)n);
}

static void put_bytes_object(Walk *w, PyObject *obj) {
    char *s = NULL;
    Py_ssize_t n = 0;
    if (PyBytes_AsStringAndSize(obj, &s, &n)) py_clear_error();
    put_tag(w, 'b');
    put_bytes(w, s ? s : "", (size_t)n);
}

/* Values that are what they contain; false: obj is none of them. */
static bool put_plain(Walk *w, PyObject *obj) {
    if (obj == Py_None || obj == Py_Ellipsis || PyBool_Check(obj)) {
        put_tag(w, obj == Py_None ? 'N' : obj == Py_Ellipsis ? '.' : obj == Py_True ? '1' : '0');
    } else if (PyLong_CheckExact(obj)) {
        put_int(w, obj);
    } else if (PyFloat_CheckExact(obj)) {
        put_tag(w, 'f');
        put_float(w, PyFloat_AsDouble(obj));
    } else if (PyComplex_CheckExact(obj)) {
        put_tag(w, 'c');
        put_float(w, PyComplex_RealAsDouble(obj));
        put_float(w, PyComplex_ImagAsDouble(obj));
    } else if (PyUnicode_CheckExact(obj)) {
        put_str(w, obj);
    } else if (PyBytes_CheckExact(obj)) {
        put_bytes_object(w, obj);
    } else {
        return false;
    }
    return true;
}

/* --- containers ------------------------------------------------------------------------------- */

static void put_tuple(Walk *w, PyObject *obj) {
    Py_ssize_t n = PyTuple_Size(obj);
    put_tag(w, PyTuple_CheckExact(obj) ? '(' : 'n');
    if (!PyTuple_CheckExact(obj)) walk_value(w, (PyObject *)Py_TYPE(obj));
    put_number(w, (uint64_t)n);
    for (Py_ssize_t i = 0; i < n; i++) walk_value(w, PyTuple_GetItem(obj, i));
}

/* A set has no order of its own: the sum of its items' hashes. */
static void put_set(Walk *w, PyObject *obj) {
    PyObject *items = py_keep(w->cx, PySequence_List(obj));
    Blake outer = w->hash;
    uint64_t sum[BLAKE_SIZE / 8] = {0};
    for (Py_ssize_t i = 0; items && i < PyList_Size(items); i++) {
        uint64_t one[BLAKE_SIZE / 8];
        blake_start(&w->hash);
        if (!put_plain(w, PyList_GetItem(items, i)))
            walk_give_up(w, "it uses a set of other things than numbers and texts");
        blake_end(&w->hash, (uint8_t *)one);
        for (size_t k = 0; k < sizeof sum / sizeof *sum; k++) sum[k] += one[k];
    }
    w->hash = outer;
    put_tag(w, '{');
    walk_put(w, sum, sizeof sum);
}

static void put_items(Walk *w, PyObject *list) {
    put_tag(w, '[');
    for (Py_ssize_t i = 0; list && i < PyList_Size(list); i++)
        walk_value(w, PyList_GetItem(list, i));
    put_tag(w, ']');
}

/* range, slice, enum members: attributes that say it all. */
static void put_attributes(Walk *w, PyObject *obj, char tag, const char *const *names) {
    put_tag(w, tag);
    walk_value(w, (PyObject *)Py_TYPE(obj));
    for (; *names; names++) {
        PyObject *value = py_attr(w->cx, obj, *names);
        walk_value(w, value ? value : Py_None);
    }
}

static bool is_a(PyObject *obj, PyObject *cls) {
    return cls && PyType_IsSubtype(Py_TYPE(obj), (PyTypeObject *)cls);
}

static void put_numpy_scalar(Walk *w, PyObject *obj) {
    PyObject *bytes = py_keep(w->cx, PyObject_CallMethod(obj, "tobytes", NULL));
    put_tag(w, 'S');
    walk_text(w, py_text_attr(w->cx, py_attr(w->cx, obj, "dtype"), "str"));
    if (bytes && PyBytes_CheckExact(bytes))
        put_bytes_object(w, bytes);
    else
        walk_give_up(w, "it uses a NumPy scalar whose bytes cannot be read");
}

/* Compiled code cannot use lists, sets and dicts; Python code can. */
static bool put_container(Walk *w, PyObject *obj) {
    static const char *const triple[] = {"start", "stop", "step", NULL};
    static const char *const member[] = {"name", "value", NULL};
    if (PyTuple_Check(obj))
        put_tuple(w, obj);
    else if (PyRange_Check(obj) || PySlice_Check(obj))
        put_attributes(w, obj, ':', triple);
    else if (is_a(obj, w->enums))
        put_attributes(w, obj, 'e', member);
    else if (is_a(obj, w->generic))
        put_numpy_scalar(w, obj);
    else if (PyAnySet_Check(obj))
        put_set(w, obj);
    else if (w->python && PyList_CheckExact(obj))
        put_items(w, obj);
    else if (w->python && PyDict_CheckExact(obj))
        put_items(w, py_keep(w->cx, PyDict_Items(obj)));
    else
        return false;
    return true;
}

void walk_value(Walk *w, PyObject *obj) {
    if (w->depth > DEEPEST || w->budget++ > MOST) {
        walk_give_up(w, "it reaches too much");
        return;
    }
    w->depth++;
    if (!put_plain(w, obj) && !put_container(w, obj)) put_node(w, obj);
    w->depth--;
}

/* --- objects ---------------------------------------------------------------------------------- */

static const char *module_of(Walk *w, PyObject *obj) {
    return py_text_attr(w->cx, obj, "__module__");
}

static void put_name(Walk *w, PyObject *obj) {
    const char *name = py_text_attr(w->cx, obj, "__qualname__");
    walk_text(w, name ? name : py_text_attr(w->cx, obj, "__name__"));
}

/* A function or class that we or its makers alone know: by its name. */
static bool put_fixed(Walk *w, PyObject *obj) {
    const char *module = module_of(w, obj);
    if (!py_is_fixed_module(module)) return false;
    put_tag(w, '@');
    walk_text(w, module);
    put_name(w, obj);
    return true;
}

/* Fields of a named tuple with their defaults; members of an enum. The attributes that code names are
 * looked up where it names them. */
static void put_class(Walk *w, PyObject *cls) {
    static const char *const tables[] = {"_fields", "_field_defaults", "__members__"};
    put_tag(w, 'K');
    put_name(w, cls);
    walk_value(w, py_attr(w->cx, cls, "__mro__"));
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        PyObject *value = py_attr(w->cx, cls, tables[i]);
        if (value && PyTuple_Check(value))
            walk_value(w, value);
        else if (value)
            put_items(w, py_keep(w->cx, PyMapping_Items(value)));
    }
}

/* Compiled code reads a captured array when it runs; Python code may have read it before. */
static void put_array(Walk *w, PyObject *array) {
    enum { SMALL = 1 << 16 };
    Type *ty = w->host->type_of(array);
    py_clear_error();
    put_tag(w, 'A');
    if (ty) walk_type(w, ty);
    if (!w->python) return;
    bool small = py_int_attr(w->cx, array, "nbytes", SMALL + 1) <= SMALL;
    PyObject *bytes = small ? py_keep(w->cx, PyObject_CallMethod(array, "tobytes", NULL)) : NULL;
    if (ty && bytes && PyBytes_CheckExact(bytes))
        put_bytes_object(w, bytes);
    else
        walk_give_up(w, "an overload uses a large array");
}

/* A bound method, a property and the like: the functions inside. */
static bool put_wrapper(Walk *w, PyObject *obj) {
    static const char *const inside[] = {"__func__", "fget", "__self__"};
    bool found = false;
    if (!py_is_a(obj, "method") && !py_is_a(obj, "property") && !py_is_a(obj, "staticmethod"))
        return false;
    for (size_t i = 0; i < sizeof inside / sizeof *inside; i++) {
        PyObject *value = py_attr(w->cx, obj, inside[i]);
        if (!value) continue;
        put_tag(w, 'w');
        walk_value(w, value);
        found = true;
    }
    return found;
}

/* Functions written in C. */
static bool is_builtin(PyObject *obj) {
    static const char *const classes[] = {
        "builtin_function_or_method", "ufunc",          "method_descriptor",
        "wrapper_descriptor",         "method-wrapper", "_ArrayFunctionDispatcher"};
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (py_is_a(obj, classes[i])) return true;
    return false;
}

/* Compiled code cannot look into it; Python code could find anything there. */
static void put_opaque(Walk *w, PyObject *obj) {
    PyTypeObject *cls = Py_TYPE(obj);
    bool builtin = is_builtin(obj);
    put_tag(w, 'o');
    walk_text(w, module_of(w, (PyObject *)cls));
    put_name(w, (PyObject *)cls);
    if (builtin) {
        walk_text(w, module_of(w, obj));
        put_name(w, obj);
    }
    if (w->python && !builtin)
        walk_give_up(w, cx_printf(w->cx, "an overload uses an object of the class %s",
                                  py_class_name(w->cx, obj)));
}

static void put_compiled(Walk *w, PyObject *func, const JitOptions *options) {
    put_tag(w, 'J');
    walk_options(w, options);
    walk_value(w, func);
}

/* Of a ufunc that vectorize or guvectorize made: its layout, and the signatures that it was given. */
static void put_signatures(Walk *w, PyObject *ufunc) {
    PyObject *frozen = py_attr(w->cx, ufunc, "_frozen"), *types = py_attr(w->cx, ufunc, "types");
    const char *layout = py_text_attr(w->cx, ufunc, "signature");
    put_tag(w, 'V');
    walk_text(w, layout ? layout : "");
    bool given = frozen == Py_True && types && PyList_Check(types);
    for (Py_ssize_t i = 0; given && i < PyList_Size(types); i++)
        walk_text(w, py_text(w->cx, PyList_GetItem(types, i), NULL));
}

static void put_module(Walk *w, PyObject *module) {
    const char *name = py_text_attr(w->cx, module, "__name__");
    put_tag(w, 'M');
    walk_text(w, py_is_fixed_module(name) ? name : ""); /* a module may be renamed */
}

static void put_content(Walk *w, PyObject *obj) {
    JitOptions options;
    PyObject *func = w->host->unwrap(obj, &options);
    Type *ty = w->host->as_type(obj);
    if (func) {
        if (py_is_a(obj, "Ufunc")) put_signatures(w, obj);
        put_compiled(w, func, &options);
    } else if (ty) {
        put_tag(w, 'T');
        walk_type(w, ty);
    } else if (PyModule_Check(obj)) {
        put_module(w, obj);
    } else if (put_fixed(w, obj)) {
    } else if (PyType_Check(obj)) {
        put_class(w, obj);
    } else if (is_a(obj, w->array)) {
        put_array(w, obj);
    } else if (is_a(obj, w->dtype)) {
        put_tag(w, 'D');
        walk_text(w, py_text_attr(w->cx, obj, "str"));
    } else if (PyCallable_Check(obj) && py_attr(w->cx, obj, "__code__")) {
        walk_function(w, obj);
    } else if (!put_wrapper(w, obj)) {
        put_opaque(w, obj);
    }
}

/* What users' overloads make of a callable. */
static void put_overloads(Walk *w, PyObject *obj) {
    PyObject *impls = w->functions ? PyDict_GetItemWithError(w->functions, obj) : NULL;
    py_clear_error(); /* not hashable */
    if (!impls) return;
    bool outer = w->python;
    w->python = true;
    put_tag(w, 'O');
    put_items(w, impls);
    w->python = outer;
}

static void put_queue(Walk *w, uint32_t *from) {
    for (; *from < w->queue.n && !w->problem; ++*from) {
        uint32_t n = w->queue.at[*from];
        w->python = w->nodes.at[n].python;
        put_tag(w, '\n');
        put_number(w, n);
        put_content(w, w->nodes.at[n].obj);
        put_overloads(w, w->nodes.at[n].obj);
    }
}

/* Objects lead to names, and names to more objects. */
void walk_finish(Walk *w) {
    uint32_t done = 0;
    bool more = true;
    while (more && !w->problem) {
        put_queue(w, &done);
        more = false;
        for (uint32_t n = 0; n < w->nodes.n; n++) more |= walk_look_into(w, n);
    }
    w->python = false;
}

/* --- what else a key is made of --------------------------------------------------------------- */

void walk_type(Walk *w, const Type *ty) {
    Buf text = {0};
    FormOut out = {.cx = w->cx, .walk = w, .text = &text, .add = true};
    if (!form_write(&out, ty)) walk_give_up(w, "a type of it exists in this process alone");
    put_bytes(w, text.at ? text.at : "", text.n);
}

void walk_options(Walk *w, const JitOptions *o) {
    const uint8_t flags[] = {o->fast,     o->numpy_errors, o->boundscheck,   o->nogil,
                             o->parallel, o->debug,        o->inline_always, o->kernel};
    walk_put(w, flags, sizeof flags);
    walk_put(w, o->block_dim, sizeof o->block_dim);
}

/* --- the start -------------------------------------------------------------------------------- */

/* A dict of whipsnake.extending's registry, or NULL if it is empty (or not even imported). */
static PyObject *find_registry(Walk *w, const char *table) {
    PyObject *module = py_get_item(PyImport_GetModuleDict(), "whipsnake.extending");
    PyObject *dict = module ? py_attr(w->cx, py_attr(w->cx, module, "_registry"), table) : NULL;
    return dict && PyDict_Check(dict) && PyDict_Size(dict) ? dict : NULL;
}

/* Adds the rows {(class, name): overloads} to w->by_name. */
static void add_by_name(Walk *w, PyObject *table) {
    PyObject *key, *impls;
    Py_ssize_t at = 0;
    if (!w->by_name) w->by_name = py_keep(w->cx, PyDict_New());
    while (w->by_name && PyDict_Next(table, &at, &key, &impls)) {
        PyObject *name = PyTuple_GetItem(key, 1);
        PyObject *list = name ? PyDict_GetItemWithError(w->by_name, name) : NULL;
        if (!list && name) {
            list = py_keep(w->cx, PyList_New(0));
            if (list && PyDict_SetItem(w->by_name, name, list)) list = NULL;
        }
        PyObject *row = py_keep(w->cx, PyTuple_Pack(2, PyTuple_GetItem(key, 0), impls));
        if (!list || !row || PyList_Append(list, row)) cx_abort(w->cx);
    }
    py_clear_error();
}

void walk_start(Walk *w, Cx *cx, const CacheHost *host) {
    *w = (Walk){.cx = cx, .host = host};
    blake_start(&w->hash);
    PyObject *numpy = py_loaded_module(cx, "numpy");
    w->generic = py_attr(cx, numpy, "generic");
    w->dtype = py_attr(cx, numpy, "dtype");
    w->array = py_attr(cx, numpy, "ndarray");
    w->enums = py_attr(cx, py_loaded_module(cx, "enum"), "Enum");
    w->functions = find_registry(w, "functions");
    PyObject *methods = find_registry(w, "methods"), *attributes = find_registry(w, "attributes");
    if (methods) add_by_name(w, methods);
    if (attributes) add_by_name(w, attributes);
}
