/* The regions of a kernel, and the memory for what crosses from one to another. See simt_emit.c. */
#include "opt/simt_emit.h"

/* --- regions ---------------------------------------------------------------------------------- */

uint32_t simt_ways(const Emit *e, BlockId b, BlockId to[3]) {
    const SimtGuard *g = simt_guard_at(e->s, b);
    if (!g || g->scoped) return ir_successors(e->fn, b, to);
    to[0] = g->go;
    return 1;
}

static bool add_apart(Emit *e, BlockId b) {
    VEC(BlockId) work = {0};
    vec_push(e->cx, &work, b);
    uint32_t number = e->regions.n;
    while (work.n) {
        BlockId at = work.at[--work.n], to[3];
        for (uint32_t i = simt_ways(e, at, to); i-- > 0;) {
            if (!simt_is_apart(e, to[i]) || e->region_of[to[i]] == number) continue;
            if (e->region_of[to[i]]) return false; /* two regions lead into it */
            e->region_of[to[i]] = number;
            vec_push(e->cx, &work, to[i]);
        }
    }
    return true;
}

/* The one block outside that the region leads to. */
static bool find_exit(Emit *e, Region *r) {
    r->exit = NO_BLOCK;
    if (!r->apart.n) return true;
    for (uint32_t k = 0; k <= r->apart.n; k++) {
        BlockId to[3];
        for (uint32_t i = simt_ways(e, k ? r->apart.at[k - 1] : r->root, to); i-- > 0;) {
            if (simt_is_apart(e, to[i]) || to[i] == r->exit) continue;
            if (r->exit != NO_BLOCK) return false;
            r->exit = to[i];
        }
    }
    return true;
}

bool simt_find_regions(Emit *e) {
    VEC(BlockId) work = {0};
    vec_push(e->cx, &work, 0);
    while (work.n) {
        BlockId b = work.at[--work.n], to[3];
        if (e->region_of[b]) continue;
        if (simt_is_apart(e, b)) return false;
        vec_push(e->cx, &e->regions, (Region){.root = b});
        e->region_of[b] = e->regions.n;
        if (!add_apart(e, b)) return false;
        Region *r = &vec_last(&e->regions);
        for (uint32_t k = 0; k < e->s->cfg->nrpo; k++) {
            BlockId in = e->s->cfg->rpo[k];
            if (in != b && e->region_of[in] == e->regions.n) vec_push(e->cx, &r->apart, in);
        }
        if (!find_exit(e, r)) return false;
        if (r->exit != NO_BLOCK) vec_push(e->cx, &work, r->exit);
        for (uint32_t i = r->apart.n ? 0 : simt_ways(e, b, to); i-- > 0;)
            vec_push(e->cx, &work, to[i]);
    }
    return true;
}

Region *simt_region_at(Emit *e, BlockId b) { return &e->regions.at[e->region_of[b] - 1]; }

bool simt_is_made_in(Emit *e, const Region *r, Ref v) {
    const Ins *i = ir_at(e->fn, v);
    if (!e->region_of[i->block] || simt_region_at(e, i->block) != r) return false;
    return i->block != r->root || i->op != OP_PARAM;
}

/* --- what crosses from region to region ------------------------------------------------------- */

/* Cheap to compute again from the thread's number and values that do not vary. */
static bool is_cheap(const Emit *e, Ref v, int depth) {
    const Ins *i = ir_at(e->fn, v);
    if (!simt_varies(e, v) || simt_is_tid(e, v)) return true;
    if (depth == 0 || !opt_is_pure(e->fn, v) || i->op == OP_STACK) return false;
    switch ((int)i->op) {
    case OP_PARAM:
    case OP_MATH:
    case OP_FDIV:
    case OP_FLOORDIV:
    case OP_FLOORMOD: return false;
    default: break;
    }
    for (uint32_t k = 0; k < i->nargs; k++)
        if (!is_cheap(e, i->args[k], depth - 1)) return false;
    return true;
}

enum { CHEAP_DEPTH = 8 };

static void visit_edge(Emit *e, Region *r, const Edge *edge, UseVisitor visit) {
    for (uint32_t k = 0; k < edge->n; k++) visit(e, r, edge->args[k]);
}

void simt_visit_reads(Emit *e, Region *r, UseVisitor visit) {
    for (uint32_t n = 0; n <= r->apart.n; n++) {
        BlockId b = n ? r->apart.at[n - 1] : r->root;
        const Block *block = &e->fn->blocks.at[b];
        for (uint32_t k = 0; k < block->ins.n; k++) {
            const Ins *i = ir_at(e->fn, block->ins.at[k]);
            bool reads =
                simt_varies(e, block->ins.at[k]) || simt_is_collective(e->fn, block->ins.at[k]);
            for (uint32_t a = 0; reads && a < i->nargs; a++) visit(e, r, i->args[a]);
        }
        if (!r->apart.n) continue;
        if (block->term.arg) visit(e, r, block->term.arg);
        for (int k = 0; k < 2; k++) {
            const Edge *edge = &block->term.succ[k];
            if (edge->to != NO_BLOCK && simt_is_apart(e, edge->to)) visit_edge(e, r, edge, visit);
        }
    }
}

void simt_visit_passes_of(Emit *e, Region *r, BlockId b, PassVisitor visit) {
    const Term *t = &e->fn->blocks.at[b].term;
    if (t->kind != TERM_JUMP || simt_is_apart(e, t->succ[0].to)) return;
    const Refs *params = &e->fn->blocks.at[t->succ[0].to].params;
    for (uint32_t k = 0; k < params->n; k++)
        if (simt_varies(e, params->at[k])) visit(e, r, t->succ[0].args[k], params->at[k]);
}

void simt_visit_passes(Emit *e, Region *r, PassVisitor visit) {
    simt_visit_passes_of(e, r, r->root, visit);
    for (uint32_t k = 0; k < r->apart.n; k++) simt_visit_passes_of(e, r, r->apart.at[k], visit);
}

/* --- memory for what crosses ------------------------------------------------------------------ */

static void need_memory(Emit *e, Ref v) {
    const Ins *i = ir_at(e->fn, v);
    if (i->ty->owning) e->fails = true; /* its count would have to be kept per thread */
    if (e->leader[v]) return;
    e->leader[v] = v;
    vec_push(e->cx, &e->crossing, v);
}

static void plan_read(Emit *e, Region *r, Ref v) {
    if (simt_varies(e, v) && !simt_is_made_in(e, r, v) && !is_cheap(e, v, CHEAP_DEPTH))
        need_memory(e, v);
}

static void plan_pass(Emit *e, Region *r, Ref arg, Ref param) {
    need_memory(e, param);
    plan_read(e, r, arg);
}

/* Is the old value b needed behind the place where a is made? */
static bool is_live_after(Emit *e, Ref a, Ref b) {
    const Ins *i = ir_at(e->fn, a);
    Region *r = simt_region_at(e, i->block);
    BlockId to[3];
    if (i->op == OP_PARAM && i->block == r->root) {
        const Ins *other = ir_at(e->fn, b);
        bool beside = other->op == OP_PARAM && other->block == r->root;
        return beside || live_has(&e->live->in[r->root], b);
    }
    if (r->apart.n) return r->exit != NO_BLOCK && live_has(&e->live->in[r->exit], b);
    for (uint32_t k = simt_ways(e, r->root, to); k-- > 0;)
        if (live_has(&e->live->in[to[k]], b)) return true;
    return false;
}

/* May the memory of the two be the same? Asks for all that share already. */
static bool can_share(Emit *e, Ref a, Ref b) {
    if (ir_at(e->fn, a)->ty != ir_at(e->fn, b)->ty) return false;
    if (ir_at(e->fn, a)->op == OP_STACK || ir_at(e->fn, b)->op == OP_STACK) return false;
    for (uint32_t i = 0; i < e->crossing.n; i++) {
        Ref x = e->crossing.at[i];
        if (simt_leader_of(e, x) != a) continue;
        for (uint32_t k = 0; k < e->crossing.n; k++) {
            Ref y = e->crossing.at[k];
            if (simt_leader_of(e, y) == b && (is_live_after(e, x, y) || is_live_after(e, y, x)))
                return false;
        }
    }
    return true;
}

/* A value that is passed to a parameter had better be where that is. */
static void share_memory(Emit *e, Region *r, Ref arg, Ref param) {
    (void)r;
    if (!simt_varies(e, arg) || !e->leader[arg]) return;
    Ref a = simt_leader_of(e, arg), p = simt_leader_of(e, param);
    if (a != p && can_share(e, a, p)) e->leader[a] = p;
}

enum { MOST_THREADS = 1024 };

static uint32_t thread_count(const Emit *e) {
    const uint32_t *dim = e->fn->block_dim;
    return dim[0] == ANY_DIM ? MOST_THREADS : dim[0] * dim[1] * dim[2];
}

static void make_memory(Emit *e) {
    for (uint32_t k = 0; k < e->crossing.n; k++) {
        Ref v = e->crossing.at[k];
        if (e->leader[v] != v) continue;
        e->stack[v] =
            ir_add(e->cx, e->to, 0, OP_STACK, TY_OF(TY_PTR), ir_at(e->fn, v)->span, 0, NULL);
        ir_at(e->to, e->stack[v])->imm = (int64_t)thread_count(e) * simt_place_size(e, v);
        e->memory += ir_at(e->to, e->stack[v])->imm;
    }
}

Ref simt_new_places(Emit *e, uint32_t size) {
    Ref r = ir_add(e->cx, e->to, 0, OP_STACK, TY_OF(TY_PTR), (Span){0}, 0, NULL);
    ir_at(e->to, r)->imm = (int64_t)thread_count(e) * size;
    e->memory += ir_at(e->to, r)->imm;
    return r;
}

bool simt_plan_memory(Emit *e) {
    for (uint32_t k = 0; k < e->regions.n; k++) {
        simt_visit_reads(e, &e->regions.at[k], plan_read);
        simt_visit_passes(e, &e->regions.at[k], plan_pass);
    }
    for (uint32_t k = 0; k < e->regions.n; k++)
        simt_visit_passes(e, &e->regions.at[k], share_memory);
    make_memory(e);
    return !e->fails && e->memory <= MOST_MEMORY;
}
