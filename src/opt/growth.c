/* Values that grow by at most as much per iteration as another one does:
 *
 *     header(i, q):  i < n ?            q - i never grows, so  q <= i + (what q - i starts with)
 *         if ...: out[q] = x; q + 1
 *
 * What packs elements together, or lists what it finds, counts like this, and its subscripts are proved
 * from the loop's counter. The other value need not count evenly: a scanner goes on by as many characters
 * as a word has, at least one. */
#include "opt/affine.h"

enum { DEEP = 24, STEPS = 100 };

typedef struct Growth {
    Affine *af;
    const Loop *loop;
    Ref param; /* of the loop's header */
    bool exact; /* all sums on the way must be proved not to wrap around */
    Map open;   /* parameters at work -> 1 */
    uint32_t depth, steps;
} Growth;

static const Range nothing = {INT64_MAX, INT64_MIN}; /* round an inner loop: neutral in a union */

/* r + [lo, hi] of one operand. What goes round an inner loop may come round any number of times. */
static bool add_range(Range *r, int64_t lo, int64_t hi) {
    enum { FAR = 1 << 20 };
    if (lo < -FAR || hi > FAR || (lo < 0 && r->lo == INT64_MAX)) return false;
    if (r->lo != INT64_MAX) r->lo += lo;
    if (r->hi == INT64_MIN)
        r->hi = hi > 0 ? INT64_MAX : INT64_MIN;
    else if (r->hi != INT64_MAX)
        r->hi += hi;
    return true;
}

/* Does `cond == value` say that x is less than something? */
static bool says_less(const Fn *fn, Ref cond, bool value, Ref x) {
    const Ins *i = ir_at(fn, cond);
    if (i->op == OP_AND && value)
        return says_less(fn, i->args[0], true, x) || says_less(fn, i->args[1], true, x);
    if (i->nargs != 2 || ir_at(fn, i->args[0])->ty != TY_I(64)) return false;
    if (i->args[0] == x) return i->op == (value ? OP_LT : OP_GE);
    return i->args[1] == x && i->op == (value ? OP_GT : OP_LE);
}

/* Is x + 1 in block b no sum that wraps around, since a branch to there has found x < something? */
static bool is_below(const Growth *g, Ref x, BlockId b) {
    const Affine *af = g->af;
    for (uint32_t steps = 0; steps < DEEP && b != 0; steps++, b = af->cfg->idom[b]) {
        uint32_t e = af->in.start[b];
        if (af->in.start[b + 1] - e != 1 || af->in.at[e].which == IN_HANDLER) continue;
        const Term *t = &af->fn->blocks.at[af->in.at[e].from].term;
        if (t->kind == TERM_BRANCH && says_less(af->fn, t->arg, af->in.at[e].which == 0, x))
            return true;
    }
    return false;
}

static bool grow(Growth *g, Ref v, Range *out);

static bool grow_param(Growth *g, Ref v, const Ins *i, Range *out) {
    const Incoming *in = &g->af->in;
    *out = nothing;
    if (map_get(&g->open, v, 0)) return true;
    map_set(g->af->cx, &g->open, v, 1);
    for (uint32_t e = in->start[i->block]; e < in->start[i->block + 1]; e++) {
        Range one;
        if (opt_edge(g->af->fn, in->at[e])->to != i->block) return false; /* led elsewhere since */
        Ref a = opt_edge_arg(g->af->fn, in->at[e], (uint32_t)i->imm);
        if (!a || !grow(g, a, &one)) return false;
        *out = range_unite(*out, one);
    }
    map_set(g->af->cx, &g->open, v, 0);
    return true;
}

static bool grow_sum(Growth *g, const Ins *i, Range *out) {
    Range by = affine_range(g->af, i->args[1]);
    if (g->exact && !(by.lo == 1 && by.hi == 1 && is_below(g, i->args[0], i->block))) return false;
    return grow(g, i->args[0], out) && add_range(out, by.lo, by.hi);
}

/* By how much v, computed in an iteration, is larger than the parameter was at its start. */
static bool grow(Growth *g, Ref v, Range *out) {
    const Ins *i = ir_at(g->af->fn, v);
    *out = (Range){0, 0};
    if (v == g->param) return true;
    if (g->depth > DEEP || g->steps++ > STEPS || !affine_is_in(g->af, g->loop, i->block) ||
        i->ty != TY_I(64))
        return false;
    g->depth++;
    bool good = false;
    if (i->op == OP_PARAM && i->block != g->loop->header) {
        good = grow_param(g, v, i, out);
    } else if (i->op == OP_ADD) {
        good = grow_sum(g, i, out);
    } else if (i->op == OP_SELECT) {
        Range other;
        good = grow(g, i->args[1], out) && grow(g, i->args[2], &other);
        if (good) *out = range_unite(*out, other);
    }
    g->depth--;
    return good;
}

/* The header's parameter starts with *init and grows by *by in an iteration. */
static bool look_at_param(Affine *af, const Loop *l, Ref param, bool exact, Lin *init, Range *by) {
    const Ins *p = ir_at(af->fn, param);
    Growth g = {.af = af, .loop = l, .param = param, .exact = exact};
    Ref first = 0;
    *by = nothing;
    for (uint32_t e = af->in.start[l->header]; e < af->in.start[l->header + 1]; e++) {
        In in = af->in.at[e];
        Ref a = opt_edge_arg(af->fn, in, (uint32_t)p->imm);
        Range one;
        if (!a || opt_edge(af->fn, in)->to != l->header) return false;
        if (!affine_is_in(af, l, in.from)) {
            if (first && first != a) return false;
            first = a;
            continue;
        }
        if (!grow(&g, a, &one)) return false;
        *by = range_unite(*by, one);
    }
    if (first) *init = affine_lin(af, first, af->mode);
    return first && init->ok;
}

/* The loop whose header q is a parameter of. */
static const Loop *find_loop(const Affine *af, Ref q) {
    const Ins *i = ir_at(af->fn, q);
    if (i->op != OP_PARAM || i->block >= af->cfg->n || i->ty != TY_I(64)) return NULL;
    const Loop *l = af->loops->of[i->block];
    return l && l->header == i->block ? l : NULL;
}

/* Does the other parameter grow by `most` at least, and never over the end of int64? */
static bool leads(Affine *af, const Loop *l, Ref other, int64_t most, Lin *init) {
    const Counter *c = affine_counter(af, other);
    bool counts = c && c->step > 0 && c->stops && !c->stop_assumed;
    Range by;
    return ir_at(af->fn, other)->ty == TY_I(64) &&
           look_at_param(af, l, other, !counts, init, &by) && by.lo >= most;
}

/* What is known about q; found once. */
typedef struct Follow {
    bool leads, stays; /* most, least are known */
    Lin most, least;
} Follow;

static void find_leader(Affine *af, const Loop *l, Ref q, const Range *by, Follow *f) {
    const Refs *params = &af->fn->blocks.at[l->header].params;
    Lin init;
    for (uint32_t k = 0; k < params->n && !f->leads; k++) {
        Ref other = params->at[k];
        if (other == q || !leads(af, l, other, by->hi, &init)) continue;
        Lin behind = lin_add(f->least, init, -1);
        f->most = lin_add(lin_symbol(other), behind, 1);
        f->leads = f->most.ok && behind.n == 0 && behind.c <= 0;
    }
}

static void look(Affine *af, Ref q, Follow *f) {
    const Loop *l = find_loop(af, q);
    Range by;
    Lin least;
    if (!l || affine_counter(af, q) || !look_at_param(af, l, q, false, &f->least, &by)) return;
    if (by.lo < 0) return;
    if (by.hi != INT64_MAX) find_leader(af, l, q, &by, f);
    f->stays = f->leads || look_at_param(af, l, q, true, &least, &by);
}

static const Follow *find_follow(Affine *af, Ref q) {
    Follow *f = (Follow *)(uintptr_t)map_get(&af->follows, q, 0);
    if (f) return f;
    f = NEW(af->cx, Follow);
    map_set(af->cx, &af->follows, q, map_key(f)); /* first: ranges on the way may ask again */
    look(af, q, f);
    return f;
}

bool affine_leader(Affine *af, Ref q, Lin *most) {
    const Follow *f = find_follow(af, q);
    *most = f->most;
    return f->leads;
}

bool affine_least(Affine *af, Ref q, Lin *least) {
    const Follow *f = find_follow(af, q);
    *least = f->least;
    return f->stays;
}
