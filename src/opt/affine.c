/* What does not change, values as sums, sizes. See affine.h; sums by themselves are lin.c, ranges affine_range.c, counters
 * affine_counter.c, proofs affine_prove.c. */
#include "opt/affine_int.h"

bool affine_is_in(const Affine *af, const Loop *loop, BlockId b) {
    return ir_loop_has(af->loops, loop, b);
}

/* --- what does not change --------------------------------------------------------------------- */

static bool is_safe_early(Affine *af, const Ins *i) {
    if (!(op_info[i->op].effects & PURE) || i->op == OP_PARAM || i->op == OP_ARG ||
        i->op == OP_SHARED)
        return false;
    if (i->op != OP_FLOORDIV && i->op != OP_FLOORMOD) return true;
    return i->ty->kind == TY_FLOAT || affine_range(af, i->args[1]).lo > 0;
}

bool affine_is_invariant(Affine *af, Ref r) {
    const Ins *i = ir_at(af->fn, r);
    if (!affine_is_in(af, af->nest, i->block)) return i->block >= af->cfg->n || !af->gone[i->block];
    uint64_t known = map_get(&af->invariant, r, 0);
    if (known) return known == 2;
    map_set(af->cx, &af->invariant, r, 1);
    bool same = af->depth < 32 && is_safe_early(af, i);
    af->depth++;
    for (uint32_t a = 0; same && a < i->nargs; a++) same = affine_is_invariant(af, i->args[a]);
    af->depth--;
    if (same) map_set(af->cx, &af->invariant, r, 2);
    return same;
}

void affine_set_nest(Affine *af, Loop *nest) {
    af->nest = nest;
    af->facts_at = NO_BLOCK;
    af->counters = af->invariant = af->ranges = af->follows = (Map){0};
    affine_find_counters(af, nest);
}

/* --- values as sums --------------------------------------------------------------------------- */

/* Can the operation not wrap around? */
static bool is_exact(Affine *af, const Ins *i) {
    Range a = affine_range(af, i->args[0]);
    Range b = i->nargs > 1 ? affine_range(af, i->args[1]) : (Range){0, 0};
    Wide lo, hi;
    if (i->op == OP_ADD) {
        lo = (Wide)a.lo + b.lo, hi = (Wide)a.hi + b.hi;
    } else if (i->op == OP_SUB) {
        lo = (Wide)a.lo - b.hi, hi = (Wide)a.hi - b.lo;
    } else if (i->op == OP_MUL) {
        Range m = range_mul(a, b);
        return m.lo != INT64_MIN || m.hi != INT64_MAX;
    } else {
        return a.lo != INT64_MIN;
    }
    return lo >= INT64_MIN && hi <= INT64_MAX;
}

bool affine_can_be_small(Affine *af, const Lin *l) {
    for (uint32_t i = 0; l->ok && i < l->n; i++)
        for (int side = 0; side < 2; side++) {
            Ref r = side ? l->t[i].b : l->t[i].a;
            const Counter *c = r ? affine_counter(af, r) : NULL;
            bool counter =
                c && c->nlo && c->nhi && af->nest && affine_is_in(af, af->nest, c->loop->header);
            if (r && !counter && !affine_is_invariant(af, r)) return false;
        }
    return l->ok;
}

static Lin lin_of(Affine *af, Ref r, LinMode mode, int depth) {
    const Ins *i = ir_at(af->fn, r);
    int64_t k;
    if (i->ty->kind != TY_INT || i->ty->bits != 64 || !i->ty->is_signed) return no_lin;
    if (opt_int_const(af->fn, r, &k)) return lin_const(k);
    bool sum = i->op == OP_ADD || i->op == OP_SUB || i->op == OP_MUL || i->op == OP_NEG;
    if (!sum || depth == 0) return lin_symbol(r);
    bool exact = mode == LIN_MODULO || is_exact(af, i);
    if (!exact && mode == LIN_EXACT) return lin_symbol(r);
    Lin a = lin_of(af, i->args[0], mode, depth - 1), out;
    Lin b = i->nargs > 1 ? lin_of(af, i->args[1], mode, depth - 1) : no_lin;
    if (i->op == OP_ADD)
        out = lin_add(a, b, 1);
    else if (i->op == OP_SUB)
        out = lin_add(a, b, -1);
    else if (i->op == OP_MUL)
        out = lin_mul(a, b);
    else
        out = lin_add(lin_const(0), a, -1);
    if (!exact) {
        if (!affine_can_be_small(af, &out)) return lin_symbol(r);
        out.assumed = true;
    }
    return out.ok ? out : lin_symbol(r);
}

Lin affine_lin(Affine *af, Ref r, LinMode mode) { return lin_of(af, r, mode, 8); }

static uint64_t size_key(Ref array, uint64_t field) { return (uint64_t)array << 8 | field; }

/* The first that reads each size. */
static void find_sizes(Affine *af) {
    for (Ref r = af->fn->ins.n; r-- > 1;) {
        const Ins *i = ir_at(af->fn, r);
        if (i->op != OP_FIELD || i->block == NO_BLOCK) continue;
        if (ir_at(af->fn, i->args[0])->ty->kind != TY_ARRAY) continue;
        map_set(af->cx, &af->sizes, size_key(i->args[0], (uint64_t)i->imm), r);
    }
    af->has_sizes = true;
}

Ref affine_size(Affine *af, Ref array, uint32_t axis) {
    const Ins *x = ir_at(af->fn, array);
    if (x->op == OP_MAKE) return x->args[2 + axis];
    if (!af->has_sizes) find_sizes(af);
    return (Ref)map_get(&af->sizes, size_key(array, 2 + axis), 0);
}

/* --- a new one --------------------------------------------------------------------------------- */

static Affine *new_affine(Cx *cx, Fn *fn, LinMode mode, const Cfg *cfg, const Loops *loops) {
    Affine *af = NEW(cx, Affine);
    *af = (Affine){.cx = cx,
                   .fn = fn,
                   .cfg = cfg,
                   .loops = loops,
                   .in = opt_incoming(cx, fn),
                   .mode = mode,
                   .facts_at = NO_BLOCK};
    af->gone = NEWN(cx, bool, fn->blocks.n);
    return af;
}

Affine *affine_new(Cx *cx, Fn *fn, LinMode mode) {
    const Cfg *cfg = ir_cfg(cx, fn);
    Affine *af = new_affine(cx, fn, mode, cfg, ir_loops(cx, fn, cfg));
    for (Loop *l = af->loops->roots; l && mode != LIN_ASSUME; l = l->next)
        affine_find_counters(af, l);
    return af;
}

Affine *affine_new_loops(Cx *cx, Fn *fn, LinMode mode) {
    const Cfg *cfg = ir_cfg(cx, fn);
    const Loops *loops = ir_loops(cx, fn, cfg);
    if (!loops->roots) return NULL;
    if (opt_make_preheaders(cx, fn, loops)) {
        cfg = ir_cfg(cx, fn);
        loops = ir_loops(cx, fn, cfg);
    }
    return new_affine(cx, fn, mode, cfg, loops);
}
