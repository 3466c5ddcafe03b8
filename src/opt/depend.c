/* Finds loops whose iterations do not depend on each other, and why others do; changes nothing.
 *
 * A loop is free if it is counted, nothing leaves it early but an exception, what it carries from one iteration to
 * the next are sums and the like, in variables or in elements of arrays, and no two iterations touch one element that one of them writes. The last is shown
 * in two ways: some axis of both subscripts is c * counter + the same, c != 0; or both lie in rows of one array
 * which different iterations have their own of. What it needs of run-time values (arrays apart, subscripts not
 * negative) is left as questions. Where that does not do, or something is called that is not looked into, the
 * answer is "unknown", not "bound". */
#include "base/diag.h"
#include "core/region.h"
#include "ir/rt.h"
#include "opt/depend_int.h"

bool depend_answer(Ask *a, DependAnswer answer, Span at, const char *why) {
    if (a->out.answer == DEPEND_FREE || (a->out.answer != DEPEND_BOUND && answer == DEPEND_BOUND)) {
        a->out.answer = answer;
        a->out.at = at;
        a->out.why = why;
    }
    return false;
}

bool depend_refuse(Ask *a, Span at, const char *why) {
    return depend_answer(a, DEPEND_BOUND, at, why);
}
bool depend_doubt(Ask *a, const char *why) {
    return depend_answer(a, DEPEND_UNKNOWN, (Span){0}, why);
}

const char *depend_source(Ask *a, Ref r) {
    const char *text = diag_source(a->cx, depend_at(a, r)->span);
    return text ? cx_printf(a->cx, "`%s`", text) : "something";
}

/* --- ways out --------------------------------------------------------------------------------- */

bool depend_only_raises(const Fn *fn, BlockId b) {
    for (int steps = 0; steps < 4; steps++) {
        const Term *t = &fn->blocks.at[b].term;
        if (t->kind == TERM_RAISE || t->kind == TERM_UNREACHABLE) return true;
        if (t->kind != TERM_JUMP) return false;
        b = t->succ[0].to;
    }
    return false;
}

static bool look_at_exits(Ask *a) {
    for (uint32_t k = 1; k < a->loop->nblocks; k++) {
        const Term *t = &a->fn->blocks.at[a->loop->blocks[k]].term;
        for (uint32_t s = 0; s < opt_nsucc(t); s++)
            if (!affine_is_in(a->af, a->loop, t->succ[s].to) &&
                !depend_only_raises(a->fn, t->succ[s].to))
                return depend_refuse(a, t->span,
                                     "it may be left early (break, return, or a condition)");
        if (t->kind == TERM_RETURN)
            return depend_refuse(a, t->span, "it may be left early (return)");
    }
    return true;
}

static bool find_counter(Ask *a) {
    const Refs *params = &a->fn->blocks.at[a->loop->header].params;
    for (uint32_t k = 0; k < params->n && !a->out.counter; k++) {
        const Counter *c = affine_counter(a->af, params->at[k]);
        if (c && c->loop == a->loop) a->out.counter = params->at[k];
    }
    if (!a->out.counter || a->loop->latch == NO_BLOCK)
        return depend_refuse(a, (Span){0}, "how often it runs is not known when it begins");
    return true;
}

/* --- the answer -------------------------------------------------------------------------------- */

Depend depend_look(Cx *cx, Fn *fn, Affine *af, Loop *loop) {
    Ask a = {.cx = cx, .fn = fn, .af = af, .loop = loop};
    affine_set_nest(af, loop);
    if (look_at_exits(&a) && find_counter(&a) && depend_look_at_params(&a) &&
        depend_look_at_body(&a))
        depend_look_at_memory(&a);
    a.out.apart = a.apart.at;
    a.out.sums = a.sums.at;
    return a.out;
}

/* What ws_apart is told of an array. */
static Ref describe(Cx *cx, Fn *fn, BlockId b, const Type *ty) {
    RegionArray a = {ty->ndim, ty->elem->size, ty->layout == 'A'};
    return ir_const(cx, fn, b, ir_const_int(cx, TY_I(64), region_pack_array(a)), (Span){0});
}

Ref depend_ask_apart(Cx *cx, Fn *fn, BlockId b, Ref x, Ref y) {
    Ref args[] = {describe(cx, fn, b, ir_at(fn, x)->ty), x, describe(cx, fn, b, ir_at(fn, y)->ty),
                  y};
    Ref r = ir_add(cx, fn, b, OP_CALL_RT, TY_OF(TY_BOOL), (Span){0}, 4, args);
    ir_at(fn, r)->rt = rt_find("ws_apart");
    return r;
}
