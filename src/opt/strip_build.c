/* The two passes over a strip, put before the loop (see strip.c for the picture). */
#include "opt/strip.h"

#include "ir/math.h"

enum { FEW = 8 }; /* iterations not worth a strip */
static const int64_t small = INT64_C(1) << 51; /* -small <= x < small: floats divide x exactly */

typedef struct Build {
    StripPlan *p;
    Cx *cx;
    Fn *fn;
    BlockId strip, size, look; /* the blocks around the passes */
    Ref start, end;            /* counter at the start of the strip, and behind it */
    Ref lane;     /* short strips: the first pass counts from 0, which tells how long it is */
    Ref *buffers;              /* per value saved: its address on the stack */
    /* the first pass, per position in the loop */
    Map refs;         /* value of the loop -> its copy */
    BlockId *copy;    /* NO_BLOCK: not in the first pass */
    uint32_t *npreds; /* ways into it */
    Ref *fault;       /* at its start, then at its end: has there been one? */
    BlockId second; /* header of the second pass */
    Type *fault_ty;
} Build;

static Ref add(Build *b, BlockId to, Op op, Type *ty, uint32_t n, const Ref *args) {
    return ir_add(b->cx, b->fn, to, op, ty, (Span){0}, n, args);
}
static Ref add_int(Build *b, BlockId to, Type *ty, int64_t k) {
    return ir_const(b->cx, b->fn, to, ir_const_int(b->cx, ty, k), (Span){0});
}
static Ref add_bool_op(Build *b, BlockId to, Op op, Ref x, Ref y) {
    return add(b, to, op, TY_OF(TY_BOOL), 2, (Ref[]){x, y});
}
static Ref either(Build *b, BlockId to, Ref x, Ref y) {
    return x ? add_bool_op(b, to, OP_OR, x, y) : y;
}

static bool is_short(const Build *b) { return b->p->size == STRIP_SHORT; }

static BlockId block_at(const Build *b, uint32_t k) { return b->p->loop->blocks[k]; }

/* --- the first pass --------------------------------------------------------------------------- */

static Ref copy_of(const Build *b, Ref r) { return (Ref)map_get(&b->refs, r, r); }

/* The way number s out of position k in the first pass. */
static uint32_t way_out(const Build *b, uint32_t k, uint32_t s) {
    const Term *t = &b->fn->blocks.at[block_at(b, k)].term;
    if (t->kind == TERM_BRANCH && k > 0 && !b->p->keeps[k]) return b->p->meet[k];
    return strip_at(b->p, t->succ[s].to) - 1;
}
static uint32_t ways_out(const Build *b, uint32_t k) {
    const Term *t = &b->fn->blocks.at[block_at(b, k)].term;
    return k > 0 && t->kind == TERM_BRANCH && b->p->keeps[k] ? 2 : 1;
}

static void make_blocks(Build *b) {
    for (uint32_t k = 0; k < b->p->loop->nblocks; k++) {
        if (k > 0 && !b->npreds[k]) {
            b->copy[k] = NO_BLOCK;
            continue;
        }
        b->copy[k] = ir_new_block(b->cx, b->fn, k ? "check" : "check.for");
        for (uint32_t s = 0; s < ways_out(b, k); s++) b->npreds[way_out(b, k, s)]++;
    }
}

static void make_params(Build *b, uint32_t k) {
    const Refs *params = &b->fn->blocks.at[block_at(b, k)].params;
    for (uint32_t i = 0; i < params->n; i++) {
        Ref r = params->at[i];
        if (!strip_has(b->p, r) && r != b->p->counter) continue;
        Ref made = ir_add_param(b->cx, b->fn, b->copy[k], ir_at(b->fn, r)->ty);
        if (k == 0 && is_short(b)) {
            b->lane = made;
            made = add(b, b->copy[0], OP_ADD, TY_I(64), 2, (Ref[]){b->start, b->lane});
        }
        map_set(b->cx, &b->refs, r, made);
        params = &b->fn->blocks.at[block_at(b, k)].params;
    }
    if (b->npreds[k] > 1 || k == 0)
        b->fault[k] = ir_add_param(b->cx, b->fn, b->copy[k], b->fault_ty);
}

static void copy_ins(Build *b, BlockId to, Ref r) {
    Ref args[8], made;
    Ins i = *ir_at(b->fn, r);
    Ref *list = i.nargs <= 8 ? args : NEWN(b->cx, Ref, i.nargs);
    for (uint32_t a = 0; a < i.nargs; a++) list[a] = copy_of(b, i.args[a]);
    made = add(b, to, (Op)i.op, i.ty, i.nargs, list);
    i.args = ir_at(b->fn, made)->args;
    i.block = to;
    *ir_at(b->fn, made) = i;
    if (strip_is_division(b->fn, &i)) ir_at(b->fn, made)->imm = 1;
    map_set(b->cx, &b->refs, r, made);
}

/* Faults are counted, in integers as wide as what the checks compare: then a lane of a vector holds
 * a whole count, while a vector of bools would have to be packed and unpacked. */
static Type *find_fault_type(const Build *b) {
    for (uint32_t k = 0; k < b->p->divisions.n; k++)
        if (ir_at(b->fn, b->p->divisions.at[k])->ty->bits == 64) return TY_I(64);
    for (uint32_t k = 0; k < b->p->checks.n; k++) {
        const Ins *c = ir_at(b->fn, b->p->checks.at[k]), *i = ir_at(b->fn, c->args[0]);
        while ((i->op == OP_XOR || i->op == OP_OR || i->op == OP_AND) && i->ty->kind == TY_BOOL)
            i = ir_at(b->fn, i->args[0]);
        if (c->op != OP_CHECK || !i->nargs || ir_at(b->fn, i->args[0])->ty->bits != 32)
            return TY_I(64);
    }
    return TY_I(32);
}

/* -1 if the check would raise (or if the subscript is negative), else 0. */
static Ref copy_check(Build *b, BlockId to, const Ins *c) {
    Type *u64 = TY_U(64), *ty = b->fault_ty;
    Ref good, zero = add_int(b, to, ty, 0), ones = add_int(b, to, ty, -1);
    if (c->op == OP_CHECK) {
        good = copy_of(b, c->args[0]);
        return add(b, to, OP_SELECT, ty, 3, (Ref[]){good, zero, ones});
    }
    Ref index = (Ref)map_get(&b->p->wraps, c->args[0], c->args[0]), size = copy_of(b, c->args[1]);
    index = copy_of(b, index);
    index = add(b, to, OP_BITCAST, u64, 1, &index), size = add(b, to, OP_BITCAST, u64, 1, &size);
    good = add_bool_op(b, to, OP_LT, index, size);
    return add(b, to, OP_SELECT, ty, 3, (Ref[]){good, zero, ones});
}

/* -1 if an operand of the division `in` is too large for floats to divide exactly, else 0. No
 * value: none can be. */
static Ref copy_limit(Build *b, BlockId to, const Ins *in) {
    Type *i64 = TY_I(64), *u64 = TY_U(64);
    Ref bad = 0, half = add_int(b, to, i64, small), all = add_int(b, to, u64, 2 * small);
    for (uint32_t a = 0; a < 2 && in->ty->bits == 64; a++) {
        Ref up = add(b, to, OP_ADD, i64, 2, (Ref[]){copy_of(b, in->args[a]), half});
        up = add(b, to, OP_BITCAST, u64, 1, &up);
        bad = either(b, to, bad, add_bool_op(b, to, OP_GE, up, all));
    }
    if (!bad) return 0;
    Ref zero = add_int(b, to, b->fault_ty, 0), ones = add_int(b, to, b->fault_ty, -1);
    return add(b, to, OP_SELECT, b->fault_ty, 3, (Ref[]){bad, ones, zero});
}

static Ref buffer_place(Build *b, BlockId to, uint32_t n, Ref counter) {
    Type *i64 = TY_I(64);
    uint32_t size = ir_at(b->fn, b->p->saved.at[n])->ty->size;
    Ref done = add(b, to, OP_SUB, i64, 2, (Ref[]){counter, b->start});
    Ref bytes = add(b, to, OP_MUL, i64, 2, (Ref[]){done, add_int(b, to, i64, size)});
    return add(b, to, OP_OFFSET, TY_OF(TY_PTR), 2, (Ref[]){b->buffers[n], bytes});
}

static void save(Build *b, BlockId to, Ref r) {
    uint32_t n = (uint32_t)map_get(&b->p->is_saved, r, 0);
    if (!n) return;
    Ref place = buffer_place(b, to, n - 1, copy_of(b, b->p->counter));
    add(b, to, OP_STORE, TY_OF(TY_NONE), 2, (Ref[]){place, copy_of(b, r)});
}

static void count_fault(Build *b, uint32_t k, Ref bad) {
    if (bad) b->fault[k] = add(b, b->copy[k], OP_ADD, b->fault_ty, 2, (Ref[]){b->fault[k], bad});
}

static void copy_block(Build *b, uint32_t k) {
    StripPlan *p = b->p;
    BlockId to = b->copy[k];
    for (uint32_t i = 0; i < b->fn->blocks.at[block_at(b, k)].ins.n; i++) {
        Ref r = b->fn->blocks.at[block_at(b, k)].ins.at[i];
        const Ins in = *ir_at(b->fn, r);
        if (strip_is_division(b->fn, &in)) count_fault(b, k, copy_limit(b, to, &in));
        if (opt_is_promise(&in)) continue;
        if (in.op == OP_CHECK || in.op == OP_CHECK_INDEX) {
            count_fault(b, k, copy_check(b, to, &in));
        } else if (strip_has(p, r) && map_get(&p->wraps, r, 0)) {
            map_set(b->cx, &b->refs, r, copy_of(b, in.args[0]));
        } else if (strip_has(p, r)) {
            copy_ins(b, to, r);
            save(b, to, r);
        }
    }
}

/* What counts the first pass up, at the end of position k. */
static Ref next_count(Build *b, uint32_t k, Ref next) {
    if (!is_short(b)) return copy_of(b, next);
    Ref one = add_int(b, b->copy[k], TY_I(64), 1);
    return add(b, b->copy[k], OP_ADD, TY_I(64), 2, (Ref[]){b->lane, one});
}

/* The edge from position k to position `to`; e: the loop's own edge, or NULL if its arguments do
 * not matter. */
static Edge copy_edge(Build *b, uint32_t k, uint32_t to, const Edge *e) {
    Refs args = {0};
    const Refs *params = &b->fn->blocks.at[block_at(b, to)].params;
    for (uint32_t i = 0; i < params->n; i++)
        if (b->p->merges[to] ? strip_has(b->p, params->at[i]) : params->at[i] == b->p->counter)
            vec_push(b->cx, &args, to == 0 ? next_count(b, k, e->args[i]) : copy_of(b, e->args[i]));
    if (b->npreds[to] > 1 || to == 0)
        vec_push(b->cx, &args, b->fault[k]);
    else
        b->fault[to] = b->fault[k];
    return ir_edge(b->cx, b->copy[to], args.n, args.at);
}

/* Does a pass go on? */
static Ref add_more(Build *b, BlockId header, Ref count) {
    b->fn->blocks.at[header].lanes = is_short(b);
    Ref end = is_short(b) ? add_int(b, header, TY_I(64), b->p->size) : b->end;
    return add_bool_op(b, header, OP_LT, count, end);
}

static void copy_term(Build *b, uint32_t k) {
    Term t = b->fn->blocks.at[block_at(b, k)].term;
    Edge to[2];
    for (uint32_t s = 0; s < ways_out(b, k); s++)
        to[s] = copy_edge(b, k, way_out(b, k, s), &t.succ[s]);
    if (k == 0) { /* the header */
        Ref more = add_more(b, b->copy[0], is_short(b) ? b->lane : copy_of(b, b->p->counter));
        ir_branch(b->cx, b->fn, b->copy[0], more, to[0], ir_edge(b->cx, b->look, 0, NULL), t.span);
    } else if (ways_out(b, k) == 2) {
        ir_branch(b->cx, b->fn, b->copy[k], copy_of(b, t.arg), to[0], to[1], t.span);
    } else {
        ir_jump(b->cx, b->fn, b->copy[k], to[0].to, to[0].n, to[0].args);
    }
}

static void build_first(Build *b) {
    StripPlan *p = b->p;
    uint32_t n = p->loop->nblocks;
    b->copy = NEWN(b->cx, BlockId, n);
    b->npreds = NEWN(b->cx, uint32_t, n);
    b->fault = NEWN(b->cx, Ref, n);
    b->fault_ty = find_fault_type(b);
    make_blocks(b);
    for (uint32_t k = 0; k < n; k++) {
        if (b->copy[k] == NO_BLOCK) continue;
        make_params(b, k);
        if (k == 0 &&
            !is_short(b)) { /* what counts up stands in the latch, perhaps for nobody else */
            Ref next =
                p->fn->blocks.at[p->loop->latch].term.succ[0].args[ir_at(b->fn, p->counter)->imm];
            map_set(b->cx, &p->first, next, 1);
            Ref one = ir_at(b->fn, next)->args[1];
            if (strip_at(p, ir_at(b->fn, one)->block)) map_set(b->cx, &p->first, one, 1);
        }
        copy_block(b, k);
        copy_term(b, k);
    }
}

/* --- the second pass -------------------------------------------------------------------------- */

static void drop_checks(Build *b, const Map *refs) {
    for (uint32_t k = 0; k < b->p->checks.n; k++)
        ir_kill(b->fn, (Ref)map_get(refs, b->p->checks.at[k], 0));
}

static void mark_divisions(Build *b, const Map *refs) {
    for (uint32_t k = 0; k < b->p->divisions.n; k++)
        ir_at(b->fn, (Ref)map_get(refs, b->p->divisions.at[k], 0))->imm = 1;
}

/* A subscript is what was written: the first pass has seen that it is not negative. */
static void drop_wraps(Build *b, const Map *refs, Subst *sub) {
    for (uint32_t k = 0; k < b->p->checks.n; k++) {
        const Ins *c = ir_at(b->fn, b->p->checks.at[k]);
        Ref wrap = (Ref)map_get(refs, c->args[0], 0);
        if (c->op != OP_CHECK_INDEX || !map_get(&b->p->wraps, c->args[0], 0)) continue;
        if (!wrap || ir_at(b->fn, wrap)->op != OP_WRAP) continue;
        subst_set(b->cx, sub, wrap, ir_at(b->fn, wrap)->args[0]);
        ir_kill(b->fn, wrap);
    }
}

/* Values in buffers are read where they were computed. */
static void read_saved(Build *b, const Map *refs, Subst *sub) {
    Ref counter = (Ref)map_get(refs, b->p->counter, 0);
    for (uint32_t n = 0; n < b->p->saved.n; n++) {
        Ref old = (Ref)map_get(refs, b->p->saved.at[n], 0);
        BlockId to = ir_at(b->fn, old)->block;
        Refs *list = &b->fn->blocks.at[to].ins;
        uint32_t at = 0, first = list->n;
        while (list->at[at] != old) at++;
        Ref place = buffer_place(b, to, n, counter);
        Ref read = add(b, to, OP_LOAD, ir_at(b->fn, old)->ty, 1, &place);
        list = &b->fn->blocks.at[to].ins;
        uint32_t made = list->n - first; /* from the end of the block to where it belongs */
        Ref *moved = NEWN(b->cx, Ref, made);
        memcpy(moved, list->at + first, made * sizeof(Ref));
        memmove(list->at + at + made, list->at + at, (first - at) * sizeof(Ref));
        memcpy(list->at + at, moved, made * sizeof(Ref));
        subst_set(b->cx, sub, old, read);
        ir_kill(b->fn, old);
    }
}

/* Short strips: the second pass counts from 0 as well. First its counter is told apart from that ... */
static Ref add_counter(Build *b, Ref lane, Subst *sub) {
    Ref counter = ir_insert(b->cx, b->fn, b->second, 0, OP_ADD, TY_I(64), (Span){0}, 2,
                            (Ref[]){b->start, b->start});
    subst_set(b->cx, sub, lane, counter);
    return counter;
}

/* ... then, when all uses are of the counter, it is made of it. */
static void count_lanes(Build *b, Ref counter, Ref lane, BlockId latch) {
    Ref one = add_int(b, latch, TY_I(64), 1);
    Ref next = add(b, latch, OP_ADD, TY_I(64), 2, (Ref[]){lane, one});
    ir_at(b->fn, counter)->args[1] = lane;
    b->fn->blocks.at[latch].term.succ[0].args[ir_at(b->fn, lane)->imm] = next;
}

/* What the second pass starts with, or leaves with: all as the strip has it but the counter. */
static Edge edge_with(Build *b, BlockId to, const Refs *params, Ref counter) {
    Ref *args = NEWN(b->cx, Ref, params->n);
    memcpy(args, params->at, params->n * sizeof(Ref));
    args[ir_at(b->fn, b->p->counter)->imm] = counter;
    return ir_edge(b->cx, to, params->n, args);
}

static void build_second(Build *b) {
    StripPlan *p = b->p;
    Fn *fn = b->fn;
    Map refs = {0}, ids = {0};
    Subst sub = {0};
    ir_clone(b->cx, fn, fn, p->loop->blocks, p->loop->nblocks, &refs, &ids);
    drop_checks(b, &refs);
    mark_divisions(b, &refs);
    drop_wraps(b, &refs, &sub);
    read_saved(b, &refs, &sub);
    b->second = (BlockId)map_get(&ids, p->loop->header, 0);
    Ref count = (Ref)map_get(&refs, p->counter, 0);
    Ref counter = is_short(b) ? add_counter(b, count, &sub) : count;
    for (uint32_t k = 0; k < p->loop->nblocks; k++) {
        BlockId id = (BlockId)map_get(&ids, block_at(b, k), 0);
        subst_block(fn, &sub, id);
        fn->blocks.at[id].handler = (Edge){.to = NO_BLOCK};
    }
    if (is_short(b)) count_lanes(b, counter, count, (BlockId)map_get(&ids, p->loop->latch, 0));
    Ref more = add_more(b, b->second, count);
    Block *header = &fn->blocks.at[b->second];
    header->term.arg = more;
    header->term.succ[1] = edge_with(b, b->strip, &header->params, is_short(b) ? b->end : counter);
}

/* --- around them ------------------------------------------------------------------------------ */

static uint32_t first_after_args(const Fn *fn) {
    uint32_t i = 0;
    while (i < fn->blocks.at[0].ins.n && ir_at(fn, fn->blocks.at[0].ins.at[i])->op == OP_ARG) i++;
    return i;
}

static void make_buffers(Build *b) {
    b->buffers = NEWN(b->cx, Ref, b->p->saved.n + 1);
    for (uint32_t n = 0; n < b->p->saved.n; n++) {
        Ref r = ir_insert(b->cx, b->fn, 0, first_after_args(b->fn), OP_STACK, TY_OF(TY_PTR),
                          (Span){0}, 0, NULL);
        ir_at(b->fn, r)->imm = b->p->size * (int64_t)ir_at(b->fn, b->p->saved.at[n])->ty->size;
        b->buffers[n] = r;
    }
}

/* How many iterations this strip has. Whole vectors, so that the passes need no code for what is left
 * over; in a form that shows the back end that it is so: 8 + (min(left - 8, 56) & 56). */
static Ref add_size(Build *b) {
    Type *i64 = TY_I(64);
    if (is_short(b)) return add_int(b, b->size, i64, STRIP_SHORT);
    Ref few = add_int(b, b->size, i64, FEW), most = add_int(b, b->size, i64, STRIP - FEW);
    Ref n = add(b, b->size, OP_SUB, i64, 2, (Ref[]){b->p->limit, b->start});
    n = add(b, b->size, OP_SUB, i64, 2, (Ref[]){n, few});
    Ref less = add_bool_op(b, b->size, OP_LT, n, most);
    n = add(b, b->size, OP_SELECT, i64, 3, (Ref[]){less, n, most});
    n = add(b, b->size, OP_AND, i64, 2, (Ref[]){n, most});
    return add(b, b->size, OP_ADD, i64, 2, (Ref[]){n, few});
}

/* strip: enough left? size: where this strip ends. */
static void build_head(Build *b) {
    Type *i64 = TY_I(64);
    const StripPlan *p = b->p;
    BlockId header = p->loop->header;
    for (uint32_t i = 0; i < b->fn->blocks.at[header].params.n; i++) {
        Ref r = b->fn->blocks.at[header].params.at[i];
        Ref made = ir_add_param(b->cx, b->fn, b->strip, ir_at(b->fn, r)->ty);
        if (r == p->counter) b->start = made;
    }
    const Refs *params = &b->fn->blocks.at[b->strip].params;
    /* A counter below this has so many more iterations to go. (No difference of counter and limit tells: it may
     * wrap around.) */
    int64_t least = is_short(b) ? STRIP_SHORT : FEW;
    Ref last = opt_sub_far(b->cx, b->fn, p->loop->preheader, p->limit, least - 1);
    Ref enough = add_bool_op(b, b->strip, OP_LT, b->start, last);
    ir_branch(b->cx, b->fn, b->strip, enough, ir_edge(b->cx, b->size, 0, NULL),
              ir_edge(b->cx, header, params->n, params->at), (Span){0});
    b->end = add(b, b->size, OP_ADD, i64, 2, (Ref[]){b->start, add_size(b)});
}

static void connect(Build *b) {
    Fn *fn = b->fn;
    const Loop *l = b->p->loop;
    Ref none = add_int(b, b->size, b->fault_ty, 0);
    Ref start = is_short(b) ? add_int(b, b->size, TY_I(64), 0) : b->start;
    ir_jump(b->cx, fn, b->size, b->copy[0], 2, (Ref[]){start, none});
    const Refs *params = &fn->blocks.at[b->strip].params;
    Ref fault = fn->blocks.at[b->copy[0]].params.at[1];
    fault = add_bool_op(b, b->look, OP_NE, fault, add_int(b, b->look, b->fault_ty, 0));
    ir_branch(b->cx, fn, b->look, fault, ir_edge(b->cx, l->header, params->n, params->at),
              edge_with(b, b->second, params, start), (Span){0});
    fn->blocks.at[l->header].rest = true;
    Edge in = fn->blocks.at[l->preheader].term.succ[0];
    Ref ok = strip_ask_overlaps(b->p, l->preheader);
    if (ok)
        ir_branch(b->cx, fn, l->preheader, ok, ir_edge(b->cx, b->strip, in.n, in.args), in,
                  (Span){0});
    else
        ir_jump(b->cx, fn, l->preheader, b->strip, in.n, in.args);
}

void strip_build(StripPlan *p) {
    Build b = {.p = p, .cx = p->cx, .fn = p->fn};
    b.strip = ir_new_block(p->cx, p->fn, "strip");
    b.size = ir_new_block(p->cx, p->fn, "strip.size");
    b.look = ir_new_block(p->cx, p->fn, "strip.look");
    build_head(&b);
    make_buffers(&b);
    build_first(&b);
    build_second(&b);
    connect(&b);
}
