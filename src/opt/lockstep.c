/* Runs iterations of a loop in lockstep through the loop inside it, where that is what vectors can do:
 *
 *     for j:                           for strips of up to 64 j:
 *         s = 0                            for j of the strip: s[j] = 0
 *         for k:                    ->     for k:
 *             s += a[i, k] * b[k, j]           for j of the strip: s[j] += a[i, k] * b[k, j]
 *         c[i, j] = s                      for j of the strip: c[i, j] = s[j]
 *
 * relies on: version (a loop with checks is left alone)    keeps: nothing
 * breaks: the graph before each such loop
 *
 * Sums of floats keep their order, so the loop over k waits for each addition, and b[k, j] is far from
 * b[k + 1, j]. Along j neighbours are neighbours, and each has a sum of its own. Nothing is computed in another
 * order that one iteration can see; for that the iterations of the loop over j must not depend on each other
 * (opt/depend), which also asks before the loop whether arrays share memory. The loop as it was runs if they do,
 * and takes what is less than a vector at the end.
 *
 * Only if the loop inside can not become vector code by itself: it would be as quick, and needs no buffers. There
 * may be several, each inside the one before (a filter of a picture has two), of which the innermost counts here.
 * Their bounds are the same for all of the strip, and what they read and write follows j along memory or not at
 * all. */
#include "opt/lockstep.h"

#include "base/remark.h"
#include "ir/remark.h"

enum { UNROLLED = 16 }; /* iterations of an inner loop that the back end unrolls */

static const Ins *at(const Lockstep *l, Ref r) { return ir_at(l->fn, r); }
static const Block *block(const Lockstep *l, BlockId b) { return lockstep_block(l, b); }
static bool is_outside(const Lockstep *l, Ref r) {
    return ir_is_const(l->fn, r) || !affine_is_in(l->af, l->levels[0].loop, at(l, r)->block);
}
static const Level *innermost(const Lockstep *l) { return &l->levels[l->last]; }

/* --- the loops -------------------------------------------------------------------------------- */

/* Its header tests, computes nothing that could fail, and is the only way out. */
static bool has_plain_ends(const Lockstep *l, const Loop *loop) {
    if (loop->preheader == NO_BLOCK || loop->latch == NO_BLOCK || loop->latch == loop->header ||
        block(l, loop->latch)->term.kind != TERM_JUMP)
        return false;
    const Block *h = block(l, loop->header);
    if (h->lanes || h->parallel || h->rest || h->term.kind != TERM_BRANCH) return false;
    for (uint32_t k = 0; k < h->ins.n; k++)
        if (!opt_is_pure(l->fn, h->ins.at[k])) return false;
    for (uint32_t k = 0; k < loop->nblocks; k++) {
        const Term *t = &block(l, loop->blocks[k])->term;
        if (t->kind != TERM_JUMP && t->kind != TERM_BRANCH) return false;
        for (uint32_t s = 0; s < opt_nsucc(t); s++) {
            bool inside = affine_is_in(l->af, loop, t->succ[s].to);
            if (inside == (k == 0 && s == 1)) return false;
        }
    }
    return true;
}

/* A parameter of the header that goes up or down by something fixed, compared with something fixed. */
static Ref find_counter(const Lockstep *l, const Loop *loop, Ref *limit) {
    const Ins *test = at(l, block(l, loop->header)->term.arg);
    if (test->op != OP_LT && test->op != OP_LE && test->op != OP_GT && test->op != OP_GE) return 0;
    for (int a = 0; a < 2; a++) {
        const Ins *c = at(l, test->args[a]);
        if (c->op != OP_PARAM || c->block != loop->header || c->ty != TY_I(64)) continue;
        if (!affine_is_invariant(l->af, test->args[!a])) continue;
        const Ins *next = at(l, lockstep_next(l, loop, test->args[a]));
        if ((next->op != OP_ADD && next->op != OP_SUB) || next->args[0] != test->args[a] ||
            !affine_is_invariant(l->af, next->args[1]))
            continue;
        *limit = test->args[!a];
        return test->args[a];
    }
    return 0;
}

/* while count < limit, count += 1, and nothing else from one iteration to the next */
static bool look_at_outer(Lockstep *l) {
    Level *v = &l->levels[0];
    const Block *h = block(l, v->loop->header);
    int64_t step;
    if (!has_plain_ends(l, v->loop) || h->params.n != 1) return false;
    affine_set_nest(l->af, v->loop);
    v->count = find_counter(l, v->loop, &l->limit);
    const Ins *test = at(l, h->term.arg);
    if (!v->count || test->op != OP_LT || test->args[0] != v->count || !is_outside(l, l->limit))
        return false;
    const Ins *next = at(l, lockstep_next(l, v->loop, v->count));
    return next->op == OP_ADD && opt_int_const(l->fn, next->args[1], &step) && step == 1;
}

/* As often, from the same start, in each iteration of the outer loop? */
static bool look_at_inner(Lockstep *l, Level *v, bool *is_unrolled) {
    Ref limit;
    uint32_t trips = ir_const_trips(l->fn, l->af->cfg, l->af->loops, v->loop);
    *is_unrolled &= trips && trips <= UNROLLED;
    if (!has_plain_ends(l, v->loop)) return false;
    v->count = find_counter(l, v->loop, &limit);
    const Edge *in = &block(l, v->loop->preheader)->term.succ[0];
    return v->count && affine_is_invariant(l->af, in->args[at(l, v->count)->imm]);
}

/* The blocks from b to `end`, one after the other. Only the first may have parameters, if `behind` a loop. */
static bool follow(Lockstep *l, Level *v, BlockId b, BlockId end, bool behind) {
    for (bool first = behind; b != end; first = false) {
        const Block *x = block(l, b);
        if (x->term.kind != TERM_JUMP || (x->params.n && !first)) return false;
        if (behind)
            vec_push(l->cx, &v->post, b);
        else
            vec_push(l->cx, &v->pre, b);
        b = x->term.succ[0].to;
    }
    return true;
}

static bool find_parts(Lockstep *l, Level *v, const Loop *inside) {
    const Term *in = &block(l, v->loop->header)->term, *out = &block(l, inside->header)->term;
    return follow(l, v, in->succ[0].to, inside->header, false) &&
           follow(l, v, out->succ[1].to, v->loop->header, true) &&
           1 + v->pre.n + inside->nblocks + v->post.n == v->loop->nblocks;
}

static bool find_levels(Lockstep *l) {
    bool is_unrolled = true;
    if (!look_at_outer(l)) return false;
    for (Loop *loop = l->levels[0].loop->child; loop; loop = loop->child) {
        Level *around = &l->levels[l->last], *v = &l->levels[++l->last];
        if (loop->next || l->last == LOCKSTEP_LEVELS) return false;
        *v = (Level){.loop = loop};
        if (!look_at_inner(l, v, &is_unrolled) || !find_parts(l, around, loop)) return false;
    }
    return !is_unrolled; /* then the outer one is a loop without loops */
}

/* --- what they do ------------------------------------------------------------------------------- */

typedef struct Access {
    bool follows_lane; /* its neighbour in memory is the next iteration's of the outer loop */
    bool follows_count; /* it is another in each iteration of the innermost loop */
    bool is_far; /* ... and not a neighbour */
} Access;

static bool is_count(const Lockstep *l, Ref r) {
    for (uint32_t k = 0; k <= l->last; k++)
        if (l->levels[k].count == r) return true;
    return false;
}

/* The factors of the outermost and the innermost counter in a sum of counters and what does not change. */
static bool find_factors(const Lockstep *l, const Lin *lin, int64_t *lane, int64_t *count) {
    *lane = *count = 0;
    for (uint32_t i = 0; i < lin->n; i++) {
        const Term2 *t = &lin->t[i];
        bool fixed = !t->b || affine_is_invariant(l->af, t->b);
        if (!fixed || (!is_count(l, t->a) && !affine_is_invariant(l->af, t->a))) return false;
        if (t->b && (t->a == l->levels[0].count || t->a == innermost(l)->count)) return false;
        if (t->a == l->levels[0].count) *lane = t->k;
        if (t->a == innermost(l)->count) *count = t->k;
    }
    return true;
}

/* False: it does not follow the outer loop along memory, nor stays where it is. */
static bool look_at_access(const Lockstep *l, Ref r, Access *out) {
    const Ins *e = at(l, at(l, r)->args[0]);
    *out = (Access){0};
    if (e->op != OP_ELEM || !is_outside(l, e->args[0])) return false;
    const Type *ty = at(l, e->args[0])->ty;
    if (ty->kind != TY_ARRAY || ty->layout == 'A') return false;
    uint32_t unit = ty->layout == 'F' ? 1 : ty->ndim;
    for (uint32_t a = 1; a < e->nargs; a++) {
        int64_t lane, count;
        Lin lin = affine_lin(l->af, e->args[a], LIN_MODULO);
        if (!lin.ok || !find_factors(l, &lin, &lane, &count)) return false;
        if (lane != 0 && (a != unit || lane != 1)) return false;
        out->follows_lane |= lane != 0;
        out->follows_count |= count != 0;
        out->is_far |= count != 0 && (a != unit || (count != 1 && count != -1));
    }
    return true;
}

static bool is_vector_type(const Type *ty) {
    return ty->kind == TY_BOOL || ty->kind == TY_INT || (ty->kind == TY_FLOAT && ty->bits >= 32);
}

typedef struct Work {
    bool serial; /* the innermost loop can not become vector code */
    bool along; /* ... but the outer one can */
    uint32_t kept;
} Work;

static bool look_at_ins(const Lockstep *l, Ref r, bool inner, Work *w) {
    const Ins *i = at(l, r);
    Access access;
    if (i->op != OP_LOAD && i->op != OP_STORE) return opt_is_pure(l->fn, r);
    if (!look_at_access(l, r, &access)) return false;
    if (!is_vector_type(i->op == OP_LOAD ? i->ty : at(l, i->args[1])->ty)) return false;
    if (i->op == OP_STORE && !access.follows_lane) return false;
    w->kept += !inner && i->op == OP_LOAD;
    w->serial |= inner && (access.is_far || (i->op == OP_STORE && !access.follows_count));
    w->along |= inner && access.follows_lane;
    return true;
}

/* Does the next iteration wait for this one's, in an operation that takes long? */
static bool waits(const Ins *next) {
    return next->ty->kind == TY_FLOAT && !(next->fast & FAST_REASSOC);
}

static bool look_at_params(const Lockstep *l, const Level *v, Work *w) {
    const Refs *params = &block(l, v->loop->header)->params;
    for (uint32_t k = 0; k < params->n; k++) {
        if (params->at[k] == v->count) continue;
        if (!is_vector_type(at(l, params->at[k])->ty)) return false;
        w->serial |= v == innermost(l) && waits(at(l, lockstep_next(l, v->loop, params->at[k])));
        w->kept++;
    }
    return true;
}

static bool is_worth_it(const Lockstep *l) {
    Work w = {0};
    const Loop *outer = l->levels[0].loop;
    for (uint32_t k = 0; k < outer->nblocks; k++) {
        bool inner = affine_is_in(l->af, innermost(l)->loop, outer->blocks[k]);
        const Refs *ins = &block(l, outer->blocks[k])->ins;
        for (uint32_t i = 0; i < ins->n; i++)
            if (!look_at_ins(l, ins->at[i], inner, &w)) return false;
    }
    for (uint32_t k = 1; k <= l->last; k++)
        if (!look_at_params(l, &l->levels[k], &w)) return false;
    return w.serial && w.along && w.kept <= LOCKSTEP_KEPT;
}

/* Are the arrays that must not share memory there before the loop? */
static bool is_free(Lockstep *l) {
    l->d = depend_look(l->cx, l->fn, l->af, l->levels[0].loop);
    if (l->d.answer != DEPEND_FREE || l->d.reductions.n) return false;
    for (uint32_t k = 0; k < l->d.asks.n; k++) {
        const RunTimeAsk *q = &l->d.asks.at[k];
        if (q->kind != ASK_APART || !is_outside(l, q->a) || !is_outside(l, q->b)) return false;
    }
    return true;
}

/* --- the pass ----------------------------------------------------------------------------------- */

static void report(const Lockstep *l) {
    if (!remark_wanted(l->cx)) return;
    const char *length = cx_printf(l->cx, "%d", LOCKSTEP_STRIP);
    for (uint32_t k = 0; k <= l->last; k++) {
        Place p = ir_place_of_loop(l->cx, l->fn, l->levels[k].loop);
        if (!p.span.line) return;
        RemarkId id = k ? REMARK_LOCKSTEP_INSIDE : REMARK_LOCKSTEP;
        remark_add(l->cx, id, p.span, length)->via = p.via;
    }
}

static bool try_loop(Cx *cx, Fn *fn, Affine *af, Loop *outer) {
    Lockstep l = {.cx = cx, .fn = fn, .af = af, .levels = {{.loop = outer}}};
    if (!find_levels(&l) || !is_worth_it(&l) || !is_free(&l)) return false;
    report(&l);
    lockstep_build(&l);
    return true;
}

static bool try_loops(Cx *cx, Fn *fn, Affine *af, Loop *loop) {
    bool changed = false;
    for (; loop; loop = loop->next)
        if (loop->child)
            changed |= try_loop(cx, fn, af, loop) || try_loops(cx, fn, af, loop->child);
    return changed;
}

bool opt_lockstep(Cx *cx, Fn *fn) {
    if (fn->is_slow || fn->is_kernel || fn->options.debug) return false;
    Affine *af = affine_new_loops(cx, fn, LIN_EXACT);
    return af && try_loops(cx, fn, af, af->loops->roots);
}
