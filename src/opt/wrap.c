/* Lets subscripts that are not negative pass with one comparison:
 *
 *     w = wrap i, n                     branch 0 <= i < n, rest(i), negative
 *     check.index w, n, i      ->       negative: w = i + n; check.index w, n, i; jump rest(w)
 *     ... w ...                         rest(w): ... w ...
 *
 * relies on: range, version, strip (what can go has gone)    keeps: nothing
 * breaks: the graph
 *
 * What is left by then are subscripts that were loaded or computed from data. Wrapping them costs
 * three operations and puts a select between the index and the load; the branch costs nothing where
 * it always goes one way, which makes a checked gather as quick as an unchecked one that wraps.
 * Done in loops only: elsewhere it is but more blocks to compile.
 *
 * Where the index was a float (`counts[int(x)]`), the question whether it fits an integer goes to
 * `negative` too: out of range the cast gives the smallest integer, which is no index. */
#include "opt/opt_int.h"

typedef struct WrapPass {
    Cx *cx;
    Fn *fn;
    const Loops *loops;
    Subst sub;
    bool changed;
} WrapPass;

static bool uses(const Ins *i, Ref r) {
    for (uint32_t a = 0; a < i->nargs; a++)
        if (i->args[a] == r) return true;
    return false;
}

/* Is instruction `at` of the block the check of a wrap that stands before it and is for nothing
 * else so far? */
static bool is_checked_wrap(const Fn *fn, const Block *b, uint32_t at) {
    const Ins *check = ir_at(fn, b->ins.at[at]);
    if (check->op != OP_CHECK_INDEX) return false;
    Ref w = check->args[0];
    const Ins *wrap = ir_at(fn, w);
    if (wrap->op != OP_WRAP || wrap->args[1] != check->args[1]) return false;
    while (at-- > 0) {
        if (b->ins.at[at] == w) return true;
        if (uses(ir_at(fn, b->ins.at[at]), w)) return false;
    }
    return false;
}

/* In block b, the check that the float behind index i fits an integer, if all behind it may run
 * before it; else 0. */
static Ref find_float_check(const Fn *fn, BlockId b, Ref i) {
    const Ins *cast = ir_at(fn, i);
    if (cast->op != OP_CAST || cast->block != b || cast->ty != TY_I(64)) return 0;
    const Type *from = ir_at(fn, cast->args[0])->ty;
    if (from->kind != TY_FLOAT || from->bits < 32) return 0;
    for (uint32_t k = fn->blocks.at[b].ins.n; k-- > 0;) {
        Ref r = fn->blocks.at[b].ins.at[k];
        const Ins *in = ir_at(fn, r);
        if (in->op == OP_CHECK && in->sub == CHECK_FLOAT_TO_INT && in->nargs == 2)
            return in->args[1] == cast->args[0] ? r : 0;
        if (!(op_info[in->op].effects & PURE) && in->op != OP_LOAD) return 0;
    }
    return 0;
}

static void move_float_check(WrapPass *p, BlockId from, BlockId to, Ref i) {
    Ref check = find_float_check(p->fn, from, i);
    if (!check) return;
    Refs *list = &p->fn->blocks.at[from].ins;
    uint32_t k = 0;
    while (list->at[k] != check) k++;
    memmove(list->at + k, list->at + k + 1, (--list->n - k) * sizeof(Ref));
    vec_push(p->cx, &p->fn->blocks.at[to].ins, check);
    ir_at(p->fn, check)->block = to;
    ir_at(p->fn, i)->imm = 1;
}

static void split(WrapPass *p, BlockId b, uint32_t at) {
    Fn *fn = p->fn;
    Cx *cx = p->cx;
    Type *u64 = TY_U(64);
    Ref check = fn->blocks.at[b].ins.at[at], w = ir_at(fn, check)->args[0];
    Ref n = ir_at(fn, check)->args[1], i = ir_at(fn, w)->args[0];
    Span span = ir_at(fn, check)->span;
    BlockId rest = ir_split(cx, fn, b, at), negative = ir_new_block(cx, fn, "negative");
    Ref param = ir_add_param(cx, fn, rest, TY_I(64));
    move_float_check(p, b, negative, i);
    Ref ui = ir_add(cx, fn, b, OP_BITCAST, u64, span, 1, &i);
    Ref un = ir_add(cx, fn, b, OP_BITCAST, u64, span, 1, &n);
    Ref good = ir_add(cx, fn, b, OP_LT, TY_OF(TY_BOOL), span, 2, (Ref[]){ui, un});
    ir_branch(cx, fn, b, good, ir_edge(cx, rest, 1, &i), ir_edge(cx, negative, 0, NULL), span);
    fn->blocks.at[b].term.cold = true;
    Ref sum = ir_add(cx, fn, negative, OP_ADD, TY_I(64), span, 2, (Ref[]){i, n});
    Refs *after = &fn->blocks.at[rest].ins; /* it starts with the check, which moves */
    memmove(after->at, after->at + 1, --after->n * sizeof(Ref));
    ir_at(fn, check)->block = negative;
    ir_at(fn, check)->args[0] = sum;
    vec_push(cx, &fn->blocks.at[negative].ins, check);
    ir_jump(cx, fn, negative, rest, 1, &sum);
    Edge h = fn->blocks.at[b].handler;
    if (h.to != NO_BLOCK) fn->blocks.at[negative].handler = ir_edge(cx, h.to, h.n, h.args);
    subst_set(cx, &p->sub, w, param);
    ir_kill(fn, w);
    p->changed = true;
}

static bool has_wraps(const Fn *fn) {
    for (Ref r = 1; r < fn->ins.n; r++)
        if (fn->ins.at[r].op == OP_WRAP) return true;
    return false;
}

bool opt_wrap(Cx *cx, Fn *fn) {
    if (fn->is_slow || ir_is_unsplit(fn) || !has_wraps(fn)) return false;
    WrapPass p = {.cx = cx, .fn = fn, .loops = ir_loops(cx, fn, ir_cfg(cx, fn))};
    for (BlockId b = 0, n = fn->blocks.n; b < n; b++) {
        if (fn->blocks.at[b].dead || !p.loops->of[b]) continue;
        for (uint32_t i = fn->blocks.at[b].ins.n;
             i-- > 0;) /* from the end: b keeps what is before */
            if (is_checked_wrap(fn, &fn->blocks.at[b], i)) split(&p, b, i);
    }
    subst_apply(fn, &p.sub);
    ir_sweep(fn);
    return p.changed;
}
