/* Hints for names that are not there: what was meant, what there is instead. */
#include <string.h>

#include "infer/infer_int.h"

/* What to do instead of well-known functions that compiled code does not have. */
static const struct {
    const char *name, *hint;
} instead[] = {
    {"list", "use a tuple, or a NumPy array"},
    {"dict", "use an array indexed by number, or pass arrays of keys and values"},
    {"set", "use a bool array, or a sorted array"},
    {"sorted", "sort outside the compiled function, or write the sort as a loop"},
    {"map", "write a for loop"},
    {"filter", "write a for loop"},
    {"open", "read and write files outside the compiled function"},
    {"input", "ask outside the compiled function and pass the answer"},
    {"numpy.array", "make it with numpy.empty or numpy.zeros and fill it in a loop"},
    {"numpy.append", "arrays do not grow: make one of the final size and fill it"},
    {"numpy.concatenate", "make an array of the final size and assign to its parts"},
    {"numpy.random.default_rng", "draw outside the compiled function, or use numpy.random.seed, "
                                 "numpy.random.random and the like"},
    {"time.time", "measure outside the compiled function"},
};

static const char *find_instead(const char *name) {
    for (size_t i = 0; i < sizeof instead / sizeof *instead; i++)
        if (strcmp(instead[i].name, name) == 0) return instead[i].hint;
    return NULL;
}

/* The module of "numpy.random.normal"; NULL: there is no dot. */
static const char *module_of(Cx *cx, const char *name) {
    const char *dot = strrchr(name, '.');
    return dot ? cx_intern(cx, name, (size_t)(dot - name)) : NULL;
}

/* The supported functions of the module, if they are few. */
static const char *list_functions(Infer *in, const char *module, Near *near) {
    enum { FEW = 24 };
    uint32_t n = 0;
    const char *names = row_function_names(in->cx, module, near, &n);
    return n && n <= FEW ? cx_printf(in->cx, "compiled code has of %s: %s", module, names) : NULL;
}

void infer_suggest_function(Infer *in, const char *name, PyObject *obj) {
    if (!in->final) return;
    const char *module = module_of(in->cx, name);
    const char *hint = find_instead(name);
    if (!hint) hint = find_instead(infer_object_name(in, obj));
    if (!hint && module) hint = list_functions(in, module, NULL);
    infer_hint(in, hint ? hint
                        : "call it outside the compiled function and pass the result, or write "
                          "what it does as a loop");
}

/* Looks at the public names in dir(owner). */
static void try_dir(Infer *in, PyObject *owner, Near *near) {
    PyObject *names = PyObject_Dir(owner);
    if (names) cx_defer(in->cx, (void (*)(void *))Py_DecRef, names); /* near may point into it */
    for (Py_ssize_t i = 0; names && i < PyList_Size(names); i++) {
        const char *name = PyUnicode_AsUTF8AndSize(PyList_GetItem(names, i), NULL);
        if (name && name[0] != '_') near_try(near, name);
    }
    build_clear_error();
}

void infer_suggest_member(Infer *in, PyObject *owner, const char *name) {
    if (!in->final) return;
    Near near = {.name = name};
    const char *module = infer_object_name(in, owner);
    const char *hint = list_functions(in, module, &near);
    if (!near.best) try_dir(in, owner, &near);
    infer_suggest(in, &near, hint);
}
