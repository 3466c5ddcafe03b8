/* Guards that become the end of the thread loops, and which axis the innermost of these runs along. */
#include "ir/math.h"
#include "opt/simt.h"

/* --- sums of thread numbers ------------------------------------------------------------------- */

/* The axis whose thread number r is, or -1. */
static int tid_axis(const Simt *s, Ref r) {
    const Ins *i = ir_at(s->fn, r);
    return i->op == OP_SREG && i->sub == SREG_TID ? (int)i->imm : -1;
}

/* Splits a sum into one thread number, once, and the rest, which does not vary. False: it is not so. */
static bool split_sum(Simt *s, Lin l, uint32_t *axis, Lin *rest) {
    int found = -1;
    if (!l.ok) return false;
    for (uint32_t i = 0; i < l.n; i++) {
        Term2 t = l.t[i];
        int a = t.b ? -1 : tid_axis(s, t.a);
        if (a >= 0 && (found >= 0 || t.k != 1)) return false;
        if (a < 0 && (s->varies[t.a] || (t.b && s->varies[t.b]))) return false;
        if (a < 0) continue;
        found = a;
        *rest = lin_add(l, lin_symbol(t.a), -1);
    }
    *axis = (uint32_t)found;
    return found >= 0 && rest->ok;
}

/* Can the sum be computed term by term without wrapping around, given that the whole one was? */
static bool grows(Simt *s, const Lin *l) {
    if (l->c < 0) return false;
    for (uint32_t i = 0; i < l->n; i++) {
        const Term2 *t = &l->t[i];
        if (t->k < 0 || affine_range(s->af, t->a).lo < 0) return false;
        if (t->b && affine_range(s->af, t->b).lo < 0) return false;
    }
    return true;
}

/* --- guards ----------------------------------------------------------------------------------- */

/* Does the thread that comes here do nothing any more? */
bool simt_is_exit(const Simt *s, BlockId b) {
    for (int steps = 0; steps < 8; steps++) {
        const Block *block = &s->fn->blocks.at[b];
        for (uint32_t k = 0; k < block->ins.n; k++)
            if (!opt_is_pure(s->fn, block->ins.at[k])) return false;
        if (block->term.kind == TERM_RETURN) return true;
        if (block->term.kind != TERM_JUMP) return false;
        b = block->term.succ[0].to;
    }
    return false;
}

bool simt_match_order(const Simt *s, Ref cond, bool value, Ref *small, Ref *large,
                      bool *inclusive) {
    const Ins *i = ir_at(s->fn, cond);
    if (i->op != OP_LT && i->op != OP_LE && i->op != OP_GT && i->op != OP_GE) return false;
    if (ir_at(s->fn, i->args[0])->ty != TY_I(64)) return false;
    bool less = i->op == OP_LT || i->op == OP_LE, strict = i->op == OP_LT || i->op == OP_GT;
    bool swap = less != value; /* a > b, or not (a < b) */
    *small = i->args[swap];
    *large = i->args[!swap];
    *inclusive = strict != value;
    return true;
}

static bool match_guard(Simt *s, BlockId b, SimtGuard *g) {
    const Term *t = &s->fn->blocks.at[b].term;
    if (t->kind != TERM_BRANCH || t->succ[0].n || t->succ[1].n) return false;
    bool yes = simt_is_exit(s, t->succ[1].to), no = simt_is_exit(s, t->succ[0].to);
    Ref small;
    if (yes == no || !simt_match_order(s, t->arg, yes, &small, &g->limit, &g->inclusive))
        return false;
    g->lower = s->varies[g->limit] && !s->varies[small];
    if (g->lower) { /* n < i; the run time counts threads that are left from the first one on */
        Ref i = g->limit;
        g->limit = small;
        small = i;
        if (s->has_warp) return false;
    }
    if (s->varies[g->limit]) return false;
    g->at = b;
    g->go = t->succ[!yes].to;
    if (s->in.start[g->go + 1] - s->in.start[g->go] != 1) return false;
    return split_sum(s, affine_lin(s->af, small, LIN_EXACT), &g->axis, &g->base) &&
           grows(s, &g->base);
}

/* Along the way that all threads take from the start. */
void simt_find_guards(Simt *s) {
    BlockId b = 0;
    s->nguards = 0;
    while (s->nguards < GUARDS) {
        SimtGuard *g = &s->guards[s->nguards];
        const Term *t = &s->fn->blocks.at[b].term;
        if (match_guard(s, b, g)) {
            s->nguards++;
            simt_fill_uniform(s); /* what follows may ask for what is the same for all of them */
            b = g->go;
        } else if (t->kind == TERM_JUMP &&
                   s->in.start[t->succ[0].to + 1] - s->in.start[t->succ[0].to] == 1) {
            b = t->succ[0].to;
        } else {
            return;
        }
    }
}

/* --- the lane axis ---------------------------------------------------------------------------- */

/* The index along which an array's elements lie next to each other; 0: it is not known. */
static Ref fastest_index(const Simt *s, const Ins *elem) {
    const Type *ty = ir_at(s->fn, elem->args[0])->ty;
    if (ty->ndim == 0 || ty->layout == 'A') return 0;
    Ref r = elem->args[ty->layout == 'F' ? 1 : ty->ndim];
    return ir_at(s->fn, r)->op == OP_WRAP ? ir_at(s->fn, r)->args[0] : r;
}

uint32_t simt_lane_axis(Simt *s) {
    uint32_t votes[AXES] = {0}, best = 0;
    for (uint32_t k = 0; k < s->cfg->nrpo; k++) {
        BlockId b = s->cfg->rpo[k];
        const Loop *loop = s->loops->of[b];
        uint32_t weight = loop ? 1 + 4 * loop->depth : 1;
        for (uint32_t i = 0; i < s->fn->blocks.at[b].ins.n; i++) {
            const Ins *ins = ir_at(s->fn, s->fn->blocks.at[b].ins.at[i]);
            Ref index = ins->op == OP_ELEM ? fastest_index(s, ins) : 0;
            uint32_t axis;
            Lin rest = {0};
            if (index && split_sum(s, affine_lin(s->af, index, LIN_MODULO), &axis, &rest))
                votes[axis] += weight;
        }
    }
    for (uint32_t a = 1; a < AXES; a++)
        if (votes[a] > votes[best]) best = a;
    return s->fn->block_dim[best] > 1 || votes[best] ? best : 0;
}
