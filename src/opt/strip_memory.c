/* Does the first pass over a strip read what it may? See strip.c. */
#include "opt/strip_decide.h"

bool strip_split_index(const StripPlan *p, Ref index, int64_t *c, Lin *rest) {
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

const Ins *strip_find_element(const StripPlan *p, Ref address) {
    const Ins *e = strip_ins(p, address);
    int64_t c;
    Lin rest;
    if (e->op != OP_ELEM || strip_is_inside(p, e->args[0])) return NULL;
    for (uint32_t a = 1; a < e->nargs; a++)
        if (!strip_split_index(p, e->args[a], &c, &rest)) return NULL;
    return e;
}

static bool is_before(const StripPlan *p, Ref a, Ref b) {
    BlockId x = strip_ins(p, a)->block, y = strip_ins(p, b)->block;
    if (x != y) return cfg_dominates(p->af->cfg, x, y);
    const Refs *ins = &p->fn->blocks.at[x].ins;
    for (uint32_t i = 0; i < ins->n; i++)
        if (ins->at[i] == a || ins->at[i] == b) return ins->at[i] == a;
    return false;
}

/* If both subscribe one array: is each element read before the loop writes it, or too long after
 * that for both to be in one strip? */
static bool is_read_in_time(const StripPlan *p, Ref load, Ref store) {
    const Ins *r = strip_ins(p, strip_ins(p, load)->args[0]),
              *w = strip_ins(p, strip_ins(p, store)->args[0]);
    for (uint32_t a = 1; a < r->nargs; a++) {
        int64_t cr, cw;
        Lin rest_r, rest_w;
        strip_split_index(p, r->args[a], &cr, &rest_r);
        strip_split_index(p, w->args[a], &cw, &rest_w);
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
    const Ins *i = strip_ins(p, array);
    if (i->op != OP_MAKE) return array;
    return strip_ins(p, i->args[1])->op == OP_ALLOC ? i->args[1] : array;
}

static bool are_apart(const StripPlan *p, Ref a, Ref b) {
    Ref x = find_owner(p, a), y = find_owner(p, b);
    unsigned ox = strip_ins(p, x)->op, oy = strip_ins(p, y)->op;
    if (x == y) return false;
    return (ox == OP_ALLOC && (oy == OP_ALLOC || oy == OP_ARG)) || (ox == OP_ARG && oy == OP_ALLOC);
}

static bool add_overlap(Decide *d, Ref load, Ref store) {
    enum { MOST = 8 };
    StripPlan *p = d->p;
    const Ins *r = strip_find_element(p, strip_ins(p, load)->args[0]),
              *w = strip_find_element(p, strip_ins(p, store)->args[0]);
    if (!r || !w) return false;
    if (r->args[0] == w->args[0]) return is_read_in_time(p, load, store);
    if (are_apart(p, r->args[0], w->args[0])) return true;
    Overlap o = {r->args[0], w->args[0], false};
    o.may_be_same = are_alike(strip_ins(p, o.read)->ty, strip_ins(p, o.written)->ty) &&
                    is_read_in_time(p, load, store);
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
        const Ins *c = strip_ins(p, p->checks.at[k]);
        if (c->op != OP_CHECK_INDEX) continue;
        int64_t step;
        Lin rest;
        Ref index = (Ref)map_get(&p->wraps, c->args[0], c->args[0]);
        if (strip_split_index(p, index, &step, &rest)) return true;
    }
    return false;
}

bool strip_look_at_memory(Decide *d) {
    StripPlan *p = d->p;
    p->overlaps.n = 0;
    if (d->reads.n && checks_elements(p)) return false;
    for (uint32_t i = 0; i < d->reads.n; i++) {
        if (!strip_find_element(p, strip_ins(p, d->reads.at[i])->args[0])) return false;
        for (uint32_t k = 0; k < d->stores.n; k++)
            if (!add_overlap(d, d->reads.at[i], d->stores.at[k])) return false;
    }
    for (uint32_t k = 0; k < d->stores.n; k++)
        if (!strip_find_element(p, strip_ins(p, d->stores.at[k])->args[0])) return false;
    return true;
}

bool strip_has_blind_read(const Decide *d) {
    const StripPlan *p = d->p;
    for (uint32_t k = 0; k < p->loop->nblocks; k++) {
        const Refs *ins = &p->fn->blocks.at[p->loop->blocks[k]].ins;
        for (uint32_t i = 0; i < ins->n; i++)
            if (strip_ins(p, ins->at[i])->op == OP_LOAD &&
                !strip_find_element(p, strip_ins(p, ins->at[i])->args[0]))
                return true;
    }
    return false;
}
