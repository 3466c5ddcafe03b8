/* What branches say, and what can be proved from it. */
#include "opt/affine_int.h"

#include "ir/math.h"

/* --- facts ------------------------------------------------------------------------------------ */

static uint32_t add_fact(Lin *facts, uint32_t n, uint32_t max, Lin f) {
    if (f.ok && f.n && n < max) facts[n++] = f;
    return n;
}

/* What `cond == value` says, as sums that are <= 0. */
static uint32_t condition_facts(Affine *af, Ref cond, bool value, Lin *facts, uint32_t n,
                                uint32_t max) {
    const Ins *i = ir_at(af->fn, cond);
    if (i->ty->kind == TY_BOOL && i->op == (value ? OP_AND : OP_OR)) {
        n = condition_facts(af, i->args[0], value, facts, n, max);
        return condition_facts(af, i->args[1], value, facts, n, max);
    }
    bool ordered = i->op == OP_LT || i->op == OP_LE || i->op == OP_GT || i->op == OP_GE;
    if (!ordered && i->op != OP_EQ && i->op != OP_NE) return n;
    if (ir_at(af->fn, i->args[0])->ty != TY_I(64)) return n;
    Lin a = affine_lin(af, i->args[0], af->mode), b = affine_lin(af, i->args[1], af->mode);
    if (!ordered) {
        if ((i->op == OP_EQ) != value) return n;
        n = add_fact(facts, n, max, lin_add(a, b, -1));
        return add_fact(facts, n, max, lin_add(b, a, -1));
    }
    Op op = value ? (Op)i->op : opt_negate((Op)i->op);
    if (op == OP_LT || op == OP_LE)
        return add_fact(facts, n, max, lin_add(lin_add(a, b, -1), lin_const(op == OP_LT), 1));
    return add_fact(facts, n, max, lin_add(lin_add(b, a, -1), lin_const(op == OP_GT), 1));
}

/* Is it the test of a counter whose bound says the same in simpler values? Before a nest, two ways to
 * ask one thing cost twice. */
static bool is_said_by_bound(const Affine *af, Ref cond) {
    const Ins *i = ir_at(af->fn, cond);
    const Counter *c = af->mode == LIN_ASSUME && i->nargs ? affine_counter(af, i->args[0]) : NULL;
    return c && c->is_bound_simpler && af->fn->blocks.at[c->loop->header].term.arg == cond;
}

/* Facts of the branches that lead to block `at`, nearest first. */
static void find_facts(Affine *af, BlockId at) {
    enum { FAR = 32 };
    if (af->facts_at == at) return;
    af->facts_at = at;
    af->nfacts = 0;
    for (int steps = 0; steps < FAR && af->nfacts < FACTS && at != 0;
         steps++, at = af->cfg->idom[at]) {
        uint32_t e = af->in.start[at];
        if (af->in.start[at + 1] - e != 1 || af->in.at[e].which == IN_HANDLER) continue;
        const Term *t = &af->fn->blocks.at[af->in.at[e].from].term;
        if (t->kind == TERM_BRANCH && !is_said_by_bound(af, t->arg))
            af->nfacts =
                condition_facts(af, t->arg, af->in.at[e].which == 0, af->facts, af->nfacts, FACTS);
    }
}

/* --- proofs ----------------------------------------------------------------------------------- */

/* The largest value d can have, from the ranges of its symbols alone. */
static bool is_never_positive(Affine *af, const Lin *d) {
    Wide most = d->c;
    for (uint32_t i = 0; i < d->n; i++) {
        Range r = affine_range(af, d->t[i].a);
        if (d->t[i].b) r = range_mul(r, affine_range(af, d->t[i].b));
        if (d->t[i].b && r.lo == INT64_MIN && r.hi == INT64_MAX)
            return false; /* it may be larger than that */
        most += (Wide)d->t[i].k * (d->t[i].k > 0 ? r.hi : r.lo);
        if (most > (Wide)INT64_MAX * 16) return false;
    }
    return most <= 0;
}

/* A successful proof rests on this sum. Forgotten again by setting used.n back. */
static void note_used(Affine *af, const Lin *l) {
    if (af->mode == LIN_ASSUME && l->ok && l->assumed) vec_push(af->cx, &af->used, *l);
}

static void note_counter(Affine *af, const Counter *c) {
    for (uint32_t i = 0; i < c->nlo; i++) note_used(af, &c->lo[i]);
    for (uint32_t i = 0; i < c->nhi; i++) note_used(af, &c->hi[i]);
    Lin limit = c->limit;
    limit.assumed |= c->stop_assumed;
    note_used(af, &limit);
}

/* The counter in d whose loop is innermost, with bounds that hold in block `at`. */
static const Counter *innermost_counter(const Affine *af, const Lin *d, BlockId at) {
    const Counter *best = NULL;
    for (uint32_t i = 0; i < d->n; i++) {
        for (int side = 0; side < 2; side++) {
            Ref r = side ? d->t[i].b : d->t[i].a;
            const Counter *c = r ? affine_counter(af, r) : NULL;
            if (c && cfg_dominates(af->cfg, c->body, at) &&
                (!best || c->loop->depth > best->loop->depth))
                best = c;
        }
    }
    return best;
}

/* Is r >= least? LIN_ASSUME: if need be, a check before the nest will say so. */
static bool is_at_least(Affine *af, Ref r, int64_t least) {
    if (affine_range(af, r).lo >= least) return true;
    if (af->mode != LIN_ASSUME || !affine_is_invariant(af, r)) return false;
    Lin c = lin_add(lin_const(least), lin_symbol(r), -1);
    c.condition = true;
    vec_push(af->cx, &af->used, c);
    return true;
}

/* k * counter * other at its largest. */
static Lin bound_term(Affine *af, const Counter *c, Term2 t, uint32_t which) {
    Ref other = t.a == c->param ? t.b : t.a;
    bool upper = t.k > 0;
    if (which >= (upper ? c->nhi : c->nlo)) return no_lin;
    Lin bound = upper ? c->hi[which] : c->lo[which];
    if (other && other == c->scaled_by) /* (step * counter) is what is bounded */
        return lin_add(lin_const(0), bound, upper ? t.k : 0);
    if (upper && c->scale != 1) {
        if (c->scale == 0) return no_lin;
        if (other || t.k % c->scale) return no_lin;
        return lin_add(lin_const(0), bound, t.k / c->scale);
    }
    Lin out = lin_add(lin_const(0), bound, t.k);
    if (!other) return out;
    if (other == c->param || !is_at_least(af, other, 0)) return no_lin;
    return lin_mul(out, lin_symbol(other));
}

bool affine_bound(Affine *af, Lin d, BlockId at, uint32_t which, Lin *out) {
    const Counter *c = innermost_counter(af, &d, at);
    if (!c) return false;
    Lin sum = lin_const(d.c);
    for (uint32_t i = 0; i < d.n && sum.ok; i++) {
        Term2 t = d.t[i];
        Lin one = {.ok = true, .n = 1, .t = {t}};
        sum =
            lin_add(sum, t.a == c->param || t.b == c->param ? bound_term(af, c, t, which) : one, 1);
    }
    *out = sum;
    if (sum.ok) note_counter(af, c);
    return sum.ok;
}

/* Something in d that is known to be at most (or at least) a simpler value: minima, maxima,
 * remainders, what follows a counter. */
static bool bound_symbol(Affine *af, Lin d, uint32_t i, uint32_t which, Lin *out) {
    Term2 t = d.t[i];
    const Ins *s = ir_at(af->fn, t.a);
    bool upper = t.k > 0;
    if (t.b) return false;
    Lin by = no_lin, lead;
    if (s->op == OP_MATH && (s->sub == MATH_MIN ? upper : s->sub == MATH_MAX && !upper))
        by = affine_lin(af, s->args[which], af->mode);
    else if (s->op == OP_FLOORMOD && which == 0 &&
             is_at_least(af, s->args[1], affine_checks_divisors(af) ? 0 : 1))
        by = upper ? lin_add(affine_lin(af, s->args[1], af->mode), lin_const(1), -1) : lin_const(0);
    else if (s->op == OP_PARAM && which == 0 && upper && affine_leader(af, t.a, &lead))
        by = lead;
    else if (s->op == OP_PARAM && which == 0 && !upper && affine_least(af, t.a, &lead))
        by = lead;
    if (!by.ok) return false;
    Lin one = {.ok = true, .n = 1, .t = {t}};
    *out = lin_add(lin_add(d, one, -1), by, t.k);
    return out->ok;
}

enum { PROOF_DEPTH = 6, PROOF_STEPS = 64 };

typedef struct Proof {
    Affine *af;
    BlockId at;
    uint32_t steps;
} Proof;

/* Do d and the fact have a symbol in common, the same way round? */
static bool shares_symbol(const Lin *d, const Lin *fact) {
    for (uint32_t a = 0; a < d->n; a++)
        for (uint32_t b = 0; b < fact->n; b++)
            if (d->t[a].a == fact->t[b].a && d->t[a].b == fact->t[b].b &&
                (d->t[a].k > 0) == (fact->t[b].k > 0))
                return true;
    return false;
}

/* The n-th sum that is >= d and may be simpler: by a fact, a counter's bound, a symbol's bound.
 * NO_MORE: there are fewer; ok is false where that one does not fit. */
enum { NO_MORE = FACTS + BOUNDS + 2 * LIN_TERMS };
static Lin next_bound(Proof *p, const Lin *d, uint32_t n) {
    Lin next = no_lin;
    if (n < FACTS) {
        if (n >= p->af->nfacts || !shares_symbol(d, &p->af->facts[n])) return no_lin;
        next = lin_add(*d, p->af->facts[n], -1);
        if (next.ok && next.n > d->n) return no_lin;
        if (next.ok) note_used(p->af, &p->af->facts[n]);
        return next;
    }
    if (n < FACTS + BOUNDS) {
        affine_bound(p->af, *d, p->at, n - FACTS, &next);
        return next;
    }
    n -= FACTS + BOUNDS;
    if (n / 2 < d->n && bound_symbol(p->af, *d, n / 2, n % 2, &next)) note_used(p->af, &next);
    return next;
}

static bool prove(Proof *p, Lin d, uint32_t depth) {
    if (!d.ok || p->steps++ > PROOF_STEPS) return false;
    if (is_never_positive(p->af, &d)) return true;
    for (uint32_t n = 0; depth > 0 && n < NO_MORE; n++) {
        uint32_t mark = p->af->used.n;
        Lin next = next_bound(p, &d, n);
        if (next.ok && prove(p, next, n < FACTS ? 0 : depth - 1))
            return true; /* one fact, and last */
        p->af->used.n = mark;
    }
    return false;
}

static Proof new_proof(Affine *af, Lin d, BlockId at) {
    Proof p = {.af = af, .at = at};
    find_facts(af, at);
    note_used(af, &d);
    return p;
}

bool affine_prove(Affine *af, Lin d, BlockId at) {
    uint32_t mark = af->used.n;
    Proof p = new_proof(af, d, at);
    if (prove(&p, d, PROOF_DEPTH)) return true;
    af->used.n = mark;
    return false;
}

static bool has_only_invariants(Affine *af, const Lin *d) {
    for (uint32_t i = 0; i < d->n; i++)
        if (!affine_is_invariant(af, d->t[i].a) ||
            (d->t[i].b && !affine_is_invariant(af, d->t[i].b)))
            return false;
    return true;
}

static uint32_t reduce(Proof *p, Lin d, uint32_t depth, Lin *out, uint32_t n, uint32_t max) {
    if (!d.ok || n == max || p->steps++ > PROOF_STEPS) return n;
    if (has_only_invariants(p->af, &d)) {
        Lin never = lin_add(lin_const(1), d, -1); /* 1 - d <= 0: d is positive whatever happens */
        if (is_never_positive(p->af, &never)) return n;
        for (uint32_t i = 0; i < n; i++)
            if (lin_equal(out[i], d)) return n;
        out[n++] = d;
        return n;
    }
    for (uint32_t i = 0; depth > 0 && i < NO_MORE && n < max; i++) {
        uint32_t mark = p->af->used.n, before = n;
        Lin next = next_bound(p, &d, i);
        if (next.ok) n = reduce(p, next, depth - 1, out, n, max);
        if (n == before) p->af->used.n = mark;
    }
    return n;
}

uint32_t affine_reduce(Affine *af, Lin d, BlockId at, Lin *out, uint32_t max) {
    uint32_t mark = af->used.n;
    Proof p = new_proof(af, d, at);
    uint32_t n = reduce(&p, d, PROOF_DEPTH, out, 0, max);
    if (!n) af->used.n = mark;
    return n;
}
