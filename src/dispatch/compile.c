/* Asking the cache, then the compiler. */
#include "dispatch/function.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cache/cache.h"
#include "core/loader.h"
#include "py/py.h"
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
    static CoreApi api; /* filled once: compiles that hold no GIL read it */
    const char *problem;
    if (!api.load) {
        api = core_api;
        api.types = ty_api;
        api.mem_faults = mem_faults;
    }
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

static char *copy_text(const char *text) {
    size_t n = strlen(text) + 1;
    char *copy = mem_alloc(n);
    return copy ? memcpy(copy, text, n) : NULL;
}

/* Appends for readers that hold no lock: the entry is complete before it can be seen. */
static void publish(Dispatcher *d, Entry *e) {
    Entry **end = &d->entries;
    while (*end) end = &(*end)->next;
    __atomic_store_n(end, e, __ATOMIC_RELEASE);
}

/* What a debugger needs names the place of the source, and a dump is for looking at a compile. */
static const char *why_not_cached(const Dispatcher *d, const CompileRequest *req) {
    const char *dump = getenv("WHIPSNAKE_DUMP");
    if (!d->cache) return "cache=False";
    if (req->want != WANT_CODE) return "it is interpreted";
    if (d->options.debug) return "debug=True";
    if (req->changing) return "a captured number that keeps changing";
    return dump && *dump ? "WHIPSNAKE_DUMP" : NULL;
}

static const CacheHost cache_host = {.unwrap = disp_unwrap,
                                     .type_of = disp_typeof,
                                     .as_type = disp_as_type,
                                     .find_symbol = rt_find_symbol};

static Unit *compile_unit(CompileRequest *req) {
    const CompilerApi *compiler = disp_compiler();
    Unit *unit = NULL;
    PyObject *text = NULL;
    return compiler && compiler->compile(req, &unit, &text) == 0 ? unit : NULL;
}

/* Why code is not kept on disk. */
typedef struct Reason {
    const char *text; /* NULL: it is kept */
    char *copy; /* of the text: new, or NULL */
} Reason;

static void give_reason(Reason *why, const char *text) {
    *why = (Reason){text, text ? copy_text(text) : NULL};
}

/* The unit, from the cache or new and then kept there. */
static Unit *find_unit(CompileRequest *req, Reason *why) {
    CacheQuery q;
    CompiledObject object = {NULL};
    Unit *unit = NULL;
    int rc = cache_ask(&q, &cache_host, req);
    if (rc == 0) unit = cache_load(&q);
    if (rc == 0 && !unit && !PyErr_Occurred()) {
        req->object = &object;
        unit = compile_unit(req);
        if (unit && rt_lacks_math())
            q.problem = "SLEEF, the library of math functions, is not there";
        if (unit && !q.problem) rc = cache_store(&q, unit, &object);
    }
    give_reason(why, unit ? q.problem : NULL);
    mem_free(object.bytes);
    cache_close(&q);
    return rc == 0 ? unit : NULL;
}

static Entry *compile_entry(Dispatcher *d, Type **types, uint32_t n, Type *ret,
                            PyObject *changing) {
    CompileRequest req = request(d, types, n, code_or_interp());
    req.changing = changing;
    Reason why = {NULL, NULL};
    const char *off = why_not_cached(d, &req);
    req.ret = ret;
    Unit *unit = off ? compile_unit(&req) : find_unit(&req, &why);
    if (unit && off) give_reason(&why, off);
    Entry *e = unit ? entry_new(unit) : NULL;
    if (!e) {
        mem_free(why.copy);
        return NULL;
    }
    e->uncached = why.copy;
    disp_start_timer();
    if (why.text && !why.copy)
        PyErr_NoMemory();
    else if (guards_make(e) == 0)
        return e;
    entry_free(e);
    return NULL;
}

/* The result of the entries that there are for these types; NULL: none. */
static const Type *known_result(const Dispatcher *d, Type *const *types, uint32_t n) {
    const Type *ret = NULL;
    for (const Entry *e = d->entries; e; e = e->next)
        if (e->unit && entry_is_for(e, types, n, NULL)) ret = e->unit->ret;
    return ret;
}

/* If the exception that is set says that the function cannot be compiled: clears it. */
static bool forget_compile_error(void) {
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyObject *cls = py_import_attr("whipsnake.errors", "CompileError");
    bool is = cls && PyErr_GivenExceptionMatches(type, cls);
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
    Entry *e = compile_entry(d, types, n, ret, changing);
    Py_DECREF(changing);
    if (e && e->unit->ret == known_result(d, types, n)) return e;
    if (e) entry_free(e);
    if (!e && !forget_compile_error()) return NULL; /* Ctrl-C, no memory ... */
    d->keeps_constants = true;
    return NULL;
}

Entry *function_compile(Dispatcher *d, Type **types, uint32_t n, Type *ret) {
    Entry *e = compile_changing(d, types, n, ret);
    if (!e && !PyErr_Occurred()) e = compile_entry(d, types, n, ret, NULL);
    if (e) publish(d, e);
    return e;
}

Entry *function_entry(Dispatcher *d, Type **types, uint32_t n, Type *ret) {
    Entry *e = d->entries;
    while (e && !(guards_hold(e) && entry_is_for(e, types, n, ret))) e = e->next;
    return e ? function_settle(d, e) : function_compile(d, types, n, ret);
}

int function_promise(Dispatcher *d, Type **types, uint32_t n, Type *ret) {
    Entry *e = entry_new_promise(types, n, ret);
    if (e) publish(d, e);
    return e ? 0 : -1;
}

/* Another thread may have settled the same one meanwhile: then there are two for the same types. */
static void replace(Dispatcher *d, Entry *old, Entry *e) {
    Entry **at = &d->entries;
    while (*at && *at != old) at = &(*at)->next;
    if (*at) e->next = old->next;
    __atomic_store_n(at, e, __ATOMIC_RELEASE);
}

Entry *function_settle(Dispatcher *d, Entry *promise) {
    enum { FEW = 24 };
    Type *few[FEW], **types = few;
    if (promise->unit) return promise;
    if (promise->nargs > FEW) types = PyMem_Malloc(promise->nargs * sizeof(Type *));
    if (!types) return (Entry *)PyErr_NoMemory();
    for (uint32_t i = 0; i < promise->nargs; i++) types[i] = (Type *)(uintptr_t)promise->arg[i].ty;
    Entry *e = compile_entry(d, types, promise->nargs, promise->ret, NULL);
    if (types != few) PyMem_Free(types);
    if (e) replace(d, promise, e);
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
