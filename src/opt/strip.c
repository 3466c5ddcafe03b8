/* Runs loops whose only obstacle to vector code are checks on values in strips of 64 iterations:
 *
 *     strip(i, sums):    i + 8 < n ?  no: ----------------------------> the loop as it was(i, sums)
 *     first pass:        what the checks ask for, faults counted; costly values to buffers ^
 *                        any fault ?  yes: ----------------------------------------------------'
 *     second pass:       the loop without its checks, costly values from the buffers
 *                        strip(i + 64, sums)
 *
 * relies on: version (checks that need no value are gone)    keeps: nothing
 * breaks: the graph before each such loop
 *
 * A check that may leave the loop makes its trip count unknown, and the back end does not vectorize
 * it: a quotient per element costs eight times as much checked as not. Both passes are plain loops.
 * Nothing is written before the faults of a strip are known, so the loop as it was, which takes
 * over at the start of the strip, raises at the right iteration with everything done before it and
 * nothing after. It also takes what is too short for a strip, and a negative subscript, which the
 * first pass counts as a fault: so the second pass needs no wrapping.
 *
 * What goes through buffers is a matter of cost: at best what is stored, so that the second pass
 * only copies; under conditions, or where the first pass must not read all that the loop reads,
 * single values that are expensive; nothing where the checks ask for little and the rest is the
 * second pass's own. Subscripts that were read from memory always do: another thread may change them
 * between the passes. Stores and sums stay in the second pass, in their order.
 *
 * Why 64: the machine overlaps the end of one pass with the start of the next as long as it has
 * both in sight, some hundred instructions. Strips of 256 cost 40 % on a division, of 64 still 15.
 * So where both passes are straight and all is stored, a strip is 16 iterations, exactly: the back end
 * makes a few vectors of them without a loop, its buffer is in registers, and no branch is ever
 * guessed wrong. That costs 3 %. Not where functions are called, which a longer strip is nothing
 * beside, and which would be so many more calls to compile.
 *
 * The first pass runs up to 63 iterations ahead of the stores, so it must not read what they write
 * before it is time. Within one array the subscripts tell; for two arrays a test before the loop
 * compares where they lie, and the loop as it was runs if they overlap. */
#include "opt/strip.h"

#include "base/remark.h"
#include "ir/math.h"
#include "ir/remark.h"
#include "opt/report.h"

typedef struct Decide {
    StripPlan *p;
    Refs work;    /* values the first pass needs that have not been looked at */
    Refs reads;   /* LOADs of the first pass */
    Refs stores;  /* STOREs of the loop */
    bool *busy;   /* per position: the first pass has something to compute there */
    Map costs;    /* value -> cost + 1 */
    Map visited;
    bool subscribes; /* a check is one of a subscript */
    uint32_t stack; /* bytes of buffers */
} Decide;

/* --- the loop --------------------------------------------------------------------------------- */

static const Ins *at(const StripPlan *p, Ref r) { return ir_at(p->fn, r); }
static bool is_inside(const StripPlan *p, Ref r) { return strip_at(p, at(p, r)->block) != 0; }

static Ref latch_arg(const StripPlan *p, uint32_t k) {
    return p->fn->blocks.at[p->loop->latch].term.succ[0].args[k];
}

/* while counter < limit, counter += 1 */
static bool find_counter(StripPlan *p) {
    const Loop *l = p->loop;
    const Term *t = &p->fn->blocks.at[l->header].term, *back = &p->fn->blocks.at[l->latch].term;
    if (t->kind != TERM_BRANCH || back->kind != TERM_JUMP || l->latch == l->header) return false;
    const Ins *test = at(p, t->arg);
    if (!strip_at(p, t->succ[0].to) || strip_at(p, t->succ[1].to)) return false;
    if (test->op != OP_LT && test->op != OP_GT) return false;
    p->counter = test->args[test->op == OP_GT];
    p->limit = test->args[test->op == OP_LT];
    const Ins *c = at(p, p->counter);
    if (c->op != OP_PARAM || c->block != l->header || c->ty != TY_I(64) || is_inside(p, p->limit))
        return false;
    const Ins *next = at(p, latch_arg(p, (uint32_t)c->imm));
    int64_t step;
    return next->op == OP_ADD && next->args[0] == p->counter &&
           opt_int_const(p->fn, next->args[1], &step) && step == 1;
}

/* No way out but the header's test. */
static bool has_one_exit(const StripPlan *p) {
    for (uint32_t k = 1; k < p->loop->nblocks; k++) {
        const Block *b = &p->fn->blocks.at[p->loop->blocks[k]];
        if (opt_has_handler(b) && strip_at(p, b->handler.to)) return false;
        if (b->term.kind != TERM_JUMP && b->term.kind != TERM_BRANCH) return false;
        for (uint32_t s = 0; s < opt_nsucc(&b->term); s++)
            if (!strip_at(p, b->term.succ[s].to)) return false;
    }
    return true;
}

/* Has the back end a vector form of it? */
static bool is_vector_op(const StripPlan *p, const Ins *i) {
    if (i->op == OP_MATH) return math_info[i->sub].intrinsic || math_info[i->sub].sleef;
    if (i->op == OP_FLOORDIV || i->op == OP_FLOORMOD)
        return strip_is_division(p->fn, i) ||
               (i->ty->kind == TY_INT && ir_is_const(p->fn, i->args[1]));
    return true;
}

/* Is `next` the parameter combined with something, in a way that may be taken in any order? */
static bool is_sum(const Ins *next, Ref param) {
    bool left = next->nargs == 2 && next->args[0] == param;
    if (next->nargs != 2 || (!left && next->args[1] != param)) return false;
    bool any_order =
        next->ty->kind == TY_INT || next->ty->kind == TY_BOOL || (next->fast & FAST_REASSOC);
    switch ((int)next->op) {
    case OP_SUB: return left && any_order;
    case OP_ADD:
    case OP_MUL:
    case OP_AND:
    case OP_OR:
    case OP_XOR: return any_order;
    case OP_MATH: return next->sub == MATH_MIN || next->sub == MATH_MAX;
    default: return false;
    }
}

static uint32_t count_uses(const StripPlan *p, Ref r) {
    uint32_t n = 0;
    for (uint32_t b = 0; b < p->loop->nblocks; b++) n += opt_uses_in(p->fn, p->loop->blocks[b], r);
    const Edge *out = &p->fn->blocks.at[p->loop->header].term.succ[1];
    for (uint32_t i = 0; i < out->n; i++) n -= out->args[i] == r;
    return n;
}

/* Parameters of the header: the counter, others like it, sums that nothing else looks at. */
static bool has_vector_params(const StripPlan *p) {
    const Refs *params = &p->fn->blocks.at[p->loop->header].params;
    for (uint32_t k = 0; k < params->n; k++) {
        Ref param = params->at[k], next = latch_arg(p, k);
        const Ins *i = at(p, next);
        int64_t step;
        if (i->op == OP_ADD && i->args[0] == param && opt_int_const(p->fn, i->args[1], &step))
            continue;
        if (!is_sum(i, param) || count_uses(p, param) != 1 || count_uses(p, next) != 1)
            return false;
    }
    return true;
}

static bool note_ins(Decide *d, uint32_t pos, Ref r) {
    StripPlan *p = d->p;
    const Ins *i = at(p, r);
    if (strip_is_division(p->fn, i)) vec_push(p->cx, &p->divisions, r);
    if (op_info[i->op].effects & PURE) return is_vector_op(p, i);
    if (pos == 0) return false; /* the header runs once more than the rest */
    switch ((int)i->op) {
    case OP_LOAD: return true;
    case OP_STORE: vec_push(p->cx, &d->stores, r); return true;
    case OP_CHECK: vec_push(p->cx, &p->checks, r); return true;
    case OP_CHECK_INDEX:
        d->subscribes = true;
        vec_push(p->cx, &p->checks, r);
        if (at(p, i->args[0])->op == OP_WRAP && at(p, i->args[0])->args[1] == i->args[1])
            map_set(p->cx, &p->wraps, i->args[0], at(p, i->args[0])->args[0]);
        return true;
    default: return false;
    }
}

static bool look_at_loop(Decide *d) {
    StripPlan *p = d->p;
    Loop *l = p->loop;
    if (l->latch == NO_BLOCK || l->preheader == NO_BLOCK) return false;
    for (uint32_t k = 0; k < l->nblocks; k++) map_set(p->cx, &p->at, l->blocks[k], k + 1);
    if (!find_counter(p) || !has_one_exit(p)) return false;
    for (uint32_t k = 0; k < l->nblocks; k++) {
        const Refs *ins = &p->fn->blocks.at[l->blocks[k]].ins;
        for (uint32_t i = 0; i < ins->n; i++)
            if (!note_ins(d, k, ins->at[i])) return false;
    }
    return p->checks.n + p->divisions.n && has_vector_params(p);
}

/* --- what the checks ask for ------------------------------------------------------------------ */

/* For each block the one where its ways meet: its immediate post-dominator, in the loop without the
 * back edge. */
static void find_meets(StripPlan *p) {
    uint32_t n = p->loop->nblocks;
    for (uint32_t k = n; k-- > 0;) {
        const Block *b = &p->fn->blocks.at[p->loop->blocks[k]];
        p->meet[k] = k;
        if (p->loop->blocks[k] == p->loop->latch || k == 0) continue;
        uint32_t a = strip_at(p, b->term.succ[0].to) - 1;
        uint32_t c = b->term.kind == TERM_BRANCH ? strip_at(p, b->term.succ[1].to) - 1 : a;
        while (a != c)
            if (a < c)
                a = p->meet[a];
            else
                c = p->meet[c];
        p->meet[k] = a;
    }
}

static void need(Decide *d, Ref r) {
    if (is_inside(d->p, r) && map_set(d->p->cx, &d->p->first, r, 1))
        vec_push(d->p->cx, &d->work, r);
}

static bool need_param(Decide *d, Ref r, const Ins *i) {
    StripPlan *p = d->p;
    if (i->block == p->loop->header) return r == p->counter;
    p->merges[strip_at(p, i->block) - 1] = true;
    const Incoming *in = &p->af->in;
    for (uint32_t e = in->start[i->block]; e < in->start[i->block + 1]; e++)
        need(d, opt_edge_arg(p->fn, in->at[e], (uint32_t)i->imm));
    return true;
}

static bool look_at_needed(Decide *d, Ref r) {
    StripPlan *p = d->p;
    const Ins *i = at(p, r);
    if (i->op == OP_PARAM) return need_param(d, r, i);
    d->busy[strip_at(p, i->block) - 1] = true;
    if (i->op == OP_LOAD) vec_push(p->cx, &d->reads, r);
    if (i->op != OP_LOAD && !(op_info[i->op].effects & PURE)) return false;
    uint32_t n = map_get(&p->wraps, r, 0) ? 1 : i->nargs;
    for (uint32_t a = 0; a < n; a++) need(d, i->args[a]);
    return true;
}

static bool look_at_all_needed(Decide *d) {
    while (d->work.n)
        if (!look_at_needed(d, d->work.at[--d->work.n])) return false;
    return true;
}

/* Has the first pass anything to do that depends on the branch at position k? */
static bool is_branch_needed(const Decide *d, uint32_t k) {
    const StripPlan *p = d->p;
    uint32_t end = p->meet[k];
    if (p->merges[end]) return true;
    bool *seen = NEWN(p->cx, bool, p->loop->nblocks);
    seen[k] = true;
    for (uint32_t b = k; b < end; b++) { /* blocks stand in an order that all edges go along */
        if (!seen[b]) continue;
        if (b != k && (d->busy[b] || p->merges[b])) return true;
        const Term *t = &p->fn->blocks.at[p->loop->blocks[b]].term;
        for (uint32_t s = 0; s < opt_nsucc(t); s++) seen[strip_at(p, t->succ[s].to) - 1] = true;
    }
    return false;
}

/* Adds what the values needed so far need, and the branches that they depend on. */
static bool close_needed(Decide *d) {
    StripPlan *p = d->p;
    bool good = look_at_all_needed(d), again = good;
    while (again) {
        again = false;
        for (uint32_t k = 1; k < p->loop->nblocks && good; k++) {
            const Term *t = &p->fn->blocks.at[p->loop->blocks[k]].term;
            if (t->kind != TERM_BRANCH || p->keeps[k] || !is_branch_needed(d, k)) continue;
            p->keeps[k] = again = true;
            need(d, t->arg);
            good = look_at_all_needed(d);
        }
    }
    return good;
}

static bool find_needed(Decide *d) {
    StripPlan *p = d->p;
    for (uint32_t k = 0; k < p->checks.n; k++) {
        const Ins *c = at(p, p->checks.at[k]);
        d->busy[strip_at(p, c->block) - 1] = true;
        Ref index = (Ref)map_get(&p->wraps, c->args[0], 0);
        need(d, index ? index : c->args[0]);
        if (c->op == OP_CHECK_INDEX) need(d, c->args[1]);
    }
    for (uint32_t k = 0; k < p->divisions.n; k++) {
        const Ins *i = at(p, p->divisions.at[k]);
        d->busy[strip_at(p, i->block) - 1] = true;
        for (uint32_t a = 0; a < 2; a++) need(d, i->args[a]);
    }
    return close_needed(d);
}

/* --- memory ----------------------------------------------------------------------------------- */

/* index = *c * counter + rest, rest not changing in the loop. */
static bool split_index(const StripPlan *p, Ref index, int64_t *c, Lin *rest) {
    Lin l = affine_lin(p->af, index, LIN_MODULO);
    *c = 0;
    *rest = lin_const(l.c);
    for (uint32_t i = 0; l.ok && i < l.n; i++) {
        Term2 t = l.t[i];
        if (t.a == p->counter && !t.b) {
            *c = t.k;
            continue;
        }
        if (!affine_is_invariant(p->af, t.a) || (t.b && !affine_is_invariant(p->af, t.b)))
            return false;
        Lin one = {.ok = true, .n = 1, .t = {t}};
        *rest = lin_add(*rest, one, 1);
    }
    return l.ok && rest->ok;
}

/* An element of an array that does not change, with subscripts that follow the counter: its
 * ELEM. */
static const Ins *find_element(const StripPlan *p, Ref address) {
    const Ins *e = at(p, address);
    int64_t c;
    Lin rest;
    if (e->op != OP_ELEM || is_inside(p, e->args[0])) return NULL;
    for (uint32_t a = 1; a < e->nargs; a++)
        if (!split_index(p, e->args[a], &c, &rest)) return NULL;
    return e;
}

static bool is_before(const StripPlan *p, Ref a, Ref b) {
    BlockId x = at(p, a)->block, y = at(p, b)->block;
    if (x != y) return cfg_dominates(p->af->cfg, x, y);
    const Refs *ins = &p->fn->blocks.at[x].ins;
    for (uint32_t i = 0; i < ins->n; i++)
        if (ins->at[i] == a || ins->at[i] == b) return ins->at[i] == a;
    return false;
}

/* If both subscribe one array: is each element read before the loop writes it, or too long after
 * that for both to be in one strip? */
static bool is_read_in_time(const StripPlan *p, Ref load, Ref store) {
    const Ins *r = at(p, at(p, load)->args[0]), *w = at(p, at(p, store)->args[0]);
    for (uint32_t a = 1; a < r->nargs; a++) {
        int64_t cr, cw;
        Lin rest_r, rest_w;
        split_index(p, r->args[a], &cr, &rest_r);
        split_index(p, w->args[a], &cw, &rest_w);
        Lin d = lin_add(rest_r, rest_w, -1);
        if (cr != cw || !d.ok || d.n) continue;
        if (cr == 0) {
            if (d.c != 0) return true; /* another row */
            continue;
        }
        if (d.c % cr != 0) return true;
        int64_t later = d.c / cr; /* iterations from reading to writing */
        return later > 0 || later <= -(int64_t)p->size || (later == 0 && is_before(p, load, store));
    }
    return false;
}

/* Two arrays of one shape of memory, as far as types tell. */
static bool are_alike(const Type *a, const Type *b) {
    return a->elem->size == b->elem->size && a->ndim == b->ndim && a->layout == b->layout &&
           a->layout != 'A';
}

/* The allocation an array was made around, or the array itself if that is not known here. */
static Ref find_owner(const StripPlan *p, Ref array) {
    const Ins *i = at(p, array);
    if (i->op != OP_MAKE) return array;
    return at(p, i->args[1])->op == OP_ALLOC ? i->args[1] : array;
}

static bool are_apart(const StripPlan *p, Ref a, Ref b) {
    Ref x = find_owner(p, a), y = find_owner(p, b);
    unsigned ox = at(p, x)->op, oy = at(p, y)->op;
    if (x == y) return false;
    return (ox == OP_ALLOC && (oy == OP_ALLOC || oy == OP_ARG)) || (ox == OP_ARG && oy == OP_ALLOC);
}

static bool add_overlap(Decide *d, Ref load, Ref store) {
    enum { MOST = 8 };
    StripPlan *p = d->p;
    const Ins *r = find_element(p, at(p, load)->args[0]),
              *w = find_element(p, at(p, store)->args[0]);
    if (!r || !w) return false;
    if (r->args[0] == w->args[0]) return is_read_in_time(p, load, store);
    if (are_apart(p, r->args[0], w->args[0])) return true;
    Overlap o = {r->args[0], w->args[0], false};
    o.may_be_same =
        are_alike(at(p, o.read)->ty, at(p, o.written)->ty) && is_read_in_time(p, load, store);
    for (uint32_t k = 0; k < p->overlaps.n; k++) {
        Overlap *old = &p->overlaps.at[k];
        if (old->read != o.read || old->written != o.written) continue;
        old->may_be_same &= o.may_be_same;
        return true;
    }
    vec_push(p->cx, &p->overlaps, o);
    return p->overlaps.n <= MOST;
}

/* Do subscripts that follow the counter have checks left? What the first pass reads may only be safe
 * behind them, and it would read first and look at the outcome later. */
static bool checks_elements(const StripPlan *p) {
    for (uint32_t k = 0; k < p->checks.n; k++) {
        const Ins *c = at(p, p->checks.at[k]);
        if (c->op != OP_CHECK_INDEX) continue;
        int64_t step;
        Lin rest;
        Ref index = (Ref)map_get(&p->wraps, c->args[0], c->args[0]);
        if (split_index(p, index, &step, &rest)) return true;
    }
    return false;
}

static bool look_at_memory(Decide *d) {
    StripPlan *p = d->p;
    p->overlaps.n = 0;
    if (d->reads.n && checks_elements(p)) return false;
    for (uint32_t i = 0; i < d->reads.n; i++) {
        if (!find_element(p, at(p, d->reads.at[i])->args[0])) return false;
        for (uint32_t k = 0; k < d->stores.n; k++)
            if (!add_overlap(d, d->reads.at[i], d->stores.at[k])) return false;
    }
    for (uint32_t k = 0; k < d->stores.n; k++)
        if (!find_element(p, at(p, d->stores.at[k])->args[0])) return false;
    return true;
}

/* Reads through subscripts that are themselves read: vector code for them needs to know that no
 * store goes there, which the back end can not find out; and scalar code does not need strips. */
static bool has_blind_read(const Decide *d) {
    const StripPlan *p = d->p;
    for (uint32_t k = 0; k < p->loop->nblocks; k++) {
        const Refs *ins = &p->fn->blocks.at[p->loop->blocks[k]].ins;
        for (uint32_t i = 0; i < ins->n; i++)
            if (at(p, ins->at[i])->op == OP_LOAD && !find_element(p, at(p, ins->at[i])->args[0]))
                return true;
    }
    return false;
}

/* --- what to keep in buffers ------------------------------------------------------------------ */

enum { COST_LOAD = 2, COST_DIV = 8, COST_SAVE = 6, COST_COMMIT = 4, COST_MOST = 1000 };

/* Of vector code, in additions. */
static uint32_t own_cost(const Ins *i) {
    switch ((int)i->op) {
    case OP_CONST:
    case OP_FIELD:
    case OP_MAKE:
    case OP_ELEM:
    case OP_PARAM: return 0;
    case OP_LOAD: return COST_LOAD;
    case OP_FDIV:
    case OP_FLOORDIV:
    case OP_FLOORMOD: return COST_DIV;
    case OP_MATH: return math_info[i->sub].sleef ? 40 : i->sub == MATH_SQRT ? 12 : 2;
    default: return 1;
    }
}

/* Of computing r, with everything under it. */
static uint32_t cost(Decide *d, Ref r) {
    StripPlan *p = d->p;
    if (!is_inside(p, r) || affine_is_invariant(p->af, r)) return 0;
    uint32_t known = (uint32_t)map_get(&d->costs, r, 0);
    if (known) return known - 1;
    const Ins *i = at(p, r);
    uint32_t sum = own_cost(i);
    for (uint32_t a = 0; a < i->nargs && sum < COST_MOST; a++) sum += cost(d, i->args[a]);
    map_set(p->cx, &d->costs, r, sum + 1);
    return sum;
}

/* Has the first pass read r, and does it matter that the second sees the same? Another thread may write
 * there in between. A subscript, and what decides whether it is used, must be what was checked; a
 * divisor that has become zero only gives infinity. */
static bool is_checked_read(const Decide *d, Ref r) {
    return d->subscribes && strip_has(d->p, r) && at(d->p, r)->op == OP_LOAD;
}

static bool wants_buffer(Decide *d, Ref r) {
    const Ins *i = at(d->p, r);
    uint32_t bytes = d->p->size * i->ty->size;
    bool scalar = i->ty->kind == TY_BOOL || i->ty->kind == TY_INT || i->ty->kind == TY_FLOAT;
    if (is_checked_read(d, r)) return true;
    if (!strip_has(d->p, r) || !scalar || i->op == OP_PARAM) return false;
    if (i->op == OP_LOAD || map_get(&d->p->wraps, r, 0)) return false;
    return d->stack + bytes <= STRIP_STACK && cost(d, r) > COST_SAVE;
}

static void need_second(Decide *d, Ref r) {
    if (r && is_inside(d->p, r) && map_set(d->p->cx, &d->visited, r, 1))
        vec_push(d->p->cx, &d->work, r);
}

static void look_at_second(Decide *d, Ref r) {
    StripPlan *p = d->p;
    const Ins *i = at(p, r);
    if (wants_buffer(d, r)) {
        d->stack += p->size * i->ty->size;
        vec_push(p->cx, &p->saved, r);
        map_set(p->cx, &p->is_saved, r, p->saved.n);
        return;
    }
    for (uint32_t a = 0; a < i->nargs; a++) need_second(d, i->args[a]);
    if (i->op != OP_PARAM || i->block == p->loop->header) return;
    const Incoming *in = &p->af->in;
    for (uint32_t e = in->start[i->block]; e < in->start[i->block + 1]; e++)
        need_second(d, opt_edge_arg(p->fn, in->at[e], (uint32_t)i->imm));
}

/* What the second pass is for: stores, sums, branches. From there down to what it can take from a
 * buffer. */
static void choose_buffers(Decide *d) {
    StripPlan *p = d->p;
    const Loop *l = p->loop;
    d->visited = p->is_saved = (Map){0};
    p->saved.n = d->stack = 0;
    for (uint32_t k = 0; k < d->stores.n; k++)
        for (uint32_t a = 0; a < 2; a++) need_second(d, at(p, d->stores.at[k])->args[a]);
    for (uint32_t k = 0; k < p->fn->blocks.at[l->header].params.n; k++)
        need_second(d, latch_arg(p, k));
    for (uint32_t k = 1; k < l->nblocks; k++)
        need_second(d, p->fn->blocks.at[l->blocks[k]].term.arg);
    while (d->work.n) look_at_second(d, d->work.at[--d->work.n]);
}

/* What both passes compute. */
static uint32_t double_cost(const Decide *d) {
    const StripPlan *p = d->p;
    uint32_t sum = 0;
    for (uint32_t k = 0; k < p->loop->nblocks; k++) {
        const Refs *ins = &p->fn->blocks.at[p->loop->blocks[k]].ins;
        for (uint32_t i = 0; i < ins->n; i++) {
            Ref r = ins->at[i];
            if (strip_has(p, r) && map_get(&d->visited, r, 0) && !map_get(&p->is_saved, r, 0) &&
                !affine_is_invariant(p->af, r))
                sum += own_cost(at(p, r));
        }
    }
    return sum;
}

/* Is all that is stored better computed in the first pass, and only brought to its place by the
 * second? So if each iteration stores it anyway: memory is then read once, and the passes overlap
 * well. Under conditions buffers cost more: only if much is computed twice otherwise. */
static bool wants_commit(const Decide *d) {
    const StripPlan *p = d->p;
    bool always = d->stores.n > 0;
    for (uint32_t k = 0; k < d->stores.n; k++)
        always &= cfg_dominates(p->af->cfg, at(p, d->stores.at[k])->block, p->loop->latch);
    return always || (d->stores.n && double_cost(d) > COST_COMMIT * d->stores.n);
}

/* One way through the block, on which nothing calls? */
static bool is_plain(const StripPlan *p, BlockId b) {
    const Block *block = &p->fn->blocks.at[b];
    for (uint32_t i = 0; i < block->ins.n; i++) {
        const Ins *in = at(p, block->ins.at[i]);
        if (in->op == OP_MATH && math_info[in->sub].sleef) return false;
    }
    return b == p->loop->header || block->term.kind != TERM_BRANCH;
}

/* One way through the loop, one store on it, to another element each time, and nothing summed up: then
 * a strip is as short as a few vectors, which stay in registers from one pass to the next. (So the second
 * pass reads buffers alone, and its iterations may be done at once.) */
static bool can_be_short(const Decide *d) {
    const StripPlan *p = d->p;
    for (uint32_t k = 0; k < p->loop->nblocks; k++)
        if (!is_plain(p, p->loop->blocks[k])) return false;
    if (d->stores.n != 1 || p->fn->blocks.at[p->loop->header].params.n != 1) return false;
    const Ins *e = find_element(p, at(p, d->stores.at[0])->args[0]);
    for (uint32_t a = 1; e && a < e->nargs; a++) {
        int64_t c;
        Lin rest;
        if (split_index(p, e->args[a], &c, &rest) && c) return true;
    }
    return false;
}

/* False: the first pass can not do that. */
static bool compute_stored(Decide *d) {
    StripPlan *p = d->p;
    for (uint32_t k = 0; k < d->stores.n; k++) need(d, at(p, d->stores.at[k])->args[1]);
    return close_needed(d) && look_at_memory(d);
}

/* --- the pass --------------------------------------------------------------------------------- */

static bool plan(Decide *d, Loop *loop, bool all) {
    StripPlan *p = d->p;
    affine_set_nest(p->af, loop);
    if (!look_at_loop(d)) return false;
    p->meet = NEWN(p->cx, uint32_t, loop->nblocks);
    p->keeps = NEWN(p->cx, bool, loop->nblocks);
    p->merges = NEWN(p->cx, bool, loop->nblocks);
    d->busy = NEWN(p->cx, bool, loop->nblocks);
    find_meets(p);
    if (!find_needed(d) || !look_at_memory(d) || (d->stores.n && has_blind_read(d))) return false;
    if (all && !compute_stored(d)) return false;
    choose_buffers(d);
    return d->stack <= STRIP_STACK;
}

static void report(const StripPlan *p) {
    if (!remark_wanted(p->cx)) return;
    for (uint32_t k = 0; k < p->checks.n; k++)
        opt_report_check(p->cx, p->fn, p->checks.at[k], REMARK_CHECK_STRIPS);
    Place place = ir_place_of_loop(p->cx, p->fn, p->loop);
    if (place.span.line)
        remark_add(p->cx, REMARK_STRIPS, place.span, cx_printf(p->cx, "%u", p->size))->via =
            place.via;
}

static bool strip_loop(Cx *cx, Fn *fn, Affine *af, Loop *loop) {
    StripPlan less = {.cx = cx, .fn = fn, .af = af, .loop = loop, .size = STRIP}, more = less;
    Decide d = {.p = &less}, d2 = {.p = &more};
    if (!plan(&d, loop, false)) return false;
    if (can_be_short(&d)) more.size = STRIP_SHORT;
    StripPlan *best = wants_commit(&d) && plan(&d2, loop, true) ? &more : &less;
    report(best);
    strip_build(best);
    return true;
}

static bool strip_loops(Cx *cx, Fn *fn, Affine *af, Loop *loop) {
    bool any = false;
    for (; loop; loop = loop->next)
        any |= loop->child ? strip_loops(cx, fn, af, loop->child) : strip_loop(cx, fn, af, loop);
    return any;
}

bool opt_strip(Cx *cx, Fn *fn) {
    if (fn->is_slow || (fn->is_kernel && !fn->runs_blocks) || fn->options.debug ||
        !opt_has_checks(fn))
        return false;
    Affine *af = affine_new_loops(cx, fn, LIN_EXACT);
    return af && strip_loops(cx, fn, af, af->loops->roots);
}
