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

Entry *function_compile(Dispatcher *d, Type **types, uint32_t n, Type *ret) {
    const CompilerApi *compiler = disp_compiler();
    if (!compiler) return NULL;
    CompileRequest req = request(d, types, n, code_or_interp());
    req.ret = ret;
    Unit *unit = NULL;
    PyObject *text = NULL;
    if (compiler->compile(&req, &unit, &text)) return NULL;
    disp_start_timer();
    Entry *e = entry_new(unit);
    if (!e) return NULL;
    if (guards_collect(e, d->func)) {
        entry_free(e);
        return NULL;
    }
    publish(d, e);
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
