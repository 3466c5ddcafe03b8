/* Makes the function smaller without needing to know anything about loops or memory.
 *
 * relies on: nothing    keeps: nothing of the graph
 * breaks: blocks may die, parameters and values go
 *
 * One walk in reverse post-order folds every instruction with operands that are already folded, so
 * a chain of any length takes one round; only what a loop's edge brings back needs another, and
 * what branches on constants cut off. Why not the textbook's sparse conditional propagation:
 * inference has already found the constants that the source implies; what is left comes from
 * lowering and inlining and is found where it stands. Rounds end when nothing changes, in practice
 * after two. */
#include "opt/opt_int.h"

typedef struct Simplify {
    Cx *cx;
    Fn *fn;
    const Cfg *cfg;
    Incoming in;
    Subst sub;
    bool changed;
} Simplify;

/* --- values ----------------------------------------------------------------------------------- */

/* The one value that all edges bring to parameter i of block b, the parameter itself aside; 0:
 * several. Equal constants count as one: then *k is set. */
static Ref common_arg(Simplify *s, BlockId b, uint32_t i, Const **k) {
    Ref p = s->fn->blocks.at[b].params.at[i], common = 0;
    *k = NULL;
    for (uint32_t e = s->in.start[b]; e < s->in.start[b + 1]; e++) {
        if (s->cfg->rpo_index[s->in.at[e].from] == UINT32_MAX) continue;
        Ref a = opt_edge_arg(s->fn, s->in.at[e], i);
        if (!a) return 0;
        a = subst_get(&s->sub, a);
        if (a == p || a == common) continue;
        if (!common) {
            common = a;
            continue;
        }
        if (!ir_is_const(s->fn, a) || !ir_is_const(s->fn, common)) return 0;
        *k = ir_at(s->fn, common)->k;
        if (!ir_const_equal(*k, ir_at(s->fn, a)->k)) return 0;
    }
    return common;
}

static void fold_params(Simplify *s, BlockId b) {
    for (uint32_t i = 0; i < s->fn->blocks.at[b].params.n; i++) {
        Const *k;
        Ref p = s->fn->blocks.at[b].params.at[i], v = common_arg(s, b, i, &k);
        if (!v || (p < s->sub.n && s->sub.to[p])) continue;
        /* The parameter is there when the block is entered, for its handler to read; a constant is not. */
        if (k && opt_has_handler(&s->fn->blocks.at[b])) continue;
        if (k) v = ir_const(s->cx, s->fn, b, k, ir_at(s->fn, v)->span);
        subst_set(s->cx, &s->sub, p, v);
        s->changed = true;
    }
}

static void fold_block(Simplify *s, BlockId b) {
    Refs old = s->fn->blocks.at[b].ins;
    s->fn->blocks.at[b].ins = (Refs){0};
    fold_params(s, b);
    for (uint32_t k = 0; k < old.n; k++) {
        Ref r = old.at[k];
        Ins *i = ir_at(s->fn, r);
        if (i->op == OP_NOP) continue;
        for (uint32_t a = 0; a < i->nargs; a++) i->args[a] = subst_get(&s->sub, i->args[a]);
        Ref v = opt_fold(s->cx, s->fn, b, r);
        if (!v) {
            vec_push(s->cx, &s->fn->blocks.at[b].ins, r);
            continue;
        }
        if (v != FOLD_DROP) subst_set(s->cx, &s->sub, r, v);
        ir_kill(s->fn, r);
        s->changed = true;
    }
}

/* --- control flow ----------------------------------------------------------------------------- */

static void keep_succ(Term *t, uint32_t which) {
    Edge e = t->succ[which];
    *t = (Term){.kind = TERM_JUMP, .succ = {e, {.to = NO_BLOCK}}, .span = t->span};
}

/* A branch that always goes one way, or the same way with the same values: a jump. An exception
 * raised where a handler waits: a jump with it. */
static void fold_term(Simplify *s, BlockId b) {
    Block *blk = &s->fn->blocks.at[b];
    Term *t = &blk->term;
    int64_t k;
    if (t->kind == TERM_BRANCH) {
        const Ins *c = ir_at(s->fn, t->arg);
        if (c->op == OP_XOR && opt_int_const(s->fn, c->args[1], &k) && k == 1) {
            Edge yes = t->succ[0];
            t->arg = c->args[0];
            t->succ[0] = t->succ[1];
            t->succ[1] = yes;
            t->cold = false;
            s->changed = true;
        } else if (opt_int_const(s->fn, t->arg, &k)) {
            keep_succ(t, k == 0);
            s->changed = true;
        } else if (opt_same_edge(&t->succ[0], &t->succ[1])) {
            keep_succ(t, 0);
            s->changed = true;
        }
    } else if (t->kind == TERM_RAISE && t->arg && opt_has_handler(blk)) {
        opt_raise_to_jump(s->cx, s->fn, b);
        s->changed = true;
    }
}

/* May block n, whose only predecessor b jumps to it, be appended to b? Exceptions must go where
 * they went, and with values that are there when the merged block is entered. */
static bool can_append(const Fn *fn, BlockId b, BlockId n) {
    const Block *first = &fn->blocks.at[b], *second = &fn->blocks.at[n];
    if (!opt_has_handler(second)) return !opt_has_handler(first) || !opt_block_raises(fn, n);
    return opt_same_edge(&first->handler, &second->handler) ||
           (first->ins.n == 0 && !opt_has_handler(first));
}

static void append(Simplify *s, BlockId b, BlockId n) {
    Fn *fn = s->fn;
    Block *first = &fn->blocks.at[b], *second = &fn->blocks.at[n];
    for (uint32_t i = 0; i < second->params.n; i++)
        subst_set(s->cx, &s->sub, second->params.at[i], first->term.succ[0].args[i]);
    for (uint32_t i = 0; i < second->ins.n; i++) {
        ir_at(fn, second->ins.at[i])->block = b;
        vec_push(s->cx, &first->ins, second->ins.at[i]);
    }
    if (opt_has_handler(second)) first->handler = second->handler;
    first->term = second->term;
    second->ins.n = 0;
    second->handler = second->term.succ[0] = second->term.succ[1] = (Edge){.to = NO_BLOCK};
    ir_kill_block(fn, n);
    s->changed = true;
}

static bool merge_blocks(Simplify *s) {
    Fn *fn = s->fn;
    bool any = false;
    Incoming in = opt_incoming(s->cx, fn);
    for (BlockId b = 0; b < fn->blocks.n; b++) {
        Block *blk = &fn->blocks.at[b];
        while (!blk->dead && blk->term.kind == TERM_JUMP) {
            BlockId n = blk->term.succ[0].to;
            if (n == b || n == 0 || in.start[n + 1] - in.start[n] != 1 || !can_append(fn, b, n))
                break;
            append(s, b, n);
            any = true;
        }
    }
    return any;
}

static bool simplify_once(Cx *cx, Fn *fn, bool *dropped) {
    Simplify s = {cx, fn, ir_cfg(cx, fn), opt_incoming(cx, fn), {0}, false};
    for (uint32_t i = 0; i < s.cfg->nrpo; i++) fold_block(&s, s.cfg->rpo[i]);
    subst_apply(fn, &s.sub);
    for (uint32_t i = 0; i < s.cfg->nrpo; i++) fold_term(&s, s.cfg->rpo[i]);
    s.changed |= opt_drop_handlers(fn);
    s.changed |= opt_drop_unreachable(cx, fn);
    s.sub = (Subst){0};
    if (merge_blocks(&s)) subst_apply(fn, &s.sub);
    *dropped |= opt_drop_dead(cx, fn);
    return s.changed;
}

bool opt_simplify(Cx *cx, Fn *fn) {
    enum { ROUNDS = 8 };
    bool any = false;
    for (int round = 0; round < ROUNDS; round++) {
        if (!simplify_once(cx, fn, &any)) break;
        any = true;
    }
    return any;
}
