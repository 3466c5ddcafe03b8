/* Proves checks at compile time: from counted loops (`for` and `while` alike), from the conditions
 * that lead to a place, from the ranges of values. What is proved goes: index checks, the select in
 * a WRAP, comparisons with one possible outcome (and with them checks of divisors, loops' and
 * ranges' tests of a step's sign).
 *
 * relies on: cse (equal fields are one value)    keeps: cfg, dominance, loops    breaks: uses
 *
 * Why not intervals for every value: what must be proved is a relation between two unknowns (i <
 * len(x)), so sums of symbols are compared, on demand, where a check asks: no check, no cost. Whole
 * numbers, not wrapping ones: a sum is taken apart only where it can not wrap (see LinMode),
 * because the proof would be worth nothing otherwise. */
#include "ir/math.h"
#include "opt/affine.h"

typedef struct RangePass {
    Affine *af;
    Fn *fn;
    Cx *cx;
    Subst sub;
    bool changed;
} RangePass;

static Lin negate(Lin a) { return lin_add(lin_const(0), a, -1); }

/* What is known about index i for a size n >= 0 in block b. */
typedef struct Index {
    bool nonneg; /* 0 <= i */
    bool below; /* i < n */
    bool negative; /* -n <= i < 0 */
    bool wraps; /* -n <= i < n */
} Index;

static Index look_at_index(RangePass *p, Ref i, Ref n, BlockId b) {
    Index x = {0};
    Lin size = affine_lin(p->af, n, LIN_EXACT), e = affine_lin(p->af, i, LIN_EXACT);
    x.nonneg = affine_prove(p->af, negate(e), b);
    x.below = affine_prove(p->af, lin_add(lin_add(e, size, -1), lin_const(1), 1), b);
    if (x.nonneg && x.below) return x;
    Lin m = affine_lin(p->af, i, LIN_MODULO); /* worth something only if both ends are proved */
    if (affine_prove(p->af, negate(m), b) &&
        affine_prove(p->af, lin_add(lin_add(m, size, -1), lin_const(1), 1), b)) {
        x.nonneg = x.below = true;
        return x;
    }
    if (x.nonneg) return x;
    bool from_end = affine_prove(p->af, lin_add(negate(e), size, -1), b);
    x.wraps = from_end && x.below;
    x.negative = from_end && affine_prove(p->af, lin_add(e, lin_const(1), 1), b);
    return x;
}

static void replace(RangePass *p, Ref r, Ref by) {
    if (by) subst_set(p->cx, &p->sub, r, by);
    ir_kill(p->fn, r);
    p->changed = true;
}

/* check.index wrap(i, n), n, i. The wrap is looked at here, where all three are in hand. */
static void visit_index_check(RangePass *p, BlockId b, Ref r) {
    const Ins *check = ir_at(p->fn, r);
    Ref w = check->args[0], n = check->args[1], i = w;
    bool wrapped = ir_at(p->fn, w)->op == OP_WRAP && ir_at(p->fn, w)->args[1] == n;
    if (wrapped) i = subst_get(&p->sub, ir_at(p->fn, w)->args[0]);
    Index x = look_at_index(p, i, n, b);
    if (wrapped && x.nonneg && !(w < p->sub.n && p->sub.to[w])) {
        /* the wrap may stand in a block above, where less is known: what is proved here holds for
         * uses below */
        if (ir_at(p->fn, w)->block == b) {
            replace(p, w, i);
        }
        ir_at(p->fn, r)->args[0] = i;
        p->changed = true;
    }
    bool good = x.nonneg ? x.below : wrapped && (x.negative || x.wraps);
    if (!good) return;
    if (wrapped && x.negative && ir_at(p->fn, w)->block == b) { /* i + n, without asking */
        ir_at(p->fn, w)->op = OP_ADD;
        p->changed = true;
    }
    replace(p, r, 0);
}

/* A comparison of integers with one possible outcome. */
static void visit_compare(RangePass *p, Ref r) {
    Ins *i = ir_at(p->fn, r);
    if (ir_at(p->fn, i->args[0])->ty != TY_I(64) || i->args[0] == i->args[1]) return;
    Range a = affine_range(p->af, i->args[0]), b = affine_range(p->af, i->args[1]);
    int known = -1;
    if (a.hi < b.lo) known = i->op == OP_LT || i->op == OP_LE || i->op == OP_NE;
    if (a.lo > b.hi) known = i->op == OP_GT || i->op == OP_GE || i->op == OP_NE;
    if (a.hi == b.lo && i->op == OP_LE) known = 1;
    if (a.hi == b.lo && i->op == OP_GT) known = 0;
    if (a.lo == b.hi && i->op == OP_GE) known = 1;
    if (a.lo == b.hi && i->op == OP_LT) known = 0;
    if (known < 0) return;
    Const *k = ir_const_int(p->cx, i->ty, known);
    i->op = OP_CONST;
    i->nargs = 0;
    i->k = k;
    p->changed = true;
}

/* max(a, b) and min(a, b) where one is always the one. */
static void visit_minmax(RangePass *p, Ref r) {
    const Ins *i = ir_at(p->fn, r);
    if ((i->sub != MATH_MIN && i->sub != MATH_MAX) || i->ty != TY_I(64)) return;
    Range a = affine_range(p->af, i->args[0]), b = affine_range(p->af, i->args[1]);
    if (a.lo >= b.hi)
        replace(p, r, i->args[i->sub == MATH_MIN]);
    else if (b.lo >= a.hi)
        replace(p, r, i->args[i->sub == MATH_MAX]);
}

/* Its check may be gone already: in kernels for GPUs, promises go first. */
static void visit_wrap(RangePass *p, BlockId b, Ref r) {
    Ref i = ir_at(p->fn, r)->args[0];
    bool good = affine_range(p->af, i).lo >= 0;
    if (!good && !p->fn->options.boundscheck)
        good = affine_prove(p->af, negate(affine_lin(p->af, i, LIN_EXACT)), b);
    if (good) replace(p, r, i);
}

static void visit(RangePass *p, BlockId b, Ref r) {
    Ins *i = ir_at(p->fn, r);
    for (uint32_t a = 0; a < i->nargs; a++) i->args[a] = subst_get(&p->sub, i->args[a]);
    switch ((int)i->op) {
    case OP_CHECK_INDEX: visit_index_check(p, b, r); break;
    case OP_EQ:
    case OP_NE:
    case OP_LT:
    case OP_LE:
    case OP_GT:
    case OP_GE: visit_compare(p, r); break;
    case OP_MATH: visit_minmax(p, r); break;
    case OP_WRAP: visit_wrap(p, b, r); break;
    default: break;
    }
}

bool opt_range(Cx *cx, Fn *fn) {
    RangePass p = {.cx = cx, .fn = fn, .af = affine_new(cx, fn, LIN_EXACT)};
    for (uint32_t k = 0; k < p.af->cfg->nrpo; k++) {
        BlockId b = p.af->cfg->rpo[k];
        for (uint32_t i = 0; i < fn->blocks.at[b].ins.n; i++)
            if (ir_at(fn, fn->blocks.at[b].ins.at[i])->op != OP_NOP)
                visit(&p, b, fn->blocks.at[b].ins.at[i]);
    }
    subst_apply(fn, &p.sub);
    ir_sweep(fn);
    return p.changed;
}
