#include "driver/unit.h"

#include <string.h>

Unit *unit_new(const UnitParts *parts) {
    const Module *m = parts->m;
    const Fn *fn = m->fns.at[0];
    Unit draft = {.entry = parts->entry,
                  .name = fn->name,
                  .args = parts->req->args,
                  .nargs = parts->req->nargs,
                  .nslots = parts->nslots,
                  .ret = fn->ret,
                  .escapes = fn->escapes,
                  .nogil = parts->req->options.nogil,
                  .method = (uint8_t)fn->method,
                  .shared_bytes = fn->shared_bytes,
                  .stack_bytes = fn->stack_bytes,
                  .sites = parts->sites,
                  .nsites = parts->nsites,
                  .classes = m->classes.at,
                  .nclasses = m->classes.n,
                  .captured = m->captured.at,
                  .ncaptured = m->captured_types.n, /* those behind are only named in dead code */
                  .captured_types = m->captured_types.at,
                  .seen = m->seen.at,
                  .nseen = m->seen.n,
                  .code = parts->code,
                  .code_size = parts->code_size};
    memcpy(draft.stage_ns, parts->stage_ns, sizeof draft.stage_ns);
    return unit_copy(&draft);
}
