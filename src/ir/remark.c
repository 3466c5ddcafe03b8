#include "ir/remark.h"

Place ir_place(const Cx *cx, const Fn *fn, Span span, uint32_t origin) {
    Place p = {span, NULL};
    while (p.span.line && p.span.file < cx->nfiles && cx->files[p.span.file].is_ours) {
        if (!origin) return (Place){fn->called.call, fn->called.qualname};
        const Origin *o = &fn->origins.at[origin];
        p = (Place){o->call, o->qualname};
        origin = o->outer;
    }
    return p;
}

/* The test at a loop's top has the place of what is looped over. Terminators do not keep their origin: that of
 * what they test says it. */
Place ir_place_of_loop(const Cx *cx, const Fn *fn, const Loop *loop) {
    const Term *t = &fn->blocks.at[loop->header].term;
    Span span = t->span;
    uint32_t origin = 0;
    if (t->kind == TERM_BRANCH) {
        const Ins *test = ir_at(fn, t->arg);
        if (!span.line) span = test->span;
        origin = test->origin;
    }
    return ir_place(cx, fn, span, origin);
}
