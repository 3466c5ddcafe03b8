/* Loops whose trip count is a constant. */
#include "ir/ir.h"

static bool is_int(const Fn *fn, Ref r, int64_t *value) {
    const Ins *i = ir_at(fn, r);
    if (i->op != OP_CONST || i->k->ty->kind != TY_INT) return false;
    *value = i->k->i;
    return true;
}

/* The edge from b to `to`; NULL: none, or two. */
static const Edge *edge_to(const Fn *fn, BlockId b, BlockId to) {
    const Term *t = &fn->blocks.at[b].term;
    bool first = t->succ[0].to == to, second = t->kind == TERM_BRANCH && t->succ[1].to == to;
    return first == second ? NULL : &t->succ[second];
}

/* What parameter k of the header starts with; false: no constant, or several ways in. */
static bool find_start(const Fn *fn, const Cfg *cfg, const Loops *loops, const Loop *loop,
                       uint32_t k, int64_t *start) {
    const Edge *in = NULL;
    for (uint32_t p = 0; p < cfg->npreds[loop->header]; p++) {
        BlockId from = cfg->preds[loop->header][p];
        if (ir_loop_has(loops, loop, from)) continue;
        if (in) return false;
        in = edge_to(fn, from, loop->header);
        if (!in) return false;
    }
    return in && is_int(fn, in->args[k], start);
}

uint32_t ir_const_trips(const Fn *fn, const Cfg *cfg, const Loops *loops, const Loop *loop) {
    const Block *header = &fn->blocks.at[loop->header];
    const Term *t = &header->term;
    int64_t start, step, end;
    if (loop->latch == NO_BLOCK || t->kind != TERM_BRANCH) return 0;
    const Ins *test = ir_at(fn, t->arg);
    if (test->op != OP_LT || !is_int(fn, test->args[1], &end)) return 0;
    const Ins *counter = ir_at(fn, test->args[0]);
    if (counter->op != OP_PARAM || counter->block != loop->header) return 0;
    if (!ir_loop_has(loops, loop, t->succ[0].to) || ir_loop_has(loops, loop, t->succ[1].to))
        return 0;
    uint32_t k = (uint32_t)counter->imm;
    const Edge *back = edge_to(fn, loop->latch, loop->header);
    const Ins *next = back ? ir_at(fn, back->args[k]) : NULL;
    if (!next || next->op != OP_ADD || next->args[0] != header->params.at[k]) return 0;
    if (!is_int(fn, next->args[1], &step) || step < 1 ||
        !find_start(fn, cfg, loops, loop, k, &start))
        return 0;
    enum { FAR = 1 << 20 };
    if (end <= start || start < -FAR || end > FAR || step > FAR) return 0;
    return (uint32_t)((end - start + step - 1) / step);
}
