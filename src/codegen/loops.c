/* Hints for LLVM's loop passes, as metadata of the jump back of innermost loops:
 *
 *   reduces   interleave.count   Several accumulators hide the latency of a reduction's operation; any other
 *                                vector loop they only make longer.
 *   unrolls   unroll.count       A short loop that counts and can not become vector code: half of what it does may
 *                                be counting. All others LLVM leaves as they are: unrolling the rest of each
 *                                vector loop takes a quarter of the compile for nothing. */
#include <string.h>

#include "codegen/cg.h"

enum {
    INTERLEAVE = 4,
    UNROLL = 4,
    SHORT = 32, /* operations of a loop that is worth it */
};

static bool loop_has(const Loop *l, BlockId b) {
    for (uint32_t k = 0; k < l->nblocks; k++)
        if (l->blocks[k] == b) return true;
    return false;
}

static bool is_inside(const Fn *fn, const Loop *l, Ref r) {
    return !ir_is_const(fn, r) && loop_has(l, ir_at(fn, r)->block);
}

static const Edge *edge_to(const Block *b, BlockId to) {
    for (int k = 0; k < 2; k++)
        if (b->term.succ[k].to == to) return &b->term.succ[k];
    return NULL;
}

/* --- parameters of the header ----------------------------------------------------------------- */

/* In a way that may be taken in any order? */
static bool combines(const Ins *i) {
    switch (i->op) {
    case OP_ADD:
    case OP_SUB:
    case OP_MUL: return ty_is_integral(i->ty) || (i->fast & FAST_REASSOC);
    case OP_AND:
    case OP_OR:
    case OP_XOR: return true;
    case OP_MATH:
        return i->sub == MATH_MIN || i->sub == MATH_MAX || i->sub == MATH_FMIN ||
               i->sub == MATH_FMAX;
    default: return false;
    }
}

/* Is `next` the parameter combined with something that changes in the loop? (Else it only counts.) */
static bool is_reduction(const Fn *fn, const Loop *l, Ref param, Ref next) {
    const Ins *i = ir_at(fn, next);
    if (!combines(i) || i->nargs != 2) return false;
    Ref other = i->args[0] == param ? i->args[1] : i->args[1] == param ? i->args[0] : 0;
    if (!other || !is_inside(fn, l, other)) return false;
    const Ins *o = ir_at(fn, other); /* counting is quick enough, and opt/strip's loops are short */
    return o->op != OP_SELECT || !ir_is_const(fn, o->args[1]) || !ir_is_const(fn, o->args[2]);
}

static bool is_built_up(const Cg *cg, const Cfg *cfg, const Loop *l, Ref param, Ref next,
                        int depth);

/* The same where ways of the loop come together, on each of them. */
static bool is_joined(const Cg *cg, const Cfg *cfg, const Loop *l, Ref param, const Ins *join,
                      int depth) {
    if (join->block == l->header || !loop_has(l, join->block)) return false;
    for (uint32_t k = 0; k < cfg->npreds[join->block]; k++) {
        const Edge *e = edge_to(&cg->fn->blocks.at[cfg->preds[join->block][k]], join->block);
        if (!e || !is_built_up(cg, cfg, l, param, e->args[join->imm], depth)) return false;
    }
    return true;
}

/* Is `next` the parameter, combined with one thing after the other, or with none? */
static bool is_built_up(const Cg *cg, const Cfg *cfg, const Loop *l, Ref param, Ref next,
                        int depth) {
    const Ins *i = ir_at(cg->fn, next);
    if (next == param) return true;
    if (!depth) return false;
    if (i->op == OP_PARAM) return is_joined(cg, cfg, l, param, i, depth - 1);
    if (!combines(i) || i->nargs != 2) return false;
    return is_built_up(cg, cfg, l, param, i->args[0], depth - 1) ||
           is_built_up(cg, cfg, l, param, i->args[1], depth - 1);
}

/* --- loops that stay scalar ------------------------------------------------------------------- */

/* A store to where the iteration before has stored. */
static bool is_fixed_store(const Fn *fn, const Loop *l, const Ins *store) {
    const Ins *e = ir_at(fn, store->args[0]);
    if (e->op != OP_ELEM) return false;
    for (uint32_t a = 0; a < e->nargs; a++)
        if (is_inside(fn, l, e->args[a])) return false;
    return true;
}

/* A subscript that the iteration before may have moved, or not: what a filter keeps goes there. */
static bool has_moving_subscript(const Fn *fn, const Loop *l, const Ins *elem, const Edge *back) {
    for (uint32_t a = 1; a < elem->nargs; a++) {
        const Ins *i = ir_at(fn, elem->args[a]);
        if (i->op != OP_PARAM || i->block != l->header) continue;
        const Ins *next = ir_at(fn, back->args[i->imm]);
        if (next->op == OP_PARAM) return true;
    }
    return false;
}

/* Can it leave the loop, or must it be done in order? */
static bool holds_up(const Cg *cg, const Loop *l, const Edge *back, Ref r) {
    const Ins *i = ir_at(cg->fn, r);
    if (i->op == OP_ELEM) return has_moving_subscript(cg->fn, l, i, back);
    return i->op == OP_STORE ? is_fixed_store(cg->fn, l, i) : ir_effects(cg->fn, r) & RAISES;
}

/* The header goes on while a counter, which takes constant steps, is on one side of something fixed. */
static bool is_counted(const Fn *fn, const Loop *l, const Edge *back) {
    const Term *t = &fn->blocks.at[l->header].term;
    const Ins *test = t->kind == TERM_BRANCH ? ir_at(fn, t->arg) : NULL;
    if (!test || test->op < OP_LT || test->op > OP_GE || test->nargs != 2) return false;
    for (int a = 0; a < 2; a++) {
        const Ins *c = ir_at(fn, test->args[a]);
        if (c->op != OP_PARAM || c->block != l->header || is_inside(fn, l, test->args[!a]))
            continue;
        const Ins *next = ir_at(fn, back->args[c->imm]);
        if ((next->op == OP_ADD || next->op == OP_SUB) && next->args[0] == test->args[a] &&
            ir_is_const(fn, next->args[1]))
            return true;
    }
    return false;
}

/* A way that a check takes when it fails at first sight. */
static bool is_cold(const Fn *fn, const Loop *l, BlockId b) {
    for (uint32_t k = 0; k < l->nblocks; k++) {
        const Term *t = &fn->blocks.at[l->blocks[k]].term;
        if (t->kind == TERM_BRANCH && t->cold && t->succ[1].to == b) return true;
    }
    return false;
}

/* Short, and something in it keeps LLVM from making vector code. */
static bool is_scalar(const Cg *cg, const Cfg *cfg, const Loop *l, const Edge *back) {
    const Fn *fn = cg->fn;
    const Refs *params = &fn->blocks.at[l->header].params;
    uint32_t count = 0;
    bool held = false;
    for (uint32_t k = 0; k < params->n; k++)
        held |= !is_built_up(cg, cfg, l, params->at[k], back->args[k], 6);
    for (uint32_t k = 0; k < l->nblocks; k++) {
        const Refs *ins = &fn->blocks.at[l->blocks[k]].ins;
        bool cold = is_cold(fn, l, l->blocks[k]);
        for (uint32_t n = 0; n < ins->n; n++) {
            unsigned op = ir_at(fn, ins->at[n])->op;
            if (op == OP_CALL_FN || op == OP_CALL_RT || op == OP_POLL) return false;
            count += !cold && op != OP_CONST && op != OP_BITCAST;
            held |= holds_up(cg, l, back, ins->at[n]);
        }
    }
    return held && count <= SHORT;
}

/* --- marks ------------------------------------------------------------------------------------ */

static void mark_loop(Cg *cg, const Cfg *cfg, const Loop *l) {
    for (const Loop *c = l->child; c; c = c->next) mark_loop(cg, cfg, c);
    if (l->child || l->latch == NO_BLOCK) return;
    const Block *header = &cg->fn->blocks.at[l->header];
    const Edge *back = edge_to(&cg->fn->blocks.at[l->latch], l->header);
    CgBlock *latch = &cg->blocks[l->latch];
    for (uint32_t k = 0; back && k < back->n; k++)
        latch->reduces |= is_reduction(cg->fn, l, header->params.at[k], back->args[k]);
    latch->unrolls = back && !cg->fn->is_slow && !header->rest && is_counted(cg->fn, l, back) &&
                     is_scalar(cg, cfg, l, back);
}

void cg_fill_loops(Cg *cg, const Cfg *cfg) {
    if (cg->options->debug) return;
    const Loops *loops = ir_loops(cg->cx, cg->fn, cfg);
    for (const Loop *l = loops->roots; l; l = l->next) mark_loop(cg, cfg, l);
}

/* --- metadata --------------------------------------------------------------------------------- */

static LLVMMetadataRef hint(Cg *cg, const char *name, unsigned count) {
    LLVMMetadataRef parts[] = {LLVMMDStringInContext2(cg->ctx, name, strlen(name)),
                               LLVMValueAsMetadata(cg_i32(cg, count))};
    return LLVMMDNodeInContext2(cg->ctx, parts, 2);
}

/* A loop's metadata starts with itself, which makes it distinct. */
Val cg_loop_node(Cg *cg, const CgBlock *latch, LLVMMetadataRef number) {
    LLVMMetadataRef self = LLVMTemporaryMDNode(cg->ctx, NULL, 0), parts[4] = {self};
    unsigned n = 1;
    if (number) parts[n++] = number;
    if (latch && latch->reduces) parts[n++] = hint(cg, "llvm.loop.interleave.count", INTERLEAVE);
    if (latch && latch->unrolls) parts[n++] = hint(cg, "llvm.loop.unroll.count", UNROLL);
    LLVMMetadataRef loop = LLVMMDNodeInContext2(cg->ctx, parts, n);
    LLVMMetadataReplaceAllUsesWith(self, loop);
    return LLVMMetadataAsValue(cg->ctx, loop);
}
