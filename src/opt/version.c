/* Versions loop nests: one check before the outermost loop on all that its index checks ask for,
 * then the nest without them, else a copy of the nest as it was, cut out into a cold function.
 *
 * relies on: range (what can be proved is gone)    keeps: nothing
 * breaks: the graph around each nest
 *
 * As far out as all checks can be shown at once: a check before an inner loop runs as often as that
 * loop, and the back end works best on a simple nest without other branches in it. Where the arrays
 * change in an outer loop (two rows that swap places), it is the loops inside. An index is a sum of
 * counters and of values that do not change in the nest; replacing each counter by its bound,
 * innermost first, gives the largest (and smallest) index in terms of those values alone, and
 * comparing that with the array's size before the nest replaces the check in it. The sum before the
 * nest must not wrap around: the values in it are compared with a bound that makes all sums fit
 * int64. Checks that do not depend on the nest at all are asked before it too. If the check before
 * the nest fails, the copy runs and raises where the source says, or does not raise at all.
 *
 * What is left in the fast copy: checks on values (indirect subscripts, divisors), and checks whose
 * outcome can not be told from the counters. The nest is not versioned if the check could never
 * succeed. */
#include "opt/version.h"
#include "base/diag.h"
#include "base/remark.h"
#include "opt/report.h"

/* --- what to ask ------------------------------------------------------------------------------ */

bool version_add_goal(Version *v, Lin d, BlockId b) {
    if (affine_prove(v->af, d, b)) return true;
    Goal g = {0};
    g.n = affine_reduce(v->af, d, b, g.any, EITHER);
    if (!g.n) return false;
    vec_push(v->cx, &v->goals, g);
    return true;
}

bool version_same_goal(const Goal *a, const Goal *b) {
    if (a->cond != b->cond || a->n != b->n) return false;
    for (uint32_t k = 0; k < a->n; k++)
        if (!lin_equal(a->any[k], b->any[k])) return false;
    return true;
}

static bool add_both(Version *v, Lin d1, Lin d2, BlockId b) {
    Mark m = version_mark(v);
    return (version_add_goal(v, d1, b) && version_add_goal(v, d2, b)) || version_forget(v, m);
}

/* d <= 0 says that something is small without saying than what: sizes and counts rarely are. Such a
 * goal comes from a subscript like i - k, which is meant to be negative where it can be. */
static bool is_plausible(const Lin *d) {
    for (uint32_t i = 0; i < d->n; i++)
        if (d->t[i].k < 0) return true;
    return d->c < 0 || d->n == 0;
}

/* Adds what must be shown for the index i not to be negative; false if it may well be. */
static bool add_nonnegative(Version *v, Lin i, BlockId b) {
    Mark m = version_mark(v);
    if (!version_add_goal(v, lin_add(lin_const(0), i, -1), b)) return false;
    for (uint32_t g = m.goals; g < v->goals.n; g++)
        for (uint32_t k = 0; k < v->goals.at[g].n; k++)
            if (!is_plausible(&v->goals.at[g].any[k])) return version_forget(v, m);
    return true;
}

/* The wrap of a subscript in block b: is it one that may be changed there? */
static Ref own_wrap(const Version *v, Ref w, Ref n, BlockId b) {
    const Ins *i = ir_at(v->fn, w);
    return i->op == OP_WRAP && i->args[1] == n && i->block == b ? w : 0;
}

/* --- checks ----------------------------------------------------------------------------------- */

/* In this order: never negative; always negative; sometimes, and then the wrap stays. */
static bool plan_index(Version *v, BlockId b, Ref r) {
    const Ins *check = ir_at(v->fn, r);
    Ref w = check->args[0], n = check->args[1];
    bool wrapped = ir_at(v->fn, w)->op == OP_WRAP && ir_at(v->fn, w)->args[1] == n;
    if (affine_is_invariant(v->af, w) && affine_is_invariant(v->af, n)) {
        vec_push(v->cx, &v->goals, ((Goal){.cond = r}));
        vec_push(v->cx, &v->drops, ((Drop){.check = r}));
        return true;
    }
    Lin i = affine_lin(v->af, wrapped ? ir_at(v->fn, w)->args[0] : w, LIN_ASSUME);
    Lin size = affine_lin(v->af, n, LIN_ASSUME);
    Lin below = lin_add(lin_add(i, size, -1), lin_const(1), 1);
    Lin from_end = lin_add(lin_add(lin_const(0), i, -1), size, -1);
    Drop d = {r, own_wrap(v, w, n, b), false};
    Mark m = version_mark(v);
    bool good = (add_nonnegative(v, i, b) && version_add_goal(v, below, b)) || version_forget(v, m);
    if (!good && wrapped && affine_prove(v->af, lin_add(i, lin_const(1), 1), b)) {
        d.from_end = true;
        good = version_add_goal(v, from_end, b) || version_forget(v, m);
    } else if (!good && wrapped) {
        d.wrap = 0;
        good = add_both(v, from_end, below, b);
    }
    if (!good) return false;
    vec_push(v->cx, &v->drops, d);
    if (!d.from_end && (d.wrap || !wrapped))
        version_note_free(v, b, wrapped ? ir_at(v->fn, w)->args[0] : w, n);
    return true;
}

/* check c: c does not change in the nest, or is a comparison that the counters decide. */
static bool plan_check(Version *v, BlockId b, Ref r) {
    Ref c = ir_at(v->fn, r)->args[0];
    Mark m = version_mark(v);
    if (affine_is_invariant(v->af, c)) {
        vec_push(v->cx, &v->goals, ((Goal){.cond = c}));
        vec_push(v->cx, &v->drops, ((Drop){.check = r}));
        return true;
    }
    const Ins *i = ir_at(v->fn, c);
    bool is_ne = i->op == OP_NE, is_ge = i->op == OP_GE || i->op == OP_GT;
    if ((!is_ne && !is_ge && i->op != OP_LT && i->op != OP_LE) ||
        ir_at(v->fn, i->args[0])->ty != TY_I(64))
        return false;
    Lin x = affine_lin(v->af, i->args[0], LIN_ASSUME),
        y = affine_lin(v->af, i->args[1], LIN_ASSUME);
    Lin d = is_ge ? lin_add(y, x, -1) : lin_add(x, y, -1);
    int64_t strict = is_ne || i->op == OP_GT || i->op == OP_LT;
    bool good = version_add_goal(v, lin_add(d, lin_const(strict), 1), b);
    if (!good && is_ne)
        good = version_add_goal(v, lin_add(lin_add(lin_const(0), d, -1), lin_const(1), 1), b);
    if (!good) return version_forget(v, m);
    vec_push(v->cx, &v->drops, ((Drop){.check = r}));
    return true;
}

/* Plans the nest; returns how many checks in it would go. */
static uint32_t plan(Version *v, Loop *nest) {
    v->nest = nest;
    v->goals.n = v->drops.n = v->frees.n = 0;
    affine_set_nest(v->af, nest);
    v->af->used.n = 0;
    for (uint32_t k = 0; k < nest->nblocks; k++) {
        BlockId b = nest->blocks[k];
        for (uint32_t i = 0; i < v->fn->blocks.at[b].ins.n; i++) {
            Ref r = v->fn->blocks.at[b].ins.at[i];
            if (ir_at(v->fn, r)->op == OP_CHECK_INDEX) plan_index(v, b, r);
            if (ir_at(v->fn, r)->op == OP_CHECK) plan_check(v, b, r);
        }
    }
    return v->drops.n;
}

/* --- the fast copy ---------------------------------------------------------------------------- */

static void drop_checks(Version *v) {
    for (uint32_t i = 0; i < v->drops.n; i++) {
        const Drop *d = &v->drops.at[i];
        if (d->check) {
            opt_report_check(v->cx, v->fn, d->check, REMARK_CHECK_BEFORE);
            ir_kill(v->fn, d->check);
        }
        if (!d->wrap || ir_at(v->fn, d->wrap)->op != OP_WRAP) continue;
        if (d->from_end) {
            ir_at(v->fn, d->wrap)->op = OP_ADD;
            continue;
        }
        subst_set(v->cx, &v->sub, d->wrap, ir_at(v->fn, d->wrap)->args[0]);
        ir_kill(v->fn, d->wrap);
    }
}

static void version_nest(Version *v) {
    int bits = version_find_small(v);
    if (!bits || v->nest->preheader == NO_BLOCK || !outline_is_possible(v->af, v->uses, v->nest))
        return;
    v->before = v->nest->preheader;
    v->early = (Map){0};
    Ref ok = version_ask(v, bits);
    if (ok) outline_slow(v->cx, v->af, v->uses, v->nest, ok);
    drop_checks(v);
    version_mark_free_loads(v);
    for (uint32_t k = 0; k < v->nest->nblocks; k++) v->af->gone[v->nest->blocks[k]] = true;
    v->changed = true;
}

/* How many checks could go if the loops inside were versioned one by one. */
static uint32_t plan_children(Version *v, Loop *loop) {
    uint32_t sum = 0;
    for (Loop *l = loop->child; l; l = l->next) {
        uint32_t own = plan(v, l), inner = plan_children(v, l);
        sum += own > inner ? own : inner;
    }
    return sum;
}

static void version_loops(Version *v, Loop *loop) {
    for (; loop; loop = loop->next) {
        uint32_t inner = plan_children(v, loop), own = plan(v, loop);
        if (inner > own)
            version_loops(v, loop->child);
        else if (own)
            version_nest(v);
    }
}

/* The loops that stand `depth` loops deep. */
static void version_depth(Version *v, Loop *loop, uint32_t depth) {
    if (!depth) {
        version_loops(v, loop);
        return;
    }
    for (; loop; loop = loop->next) version_depth(v, loop->child, depth - 1);
}

/* Is there a subscript check in loops deeper than that? */
static bool has_deeper_checks(const Version *v, uint32_t depth) {
    for (Ref r = 1; r < v->fn->ins.n; r++) {
        const Ins *i = ir_at(v->fn, r);
        if (i->op != OP_CHECK_INDEX || i->block >= v->af->cfg->n) continue;
        const Loop *l = v->af->loops->of[i->block];
        for (uint32_t k = 0; l && k <= depth; k++) l = l->parent;
        if (l) return true;
    }
    return false;
}

/* One round; true: another one, a loop deeper, may find more. The last one has left handlers of blocks that
 * raise no more: outline does not see those edges as ways out of a nest, so there must be none. */
static bool version_round(Cx *cx, Fn *fn, uint32_t depth, bool *changed) {
    if (opt_drop_handlers(fn)) opt_drop_unreachable(cx, fn);
    Version v = {.cx = cx, .fn = fn, .af = affine_new_loops(cx, fn, LIN_ASSUME)};
    if (!v.af) return false;
    v.uses = outline_find_uses(cx, v.af);
    version_depth(&v, v.af->loops->roots, depth);
    subst_apply(fn, &v.sub);
    *changed |= v.changed;
    return v.changed && has_deeper_checks(&v, depth);
}

bool opt_version(Cx *cx, Fn *fn) {
    if (fn->is_slow || ir_is_unsplit(fn) || !opt_has_checks(fn)) return false;
    bool changed = false;
    for (uint32_t depth = 0; version_round(cx, fn, depth, &changed); depth++) {}
    ir_sweep(fn);
    return changed;
}
