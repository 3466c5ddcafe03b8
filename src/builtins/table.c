/* Finding the row of a Python object, a method, an attribute. */
#include <string.h>

#include "base/mem.h"
#include "builtins/tables.h"

static const Row *const callables[] = {
    rows_core,        rows_dtype,           rows_iterate,    rows_convert,
    rows_text,        rows_array_functions, rows_intrinsics, rows_sorting,
    rows_math,        rows_cmath,           rows_random,     rows_numpy_math,
    rows_numpy_ops,   rows_pointer,         rows_prelude,    rows_operator,
    rows_cuda_index,  rows_cuda_memory,     rows_cuda_sync,  rows_cuda_warp,
    rows_cuda_atomic, rows_cuda_math,       rows_atomic,     NULL};

static const Row *const methods[] = {rows_number_methods,  rows_array_methods,
                                     rows_other_methods,   rows_exception_methods,
                                     rows_prelude_methods, NULL};

/* --- objects to rows: one table per process, filled module by module as they are imported (GIL held) ----------- */

typedef struct ObjectRow {
    PyObject *obj; /* owned */
    const Row *row;
} ObjectRow;

static ObjectRow *objects; /* open addressing */
static size_t nobjects, capacity;
static uint8_t *resolved; /* per row, in order of the tables */

static size_t slot_of(const ObjectRow *at, size_t cap, PyObject *obj) {
    size_t i = ((uintptr_t)obj >> 4) * 0x9e3779b97f4a7c15u >> 20;
    for (i &= cap - 1; at[i].obj && at[i].obj != obj; i = (i + 1) & (cap - 1)) {}
    return i;
}

/* False: no memory. */
static bool add_object(PyObject *obj, const Row *row) {
    if (nobjects * 2 >= capacity) {
        size_t cap = capacity ? capacity * 2 : 1024;
        ObjectRow *big = mem_alloc(cap * sizeof *big);
        if (!big) return false;
        memset(big, 0, cap * sizeof *big);
        for (size_t i = 0; i < capacity; i++)
            if (objects[i].obj) big[slot_of(big, cap, objects[i].obj)] = objects[i];
        mem_free(objects);
        objects = big;
        capacity = cap;
    }
    size_t i = slot_of(objects, capacity, obj);
    if (objects[i].obj) return true; /* the first row wins: np.abs is np.absolute */
    Py_INCREF(obj);
    objects[i] = (ObjectRow){obj, row};
    nobjects++;
    return true;
}

/* Is another thread still running the module's code? What it lacks may come yet. */
static bool is_importing(PyObject *mod) {
    PyObject *spec = build_get_attr(mod, "__spec__");
    PyObject *flag = spec ? build_get_attr(spec, "_initializing") : NULL;
    bool yes = flag && PyObject_IsTrue(flag) > 0;
    build_clear_error();
    Py_XDECREF(flag);
    Py_XDECREF(spec);
    return yes;
}

/* The object that a row names, if its module is imported; new reference or NULL, no exception left.
 * *later: it may be there next time, with no more modules than now. */
static PyObject *find_object(const char *name, bool *later) {
    const char *dot = strrchr(name, '.');
    char module[64];
    if ((size_t)(dot - name) >= sizeof module) return NULL;
    memcpy(module, name, (size_t)(dot - name));
    module[dot - name] = 0;
    PyObject *mod = build_get_item(PyImport_GetModuleDict(), module);
    PyObject *dict = mod && PyModule_Check(mod) ? PyModule_GetDict(mod) : NULL;
    PyObject *obj = dict ? build_get_item(dict, dot + 1) : NULL; /* borrowed, as all here */
    Py_XINCREF(obj);
    build_clear_error();
    if (dict && !obj && is_importing(mod)) *later = true;
    return obj;
}

static bool resolve_rows(bool *later) {
    size_t total = 0, at = 0;
    for (int t = 0; callables[t]; t++)
        for (const Row *r = callables[t]; r->name; r++) total++;
    if (!resolved) {
        resolved = mem_alloc(total);
        if (!resolved) return false;
        memset(resolved, 0, total);
    }
    for (int t = 0; callables[t]; t++)
        for (const Row *r = callables[t]; r->name; r++, at++) {
            if (resolved[at]) continue;
            PyObject *obj = find_object(r->name, later);
            if (!obj) continue;
            bool good = add_object(obj, r);
            Py_DECREF(obj);
            if (!good) return false;
            resolved[at] = 1;
        }
    return true;
}

/* Modules may be imported while a function is compiled: the prelude's, numpy.random when it is
 * first mentioned. */
static Py_ssize_t modules_seen;

const Row *row_of_object(Infer *in, PyObject *obj) {
    Py_ssize_t modules = PyDict_Size(PyImport_GetModuleDict());
    if (modules != modules_seen) {
        bool later = false;
        if (!resolve_rows(&later) || in->cx->raised) cx_abort(in->cx);
        modules_seen = later ? -1 : modules;
    }
    const ObjectRow *o = &objects[slot_of(objects, capacity, obj)];
    return o->obj ? o->row : row_of_class(in, obj);
}

/* --- methods ------------------------------------------------------------------------------------------------------ */

static const char *kind_name(const Type *ty) {
    switch ((TyKind)ty->kind) {
    case TY_BOOL:
    case TY_INT: return "int";
    case TY_FLOAT: return "float";
    case TY_COMPLEX: return "complex";
    case TY_ARRAY: return "array";
    case TY_STR: return "str";
    case TY_TUPLE: return "tuple";
    case TY_RANGE: return "range";
    case TY_DTYPE: return "dtype";
    case TY_ENUM: return "enum";
    case TY_EXC:
        return ty->bits == EXC_ITSELF      ? "exception"
               : ty->bits == EXC_ITS_CLASS ? "exception class"
                                           : "exception arguments";
    case TY_SLICE: return "slice";
    case TY_CLASS: return "class";
    case TY_FUNC: return "function";
    default: return NULL;
    }
}

static bool is_method(const Row *r, const char *kind, const char *name) {
    size_t n = strlen(kind);
    return strncmp(r->name, kind, n) == 0 && r->name[n] == '.' &&
           strcmp(r->name + n + 1, name) == 0;
}

const Row *row_of_method(const Type *ty, const char *name) {
    const char *kind = kind_name(ty);
    if (!kind) return NULL;
    bool number = ty_is_number(ty);
    for (int t = 0; methods[t]; t++)
        for (const Row *r = methods[t]; r->name; r++)
            if (is_method(r, kind, name) || (number && is_method(r, "number", name))) return r;
    return NULL;
}

const char *row_method_names(Cx *cx, const Type *ty, Near *near) {
    const char *kind = kind_name(ty);
    if (!kind) return NULL;
    size_t n = strlen(kind);
    Buf out = {0};
    for (int t = 0; methods[t]; t++)
        for (const Row *r = methods[t]; r->name; r++) {
            const char *dot = strchr(r->name, '.');
            bool mine = (strncmp(r->name, kind, n) == 0 && r->name[n] == '.') ||
                        (ty_is_number(ty) && strncmp(r->name, "number.", 7) == 0);
            if (!mine) continue;
            near_try(near, dot + 1);
            buf_printf(cx, &out, "%s%s", out.n ? ", " : "", dot + 1);
        }
    return out.at;
}

const char *row_function_names(Cx *cx, const char *module, Near *near, uint32_t *n) {
    size_t len = strlen(module);
    Buf out = {0};
    *n = 0;
    for (int t = 0; callables[t]; t++)
        for (const Row *r = callables[t]; r->name; r++) {
            const char *name = r->name + len + 1;
            if (strncmp(r->name, module, len) != 0 || r->name[len] != '.' || strchr(name, '.'))
                continue;
            if (near) near_try(near, name);
            buf_printf(cx, &out, "%s%s", out.n ? ", " : "", name);
            ++*n;
        }
    return out.at;
}

const Row *row_of_closure(const Type *ty) {
    for (int t = 0; methods[t]; t++)
        for (const Row *r = methods[t]; r->name; r++)
            if (ty->code == r) return r;
    return NULL;
}

/* --- for people ---------------------------------------------------------------------------------------------------- */

/* A new str, or None. */
static PyObject *all_params(const Row *r) {
    if (!r->params) return Py_NewRef(Py_None);
    if (!(r->flags & ROW_UFUNC)) return PyUnicode_FromString(r->params);
    const char *results = strchr(r->loops, '>'), *letters = strchr(r->loops, ':');
    bool two = results && letters && letters - results > 2; /* not yet with out= */
    const char *more = two ? "dtype=" : "out=, where=, dtype=";
    return PyUnicode_FromFormat("%s%s%s", r->params, *r->params ? ", " : "", more);
}

static bool add_rows(PyObject *list, const Row *const *tables, const char *kind) {
    for (; *tables; tables++)
        for (const Row *r = *tables; r->name; r++) {
            const char *how = r->flags & ROW_ATTRIBUTE ? "attribute" : kind;
            PyObject *params = all_params(r);
            PyObject *row =
                params ? Py_BuildValue("(ssOzz)", r->name, how, params, r->doc, r->prelude) : NULL;
            Py_XDECREF(params);
            int failed = !row || PyList_Append(list, row);
            Py_XDECREF(row);
            if (failed) return false;
        }
    return true;
}

PyObject *row_list(void) {
    PyObject *list = PyList_New(0);
    if (list && add_rows(list, callables, "function") && add_rows(list, methods, "method"))
        return list;
    Py_XDECREF(list);
    return NULL;
}
