/* Guards around a part of the kernel, behind which all threads are together again.
 *
 *     for k in range(t, n, step): A      for p in 0, 1 ...: threads below n - p * step: A
 *     if t < 32: B                       threads below 32: B
 *
 * As with the guards of simt_guard.c no thread asks for itself: the loops over threads in A and B end earlier. So the
 * loop over k stays outside them, its accesses are those of neighbouring threads and become vectors; and the threads
 * that are in B can do together what a warp does.
 *
 * A loop is taken where the threads fall out of it one after the other, the last one first, and nothing that it computes
 * on the way is asked for behind it but its parameters, which then keep in memory what each thread left in them; an if
 * where a warp does something in it. A barrier in a scope would miss threads, which only threads that are resumed can
 * report. */
#include "ir/math.h"
#include "opt/simt.h"

static const Block *block_at(const Simt *s, BlockId b) { return &s->fn->blocks.at[b]; }

static int tid_axis(const Simt *s, Ref r) {
    const Ins *i = ir_at(s->fn, r);
    return i->op == OP_SREG && i->sub == SREG_TID ? (int)i->imm : -1;
}

/* Lanes that are left: a sum in which one thread number stands with -1. Takes it out; `own` does not vary, whatever is
 * known so far. */
static bool take_lane(const Simt *s, Lin l, Ref own, uint32_t *axis, Lin *left) {
    int found = -1;
    if (!l.ok) return false;
    for (uint32_t i = 0; i < l.n; i++) {
        Term2 t = l.t[i];
        int a = t.b ? -1 : tid_axis(s, t.a);
        if (a >= 0 && (found >= 0 || t.k != -1)) return false;
        bool varies = (t.a != own && s->varies[t.a]) || (t.b && t.b != own && s->varies[t.b]);
        if (a < 0 && varies) return false;
        if (a < 0) continue;
        found = a;
        *left = lin_add(l, lin_symbol(t.a), 1);
    }
    *axis = (uint32_t)found;
    return found >= 0 && left->ok;
}

static bool has_op(const Simt *s, const BlockId *blocks, uint32_t n, Op op) {
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < block_at(s, blocks[k])->ins.n; i++)
            if (ir_at(s->fn, block_at(s, blocks[k])->ins.at[i])->op == (unsigned)op) return true;
    return false;
}

/* --- counters that begin with a thread number -------------------------------------------------- */

/* The one edge into the header from outside the loop; NULL: there are several. */
static const Edge *edge_in(const Fn *fn, const Loop *loop) {
    return loop->preheader == NO_BLOCK ? NULL : &fn->blocks.at[loop->preheader].term.succ[0];
}

static const Edge *edge_back(const Fn *fn, const Loop *loop) {
    const Term *t = loop->latch == NO_BLOCK ? NULL : &fn->blocks.at[loop->latch].term;
    return t && t->kind == TERM_JUMP ? &t->succ[0] : NULL;
}

static bool is_tid(const Fn *fn, Ref r) {
    return ir_at(fn, r)->op == OP_SREG && ir_at(fn, r)->sub == SREG_TID;
}

/* start == *rest + *tid; *rest 0: nothing. */
static bool match_start(const Fn *fn, Ref start, Ref *rest, Ref *tid) {
    const Ins *i = ir_at(fn, start);
    *rest = 0;
    *tid = start;
    if (is_tid(fn, start)) return true;
    for (int k = 0; i->op == OP_ADD && k < 2; k++) {
        *tid = i->args[k];
        *rest = i->args[!k];
        if (is_tid(fn, *tid)) return true;
    }
    return false;
}

enum { DEPTH = 6 };

static bool is_inside(const Loop *loop, BlockId b) {
    for (uint32_t k = 0; k < loop->nblocks; k++)
        if (loop->blocks[k] == b) return true;
    return false;
}

/* r as it can be computed in front of the loop, where it does not change in it; else 0. */
static Ref bring_out(Cx *cx, Fn *fn, const Loop *loop, Ref r, int depth) {
    Ins i = *ir_at(fn, r);
    if (!is_inside(loop, i.block)) return r;
    bool divides = i.op == OP_FLOORDIV || i.op == OP_FLOORMOD;
    if (!depth || i.op == OP_PARAM || i.op == OP_SHARED || divides || !opt_is_pure(fn, r)) return 0;
    Ref *args = NEWN(cx, Ref, i.nargs + 1u);
    for (uint32_t k = 0; k < i.nargs; k++)
        if (!(args[k] = bring_out(cx, fn, loop, i.args[k], depth - 1))) return 0;
    Ref made = ir_add(cx, fn, loop->preheader, (Op)i.op, i.ty, i.span, i.nargs, args);
    i.args = ir_at(fn, made)->args;
    i.block = loop->preheader;
    *ir_at(fn, made) = i;
    return made;
}

/* i = rest + tid; i += step   becomes   b = rest; b += step, with i = b + tid. */
static bool split_counter(Cx *cx, Fn *fn, const Loop *loop, uint32_t k) {
    Ref param = fn->blocks.at[loop->header].params.at[k], rest, tid;
    const Edge *in = edge_in(fn, loop), *back = edge_back(fn, loop);
    if (!in || !back || ir_at(fn, param)->ty != TY_I(64)) return false;
    const Ins *next = ir_at(fn, back->args[k]);
    if (!match_start(fn, in->args[k], &rest, &tid) || next->op != OP_ADD || next->args[0] != param)
        return false;
    Span span = next->span;
    Ref step = bring_out(cx, fn, loop, next->args[1], DEPTH);
    if (!step) return false;
    if (!rest) {
        rest = ir_const(cx, fn, loop->preheader, ir_const_int(cx, TY_I(64), 0), span);
        edge_in(fn, loop)->args[k] = rest;
    }
    Ref sum = ir_insert(cx, fn, loop->header, 0, OP_ADD, TY_I(64), span, 2, (Ref[]){param, tid});
    ir_replace_uses(fn, param, sum);
    ir_at(fn, sum)->args[0] = param;
    Ref more = ir_add(cx, fn, loop->latch, OP_ADD, TY_I(64), span, 2, (Ref[]){param, step});
    edge_in(fn, loop)->args[k] = rest;
    edge_back(fn, loop)->args[k] = more;
    return true;
}

static bool split_in(Cx *cx, Fn *fn, const Loop *loop) {
    bool any = false;
    for (; loop; loop = loop->next) {
        for (uint32_t k = 0; k < fn->blocks.at[loop->header].params.n; k++)
            any |= split_counter(cx, fn, loop, k);
        any |= split_in(cx, fn, loop->child);
    }
    return any;
}

bool simt_split_counters(Cx *cx, Fn *fn) {
    return split_in(cx, fn, ir_loops(cx, fn, ir_cfg(cx, fn))->roots);
}

/* --- loops ------------------------------------------------------------------------------------ */

/* Does the parameter of the header begin with the same for all threads, and go on by the same? */
static bool steps_together(const Simt *s, const Loop *loop, Ref param) {
    const Edge *in = edge_in(s->fn, loop), *back = edge_back(s->fn, loop);
    const Ins *p = ir_at(s->fn, param);
    if (!in || !back || p->op != OP_PARAM || p->block != loop->header) return false;
    const Ins *next = ir_at(s->fn, back->args[p->imm]);
    return !s->varies[in->args[p->imm]] && next->op == OP_ADD && next->args[0] == param &&
           !s->varies[next->args[1]];
}

/* The threads leave at the header alone. */
static bool leaves_at_header(const Simt *s, const Loop *loop) {
    BlockId to[3];
    for (uint32_t k = 0; k < loop->nblocks; k++) {
        BlockId b = loop->blocks[k];
        if (block_at(s, b)->term.kind == TERM_RETURN) return false;
        for (uint32_t i = ir_successors(s->fn, b, to); b != loop->header && i-- > 0;)
            if (!affine_is_in(s->af, loop, to[i])) return false;
    }
    return true;
}

/* Threads that have left go through the header again and again. */
static bool header_is_pure(const Simt *s, const Loop *loop) {
    const Refs *ins = &block_at(s, loop->header)->ins;
    for (uint32_t k = 0; k < ins->n; k++)
        if (!opt_is_pure(s->fn, ins->at[k])) return false;
    return true;
}

typedef struct Outside {
    Simt *s;
    const Loop *loop;
    bool bad; /* something else than a parameter of the header is used */
} Outside;

static void visit_outside(void *arg, Ref *use) {
    Outside *o = arg;
    const Ins *i = ir_at(o->s->fn, *use);
    if (i->block == NO_BLOCK || !affine_is_in(o->s->af, o->loop, i->block)) return;
    if (i->op == OP_PARAM && i->block == o->loop->header)
        o->s->pinned[*use] = true;
    else
        o->bad = true;
}

static bool pin_what_is_used_behind(Simt *s, const Loop *loop) {
    Outside o = {s, loop, false};
    for (uint32_t k = 0; k < s->cfg->nrpo; k++)
        if (!affine_is_in(s->af, loop, s->cfg->rpo[k]))
            ir_visit_uses(s->fn, s->cfg->rpo[k], visit_outside, &o);
    return !o.bad;
}

/* The loop's test, exactly: scale * counter <= hi. */
static bool lanes_of_counter(Simt *s, const Loop *loop, SimtGuard *g) {
    const Term *t = &block_at(s, loop->header)->term;
    const Ins *test = ir_at(s->fn, t->arg);
    if (test->op != OP_LT) return false;
    Ref p = test->args[0];
    const Counter *c = affine_counter(s->af, p);
    if (!c || c->loop != loop || c->step <= 0 || c->nhi != 1 || !steps_together(s, loop, p))
        return false;
    bool alone = !s->varies[test->args[1]];
    Lin by = c->scale ? lin_const(c->scale) : lin_symbol(c->scaled_by);
    if (alone || (!c->scale && s->varies[c->scaled_by])) return false;
    Lin left = lin_add(lin_add(c->hi[0], lin_const(1), 1), lin_mul(by, lin_symbol(p)), -1);
    return take_lane(s, left, p, &g->axis, &g->base);
}

/* The test is b + thread < limit, and b goes up. */
static bool lanes_of_sum(Simt *s, const Loop *loop, SimtGuard *g) {
    Ref small, large, own = 0;
    bool inclusive;
    const Term *t = &block_at(s, loop->header)->term;
    if (!simt_match_order(s, t->arg, true, &small, &large, &inclusive) || s->varies[large])
        return false;
    Lin sum = affine_lin(s->af, small, LIN_MODULO);
    for (uint32_t k = 0; sum.ok && k < sum.n; k++)
        if (!sum.t[k].b && steps_together(s, loop, sum.t[k].a)) own = sum.t[k].a;
    if (!own ||
        affine_range(s->af,
                     ir_at(s->fn, edge_back(s->fn, loop)->args[ir_at(s->fn, own)->imm])->args[1])
                .lo <= 0)
        return false;
    Lin left = lin_add(lin_add(lin_symbol(large), lin_const(inclusive), 1), sum, -1);
    return take_lane(s, left, own, &g->axis, &g->base);
}

static bool match_loop(Simt *s, const Loop *loop) {
    SimtGuard g = {.at = loop->header, .scoped = true, .loop = true};
    const Term *t = &block_at(s, loop->header)->term;
    if (t->kind != TERM_BRANCH || t->succ[0].n || t->succ[1].n || loop->latch == NO_BLOCK ||
        loop->preheader == NO_BLOCK || s->apart[loop->preheader])
        return false;
    g.go = t->succ[0].to;
    g.join = t->succ[1].to;
    if (!affine_is_in(s->af, loop, g.go) || affine_is_in(s->af, loop, g.join)) return false;
    if (s->in.start[g.go + 1] - s->in.start[g.go] != 1) return false;
    if ((!lanes_of_counter(s, loop, &g) && !lanes_of_sum(s, loop, &g)) ||
        !leaves_at_header(s, loop) || !header_is_pure(s, loop) ||
        has_op(s, loop->blocks, loop->nblocks, OP_BARRIER) || !pin_what_is_used_behind(s, loop))
        return false;
    s->guards[s->nguards++] = g;
    return true;
}

/* --- ifs -------------------------------------------------------------------------------------- */

/* Blocks from `from` up to `join`; false: they are also reached in another way. */
static bool find_part(Simt *s, BlockId from, BlockId join, BlockId *out, uint32_t *n) {
    bool *seen = NEWN(s->cx, bool, s->fn->blocks.n);
    BlockId to[3];
    *n = 0;
    out[(*n)++] = from;
    seen[from] = true;
    for (uint32_t k = 0; k < *n; k++) {
        if (!cfg_dominates(s->cfg, from, out[k]) || block_at(s, out[k])->term.kind == TERM_RETURN)
            return false;
        for (uint32_t i = ir_successors(s->fn, out[k], to); i-- > 0;) {
            if (to[i] == join || seen[to[i]]) continue;
            seen[to[i]] = true;
            out[(*n)++] = to[i];
        }
    }
    return true;
}

/* sum // c == 0 or sum >> c == 0, for a sum that is not negative: sum < *limit. */
static bool match_quotient(Simt *s, Ref cond, Ref *sum, int64_t *limit) {
    const Ins *i = ir_at(s->fn, cond);
    int64_t zero, by;
    if (i->op != OP_EQ || !opt_int_const(s->fn, i->args[1], &zero) || zero) return false;
    const Ins *q = ir_at(s->fn, i->args[0]);
    if ((q->op != OP_FLOORDIV && q->op != OP_SHR) || q->ty != TY_I(64)) return false;
    if (!opt_int_const(s->fn, q->args[1], &by) || by < 0 || by > 1024) return false;
    if (q->op == OP_SHR && by > 10) return false;
    *sum = q->args[0];
    *limit = q->op == OP_SHR ? (int64_t)1 << by : by;
    return *limit > 0 && affine_range(s->af, *sum).lo >= 0;
}

static bool lanes_of_condition(Simt *s, Ref cond, bool value, SimtGuard *g) {
    Ref small, large;
    bool inclusive;
    int64_t limit;
    Lin left;
    if (simt_match_order(s, cond, value, &small, &large, &inclusive)) {
        if (s->varies[large]) return false;
        left = lin_add(affine_lin(s->af, large, LIN_EXACT), lin_const(inclusive), 1);
    } else if (value && match_quotient(s, cond, &small, &limit)) {
        left = lin_const(limit);
    } else {
        return false;
    }
    left = lin_add(left, affine_lin(s->af, small, LIN_EXACT), -1);
    return take_lane(s, left, 0, &g->axis, &g->base);
}

/* Where the other threads go on: at the join, perhaps through a block that only passes values on. */
static bool leads_to_join(const Simt *s, BlockId b, BlockId join) {
    if (b == join) return true;
    const Block *block = block_at(s, b);
    return !block->ins.n && block->term.kind == TERM_JUMP && block->term.succ[0].to == join &&
           s->in.start[b + 1] - s->in.start[b] == 1;
}

static bool match_if(Simt *s, BlockId b) {
    const Term *t = &block_at(s, b)->term;
    BlockId join = s->ipdom[b], *part = NEWN(s->cx, BlockId, s->fn->blocks.n);
    uint32_t n;
    if (t->kind != TERM_BRANCH || t->succ[0].n || t->succ[1].n || s->apart[b] || join == NO_BLOCK ||
        !s->varies[t->arg] || simt_guard_at(s, b))
        return false;
    for (int which = 0; which < 2; which++) {
        SimtGuard g = {.at = b, .scoped = true, .join = join, .go = t->succ[which].to};
        g.other = t->succ[!which].to;
        if (g.go == join || s->in.start[g.go + 1] - s->in.start[g.go] != 1 ||
            !leads_to_join(s, g.other, join) || !find_part(s, g.go, join, part, &n) ||
            !has_op(s, part, n, OP_WARP) || has_op(s, part, n, OP_BARRIER) ||
            !lanes_of_condition(s, t->arg, which == 0, &g))
            continue;
        s->guards[s->nguards++] = g;
        return true;
    }
    return false;
}

/* --- all -------------------------------------------------------------------------------------- */

static bool match_loops(Simt *s, const Loop *loop) {
    bool any = false;
    for (; loop && s->nguards < GUARDS; loop = loop->next)
        any |=
            (!simt_guard_at(s, loop->header) && match_loop(s, loop)) || match_loops(s, loop->child);
    return any;
}

/* From outside inwards: where threads were apart, they may be together once the scope around is known. */
void simt_find_scopes(Simt *s) {
    for (bool any = true; any;) {
        any = match_loops(s, s->loops->roots);
        for (uint32_t k = 0; !any && k < s->cfg->nrpo && s->nguards < GUARDS; k++)
            any = match_if(s, s->cfg->rpo[k]);
        if (any) simt_fill_uniform(s);
    }
}
