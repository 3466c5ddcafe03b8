/* Asking the compiler. */
#include "dispatch/function.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/loader.h"
#include "runtime/runtime.h"

static int load(const LoadRequest *req, LoadResult *out) { return loader_load(req, out); }

static const CoreApi core_api = {
    .find_symbol = rt_find_symbol,
    .load = load,
    .type_of = disp_typeof,
    .unwrap = disp_unwrap,
    .type_from_object = disp_type_from,
    .as_type = disp_as_type,
    .type_to_object = disp_type_object,
};

const CompilerApi *disp_compiler(void) {
    static CoreApi api;
    const char *problem;
    api = core_api;
    api.types = ty_api;
    api.mem_faults = mem_faults;
    const CompilerApi *compiler = compiler_open(&api, &problem);
    if (!compiler) PyErr_SetString(PyExc_ImportError, problem);
    return compiler;
}

static CompileRequest request(Dispatcher *d, Type **types, uint32_t n, Want want) {
    return (CompileRequest){.func = d->func,
                            .args = types,
                            .nargs = n,
                            .locals = d->locals,
                            .options = d->options,
                            .want = want};
}

/* WHIPSNAKE_DISABLE_JIT=ir: the same code, but interpreted. */
static Want code_or_interp(void) {
    const char *off = getenv("WHIPSNAKE_DISABLE_JIT");
    return off && strcmp(off, "ir") == 0 ? WANT_INTERP : WANT_CODE;
}

/* Appends for readers that hold no lock: the entry is complete before it can be seen. */
static void publish(Dispatcher *d, Entry *e) {
    Entry **end = &d->entries;
    while (*end) end = &(*end)->next;
    __atomic_store_n(end, e, __ATOMIC_RELEASE);
}

static Entry *compile_once(Dispatcher *d, Type **types, uint32_t n, Type *ret, PyObject *changing) {
    const CompilerApi *compiler = disp_compiler();
    if (!compiler) return NULL;
    CompileRequest req = request(d, types, n, code_or_interp());
    req.ret = ret;
    req.changing = changing;
    Unit *unit = NULL;
    PyObject *text = NULL;
    if (compiler->compile(&req, &unit, &text)) return NULL;
    disp_start_timer();
    Entry *e = entry_new(unit);
    if (!e || guards_collect(e, d->func) == 0) return e;
    entry_free(e);
    return NULL;
}

/* The result of the entries that there are for these types; NULL: none. */
static const Type *known_result(const Dispatcher *d, Type *const *types, uint32_t n) {
    const Type *ret = NULL;
    for (const Entry *e = d->entries; e; e = e->next)
        if (e->nargs == n && (!n || memcmp(e->unit->args, types, n * sizeof *types) == 0))
            ret = e->unit->ret;
    return ret;
}

/* If the exception that is set says that the function cannot be compiled: clears it. */
static bool forget_compile_error(void) {
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyObject *m = PyImport_ImportModule("whipsnake.errors");
    PyObject *cls = m ? PyObject_GetAttrString(m, "CompileError") : NULL;
    bool is = cls && PyErr_GivenExceptionMatches(type, cls);
    Py_XDECREF(m);
    Py_XDECREF(cls);
    PyErr_Clear();
    if (!is) {
        PyErr_Restore(type, value, trace);
        return false;
    }
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    return true;
}

/* Numbers that have changed again and again are read at each call from now on. But where the code needs them as
 * constants, or would give another type of result, they stay that. NULL without an exception: so it is. */
static Entry *compile_changing(Dispatcher *d, Type **types, uint32_t n, Type *ret) {
    PyObject *changing = d->keeps_constants ? NULL : guards_find_changing(d->entries, types, n);
    if (!changing) return NULL;
    Entry *e = compile_once(d, types, n, ret, changing);
    Py_DECREF(changing);
    if (e && e->unit->ret == known_result(d, types, n)) return e;
    if (e) entry_free(e);
    if (!e && !forget_compile_error()) return NULL; /* Ctrl-C, no memory ... */
    d->keeps_constants = true;
    return NULL;
}

Entry *function_compile(Dispatcher *d, Type **types, uint32_t n, Type *ret) {
    Entry *e = compile_changing(d, types, n, ret);
    if (!e && !PyErr_Occurred()) e = compile_once(d, types, n, ret, NULL);
    if (e) publish(d, e);
    return e;
}

PyObject *function_text(Dispatcher *d, Type **types, uint32_t n, Want want,
                        const char *ptx_target) {
    const CompilerApi *compiler = disp_compiler();
    if (!compiler) return NULL;
    CompileRequest req = request(d, types, n, want);
    req.ptx_target = ptx_target;
    Unit *unit = NULL;
    PyObject *text = NULL;
    return compiler->compile(&req, &unit, &text) ? NULL : text;
}
