/* What a strip keeps in buffers: a matter of cost. See strip.c. */
#include "opt/strip_decide.h"

#include "ir/math.h"

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
    if (!strip_is_inside(p, r) || affine_is_invariant(p->af, r)) return 0;
    uint32_t known = (uint32_t)map_get(&d->costs, r, 0);
    if (known) return known - 1;
    const Ins *i = strip_ins(p, r);
    uint32_t sum = own_cost(i);
    for (uint32_t a = 0; a < i->nargs && sum < COST_MOST; a++) sum += cost(d, i->args[a]);
    map_set(p->cx, &d->costs, r, sum + 1);
    return sum;
}

/* Has the first pass read r, and does it matter that the second sees the same? Another thread may write
 * there in between. A subscript, and what decides whether it is used, must be what was checked; a
 * divisor that has become zero only gives infinity. */
static bool is_checked_read(const Decide *d, Ref r) {
    return d->subscribes && strip_has(d->p, r) && strip_ins(d->p, r)->op == OP_LOAD;
}

static bool wants_buffer(Decide *d, Ref r) {
    const Ins *i = strip_ins(d->p, r);
    uint32_t bytes = d->p->size * i->ty->size;
    bool scalar = i->ty->kind == TY_BOOL || i->ty->kind == TY_INT || i->ty->kind == TY_FLOAT;
    if (is_checked_read(d, r)) return true;
    if (!strip_has(d->p, r) || !scalar || i->op == OP_PARAM) return false;
    if (i->op == OP_LOAD || map_get(&d->p->wraps, r, 0)) return false;
    return d->stack + bytes <= STRIP_STACK && cost(d, r) > COST_SAVE;
}

static void need_second(Decide *d, Ref r) {
    if (r && strip_is_inside(d->p, r) && map_set(d->p->cx, &d->visited, r, 1))
        vec_push(d->p->cx, &d->work, r);
}

static void look_at_second(Decide *d, Ref r) {
    StripPlan *p = d->p;
    const Ins *i = strip_ins(p, r);
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

void strip_choose_buffers(Decide *d) {
    StripPlan *p = d->p;
    const Loop *l = p->loop;
    d->visited = p->is_saved = (Map){0};
    p->saved.n = d->stack = 0;
    for (uint32_t k = 0; k < d->stores.n; k++)
        for (uint32_t a = 0; a < 2; a++) need_second(d, strip_ins(p, d->stores.at[k])->args[a]);
    for (uint32_t k = 0; k < p->fn->blocks.at[l->header].params.n; k++)
        need_second(d, strip_latch_arg(p, k));
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
                sum += own_cost(strip_ins(p, r));
        }
    }
    return sum;
}

bool strip_wants_commit(const Decide *d) {
    const StripPlan *p = d->p;
    bool always = d->stores.n > 0;
    for (uint32_t k = 0; k < d->stores.n; k++)
        always &= cfg_dominates(p->af->cfg, strip_ins(p, d->stores.at[k])->block, p->loop->latch);
    return always || (d->stores.n && double_cost(d) > COST_COMMIT * d->stores.n);
}

/* One way through the block, on which nothing calls? */
static bool is_plain(const StripPlan *p, BlockId b) {
    const Block *block = &p->fn->blocks.at[b];
    for (uint32_t i = 0; i < block->ins.n; i++) {
        const Ins *in = strip_ins(p, block->ins.at[i]);
        if (in->op == OP_MATH && math_info[in->sub].sleef) return false;
    }
    return b == p->loop->header || block->term.kind != TERM_BRANCH;
}

bool strip_can_be_short(const Decide *d) {
    const StripPlan *p = d->p;
    for (uint32_t k = 0; k < p->loop->nblocks; k++)
        if (!is_plain(p, p->loop->blocks[k])) return false;
    if (d->stores.n != 1 || p->fn->blocks.at[p->loop->header].params.n != 1) return false;
    const Ins *e = strip_find_element(p, strip_ins(p, d->stores.at[0])->args[0]);
    for (uint32_t a = 1; e && a < e->nargs; a++) {
        int64_t c;
        Lin rest;
        if (strip_split_index(p, e->args[a], &c, &rest) && c) return true;
    }
    return false;
}
