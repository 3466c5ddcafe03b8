/* Builds the loops over blocks and threads that simt_split decided on.
 *
 *     entry: arguments, constants, shared memory, memory of the threads
 *     for each block of the launch (three loops):
 *         region 0:  what is uniform in it, once
 *                    loops over the threads: bring in what comes from other regions; the rest
 *         region 1 ...
 *
 * A region is a block that all threads run together (its root) with the blocks behind it in which they are
 * apart. Behind the loops over threads stands the root's own branch, which is uniform, or the jump to where
 * the threads meet again. */
#include "opt/simt_emit.h"

#include "base/diag.h"
#include "ir/math.h"
#include "ir/rt.h"

/* --- new instructions ------------------------------------------------------------------------- */

Ref simt_add(Emit *e, Op op, Type *ty, uint32_t n, const Ref *args) {
    return ir_add(e->cx, e->to, e->b, op, ty, e->span, n, args);
}

static Ref add2(Emit *e, Op op, Ref a, Ref b) {
    bool order = op == OP_LT || op == OP_LE;
    return simt_add(e, op, order ? TY_OF(TY_BOOL) : TY_I(64), 2, (Ref[]){a, b});
}

/* Constants stand in the entry. */
Ref simt_int(Emit *e, int64_t k) {
    return ir_const(e->cx, e->to, 0, ir_const_int(e->cx, TY_I(64), k), (Span){0});
}

static Ref add_sreg(Emit *e, BlockId b, SregKind kind, uint32_t axis) {
    Ref r = ir_add(e->cx, e->to, b, OP_SREG, TY_I(64), (Span){0}, 0, NULL);
    ir_at(e->to, r)->sub = (uint16_t)kind;
    ir_at(e->to, r)->imm = axis;
    return r;
}

/* Threads of a block along an axis. */
Ref simt_dim(Emit *e, uint32_t axis) {
    uint32_t dim = e->fn->block_dim[axis];
    if (dim != ANY_DIM) return simt_int(e, dim);
    if (!e->dims[axis]) e->dims[axis] = add_sreg(e, 0, SREG_NTID, axis);
    return e->dims[axis];
}

static BlockId new_block(Emit *e, const char *label) { return ir_new_block(e->cx, e->to, label); }

/* The new value for an old one that is there already. */
Ref simt_value(Emit *e, Ref v) {
    const Ins *i = ir_at(e->fn, v);
    if (!e->same[v] && i->op == OP_CONST) e->same[v] = ir_const(e->cx, e->to, 0, i->k, i->span);
    Ref r = simt_varies(e, v) ? e->lane[v] : e->same[v];
    if (!r) INTERNAL(e->cx, i->span, cx_printf(e->cx, "%%%u of the kernel is not there yet", v));
    return r;
}

static void set_lane(Emit *e, Ref v, Ref made) {
    e->lane[v] = made;
    vec_push(e->cx, &e->lane_set, v);
}

/* A copy of the old instruction v in block b, with the new operands. */
static Ref copy_ins(Emit *e, BlockId b, Ref v) {
    Ins i = *ir_at(e->fn, v);
    Ref *args = NEWN(e->cx, Ref, i.nargs + 1u);
    for (uint32_t k = 0; k < i.nargs; k++) args[k] = simt_value(e, i.args[k]);
    Ref made = ir_add(e->cx, e->to, b, (Op)i.op, i.ty, i.span, i.nargs, args);
    i.args = ir_at(e->to, made)->args;
    i.block = b;
    *ir_at(e->to, made) = i;
    return made;
}

/* --- what a thread brings in and leaves ------------------------------------------------------- */

/* Position of the thread among those of the block, the lanes next to each other. */
Ref simt_thread_position(Emit *e) {
    if (e->thread) return e->thread;
    for (uint32_t k = AXES; k-- > 0;) {
        uint32_t axis = e->axes[k], dim = e->fn->block_dim[axis];
        if (dim == 1) continue;
        Ref before = e->thread ? add2(e, OP_MUL, e->thread, simt_dim(e, axis)) : 0;
        e->thread = before ? add2(e, OP_ADD, before, e->tid[axis]) : e->tid[axis];
    }
    return e->thread = e->thread ? e->thread : simt_int(e, 0);
}

/* The thread's place in the memory of v. */
static Ref place_of(Emit *e, Ref v) {
    Ref bytes = add2(e, OP_MUL, simt_thread_position(e), simt_int(e, simt_place_size(e, v)));
    return simt_add(e, OP_OFFSET, TY_OF(TY_PTR), 2, (Ref[]){e->stack[simt_leader_of(e, v)], bytes});
}

static void store_place(Emit *e, Ref v, Ref what) {
    simt_add(e, OP_STORE, TY_OF(TY_NONE), 2, (Ref[]){place_of(e, v), what});
}

/* Makes the old value v available in the region, which does not make it itself. */
void simt_bring_in(Emit *e, Region *r, Ref v) {
    if (!simt_varies(e, v) || e->lane[v] || simt_is_made_in(e, r, v)) return;
    const Ins *i = ir_at(e->fn, v);
    if (simt_is_tid(e, v)) {
        set_lane(e, v, e->tid[i->imm]);
    } else if (e->leader[v] && i->op == OP_STACK) {
        set_lane(e, v, place_of(e, v));
    } else if (e->leader[v]) {
        set_lane(e, v, simt_add(e, OP_LOAD, i->ty, 1, (Ref[]){place_of(e, v)}));
    } else {
        for (uint32_t k = 0; k < i->nargs; k++) simt_bring_in(e, r, i->args[k]);
        set_lane(e, v, copy_ins(e, e->b, v));
    }
}

/* Is the value where the parameter will be looked for? */
static bool is_kept(const Emit *e, Ref arg, Ref param) {
    return simt_varies(e, arg) && e->leader[arg] &&
           simt_leader_of(e, arg) == simt_leader_of(e, param);
}

static void bring_in_passed(Emit *e, Region *r, Ref arg, Ref param) {
    if (!is_kept(e, arg, param)) simt_bring_in(e, r, arg);
}

static void leave_passed(Emit *e, Region *r, Ref arg, Ref param) {
    (void)r;
    if (!is_kept(e, arg, param)) store_place(e, param, simt_value(e, arg));
}

/* Stores what this region made and others read. */
static void leave_values(Emit *e, Region *r) {
    for (uint32_t k = 0; k < e->crossing.n; k++) {
        Ref v = e->crossing.at[k];
        if (simt_is_made_in(e, r, v) && ir_at(e->fn, v)->op != OP_STACK)
            store_place(e, v, simt_value(e, v));
    }
}

static bool leaves_values(Emit *e, Region *r) {
    for (uint32_t k = 0; k < e->crossing.n; k++)
        if (simt_is_made_in(e, r, e->crossing.at[k])) return true;
    return false;
}

/* --- loops over threads ----------------------------------------------------------------------- */

static Ref open_loop(Emit *e, LaneLoop *loop, const char *label, Ref first, Ref end) {
    BlockId header = new_block(e, label), body = new_block(e, "body");
    loop->header = header;
    loop->exit = new_block(e, "done");
    ir_jump(e->cx, e->to, e->b, header, 1, &first);
    loop->counter = ir_add_param(e->cx, e->to, header, TY_I(64));
    e->b = header;
    Ref more = add2(e, OP_LT, loop->counter, end);
    ir_branch(e->cx, e->to, header, more, ir_edge(e->cx, body, 0, NULL),
              ir_edge(e->cx, loop->exit, 0, NULL), e->span);
    e->b = body;
    return loop->counter;
}

static void close_loop(Emit *e, const LaneLoop *loop) {
    Ref next = add2(e, OP_ADD, loop->counter, simt_int(e, 1));
    ir_jump(e->cx, e->to, e->b, loop->header, 1, &next);
    e->b = loop->exit;
}

static Ref first_of(Emit *e, uint32_t level, uint32_t axis) {
    if (e->first[axis]) return e->first[axis];
    return e->firsts[level][axis] ? e->firsts[level][axis] : simt_int(e, 0);
}

/* From the outermost axis to the lanes; returns how many loops there are. */
uint32_t simt_open_lanes(Emit *e, uint32_t level, LaneLoop loops[AXES]) {
    static const char *const labels[AXES] = {"threads.x", "threads.y", "threads.z"};
    uint32_t n = 0;
    e->thread = 0;
    for (uint32_t k = AXES; k-- > 0;) {
        uint32_t axis = e->axes[k], dim = e->fn->block_dim[axis];
        Ref end = e->limits[level][axis];
        if (dim == 1) {
            e->tid[axis] = simt_int(e, 0);
            continue;
        }
        e->tid[axis] = open_loop(e, &loops[n], labels[axis], first_of(e, level, axis),
                                 end ? end : simt_dim(e, axis));
        e->to->blocks.at[loops[n].header].axis = (uint8_t)(1 + axis);
        e->to->blocks.at[loops[n++].header].lanes = true;
    }
    return n;
}

void simt_close_lanes(Emit *e, LaneLoop loops[AXES], uint32_t n) {
    while (n-- > 0) close_loop(e, &loops[n]);
    for (uint32_t k = 0; k < e->lane_set.n; k++) e->lane[e->lane_set.at[k]] = 0;
    e->lane_set.n = 0;
}

Ref simt_limit(Emit *e, uint32_t level, uint32_t axis) {
    Ref limit = e->limits[level][axis];
    return limit ? limit : simt_dim(e, axis);
}

/* --- threads apart ---------------------------------------------------------------------------- */

/* An edge inside the region, or to the end of the thread's turn. */
static Edge lane_edge(Emit *e, const Edge *edge) {
    if (!simt_is_apart(e, edge->to)) return ir_edge(e->cx, e->lane_next, 0, NULL);
    Ref *args = NEWN(e->cx, Ref, edge->n + 1);
    for (uint32_t k = 0; k < edge->n; k++) args[k] = simt_value(e, edge->args[k]);
    return ir_edge(e->cx, e->start[edge->to], edge->n, args);
}

/* What raises is in no loop any more when code is made, and other passes may lead there from several: the exception is
 * told now which thread it was. */
static void emit_raise(Emit *e, const Term *t, bool by_thread) {
    Ref at[2 * AXES];
    for (uint32_t axis = 0; axis < AXES; axis++) {
        at[axis] = e->blocks[axis];
        at[AXES + axis] = by_thread ? e->tid[axis] : simt_int(e, 0);
    }
    Ref place = simt_add(e, OP_MAKE, ty_int_tuple(2 * AXES), 2 * AXES, at);
    Ref call = simt_add(e, OP_CALL_RT, TY_OF(TY_NONE), 1, &place);
    ir_at(e->to, call)->rt = rt_find("ws_simt_place");
    ir_raise(e->to, e->b, t->arg ? simt_value(e, t->arg) : 0, 0, t->span);
    e->to->blocks.at[e->b].term.origin = t->origin;
}

static void emit_lane_term(Emit *e, Region *r, BlockId b) {
    const Term *t = &e->fn->blocks.at[b].term;
    Edge edge;
    switch ((TermKind)t->kind) {
    case TERM_JUMP:
        simt_visit_passes_of(e, r, b, leave_passed);
        edge = lane_edge(e, &t->succ[0]);
        ir_jump(e->cx, e->to, e->b, edge.to, edge.n, edge.args);
        return;
    case TERM_BRANCH:
        edge = lane_edge(e, &t->succ[0]);
        ir_branch(e->cx, e->to, e->b, simt_value(e, t->arg), edge, lane_edge(e, &t->succ[1]),
                  t->span);
        return;
    case TERM_RETURN: ir_jump(e->cx, e->to, e->b, e->lane_next, 0, NULL); return;
    case TERM_RAISE: emit_raise(e, t, true); return;
    case TERM_UNREACHABLE:
    case TERM_NONE: e->to->blocks.at[e->b].term.kind = TERM_UNREACHABLE; return;
    }
}

static void emit_lane_ins(Emit *e, BlockId b) {
    const Refs *ins = &e->fn->blocks.at[b].ins;
    for (uint32_t k = 0; k < ins->n; k++) {
        Ref v = ins->at[k];
        if (!simt_varies(e, v) || ir_at(e->fn, v)->op == OP_NOP) continue;
        const Ins *i = ir_at(e->fn, v);
        Ref made = simt_is_tid(e, v)                   ? e->tid[i->imm]
                   : i->op == OP_STACK && e->leader[v] ? place_of(e, v)
                                                       : copy_ins(e, e->b, v);
        set_lane(e, v, made);
    }
}

static void make_apart_blocks(Emit *e, Region *r) {
    for (uint32_t k = 0; k < r->apart.n; k++) {
        BlockId b = r->apart.at[k];
        const Refs *params = &e->fn->blocks.at[b].params;
        e->start[b] = new_block(e, e->fn->blocks.at[b].label);
        for (uint32_t p = 0; p < params->n; p++)
            set_lane(e, params->at[p],
                     ir_add_param(e->cx, e->to, e->start[b], ir_at(e->fn, params->at[p])->ty));
    }
}

/* One thread's turn in the region. */
static void emit_turn(Emit *e, Region *r) {
    e->lane_next = new_block(e, "turn");
    simt_visit_reads(e, r, simt_bring_in);
    simt_visit_passes(e, r, bring_in_passed);
    simt_thread_position(e);
    make_apart_blocks(e, r);
    emit_lane_ins(e, r->root);
    if (r->apart.n) {
        emit_lane_term(e, r, r->root);
    } else {
        simt_visit_passes_of(e, r, r->root, leave_passed);
        ir_jump(e->cx, e->to, e->b, e->lane_next, 0, NULL);
    }
    for (uint32_t k = 0; k < r->apart.n; k++) {
        e->b = e->start[r->apart.at[k]];
        emit_lane_ins(e, r->apart.at[k]);
        emit_lane_term(e, r, r->apart.at[k]);
    }
    e->b = e->lane_next;
    leave_values(e, r);
}

/* --- regions, emitted ------------------------------------------------------------------------- */

static bool does_something(Emit *e, Ref v) {
    const Ins *i = ir_at(e->fn, v);
    return simt_varies(e, v) && !opt_is_pure(e->fn, v) && i->op != OP_LOAD && i->op != OP_STACK;
}

static void note_pass(Emit *e, Region *r, Ref arg, Ref param) {
    (void)r;
    if (!is_kept(e, arg, param)) e->passes = true;
}

/* Do the threads have anything to do in the region? */
static bool has_turn(Emit *e, Region *r) {
    const Refs *ins = &e->fn->blocks.at[r->root].ins;
    if (r->apart.n || leaves_values(e, r)) return true;
    for (uint32_t k = 0; k < ins->n; k++)
        if (does_something(e, ins->at[k])) return true;
    e->passes = false;
    simt_visit_passes(e, r, note_pass);
    return e->passes;
}

static void emit_uniform(Emit *e, BlockId b) {
    const Refs *ins = &e->fn->blocks.at[b].ins;
    for (uint32_t k = 0; k < ins->n; k++) {
        Ref v = ins->at[k];
        const Ins *i = ir_at(e->fn, v);
        if (simt_varies(e, v) || e->same[v]) continue;
        switch ((int)i->op) {
        case OP_NOP:
        case OP_CONST:
        case OP_BARRIER: break;
        case OP_SREG:
            e->same[v] = i->sub == SREG_CTAID ? e->blocks[i->imm] : copy_ins(e, 0, v);
            break;
        case OP_SHARED:
        case OP_GLOBAL: e->same[v] = copy_ins(e, 0, v); break;
        default: e->same[v] = copy_ins(e, e->b, v); break;
        }
    }
}

/* An edge between roots: only values that do not vary travel on it. */
static Edge together_edge(Emit *e, const Edge *edge) {
    const Refs *params = &e->fn->blocks.at[edge->to].params;
    Refs args = {0};
    for (uint32_t k = 0; k < params->n; k++)
        if (!simt_varies(e, params->at[k])) vec_push(e->cx, &args, simt_value(e, edge->args[k]));
    return ir_edge(e->cx, e->start[edge->to], args.n, args.at);
}

static void jump_edge(Emit *e, Edge edge) {
    ir_jump(e->cx, e->to, e->b, edge.to, edge.n, edge.args);
}

/* The sum before the guard's comparison, without the thread's number. */
static Ref emit_base(Emit *e, const Lin *base) {
    Ref sum = simt_int(e, base->c);
    for (uint32_t k = 0; k < base->n; k++) {
        const Term2 *t = &base->t[k];
        Ref x = simt_value(e, t->a);
        if (t->b) x = add2(e, OP_MUL, x, simt_value(e, t->b));
        if (t->k != 1) x = add2(e, OP_MUL, x, simt_int(e, t->k));
        sum = k || base->c ? add2(e, OP_ADD, sum, x) : x;
    }
    return sum;
}

static Ref emit_max(Emit *e, Ref a, Ref b) {
    Ref r = simt_add(e, OP_MATH, TY_I(64), 2, (Ref[]){a, b});
    ir_at(e->to, r)->sub = MATH_MAX;
    return r;
}

static Ref emit_min(Emit *e, Ref a, Ref b) {
    Ref r = simt_add(e, OP_MATH, TY_I(64), 2, (Ref[]){a, b});
    ir_at(e->to, r)->sub = MATH_MIN;
    return r;
}

/* What is behind guard g begins with the limits before it; its level. */
static uint32_t open_level(Emit *e, const SimtGuard *g) {
    uint32_t level = e->level[g->at], inner = (uint32_t)(g - e->s->guards) + 1;
    memcpy(e->limits[inner], e->limits[level], sizeof e->limits[level]);
    memcpy(e->firsts[inner], e->firsts[level], sizeof e->firsts[level]);
    return inner;
}

static void set_limit(Emit *e, const SimtGuard *g, Ref limit) {
    e->limits[open_level(e, g)][g->axis] = limit;
}

/* Threads that pass a guard n < i are those from max(where they began, n - base + 1) on. Numbers beyond what threads
 * have are as good as those: nothing wraps around. */
static void emit_lower_guard(Emit *e, const SimtGuard *g) {
    uint32_t level = e->level[g->at], inner = open_level(e, g);
    Ref base = emit_base(e, &g->base), limit = simt_value(e, g->limit);
    Ref most = add2(e, OP_ADD, base, simt_dim(e, g->axis)); /* both are small */
    Ref near = emit_max(e, emit_min(e, limit, most), simt_int(e, -1));
    Ref first = add2(e, OP_SUB, near, base);
    if (!g->inclusive) first = add2(e, OP_ADD, first, simt_int(e, 1));
    e->firsts[inner][g->axis] = first = emit_max(e, first, first_of(e, level, g->axis));
    Ref some = add2(e, OP_LT, first, simt_limit(e, level, g->axis));
    ir_branch(e->cx, e->to, e->b, some, ir_edge(e->cx, e->start[g->go], 0, NULL),
              ir_edge(e->cx, e->block_next, 0, NULL), e->span);
}

/* Threads that pass the guard are those below min(what there were, limit - base). */
static void emit_guard(Emit *e, const SimtGuard *g) {
    if (g->lower) {
        emit_lower_guard(e, g);
        return;
    }
    Ref base = emit_base(e, &g->base), limit = simt_value(e, g->limit), zero = simt_int(e, 0);
    Ref old = simt_limit(e, e->level[g->at], g->axis);
    Ref some = add2(e, g->inclusive ? OP_LE : OP_LT, base, limit),
        left = add2(e, OP_SUB, limit, base);
    if (g->inclusive)
        left = add2(e, OP_ADD, emit_min(e, left, simt_int(e, 1 << 20)), simt_int(e, 1));
    left = simt_add(e, OP_SELECT, TY_I(64), 3, (Ref[]){some, left, zero});
    left = emit_min(e, left, old); /* `left` first: it says more */
    set_limit(e, g, left);
    some = add2(e, OP_LT, zero, left);
    ir_branch(e->cx, e->to, e->b, some, ir_edge(e->cx, e->start[g->go], 0, NULL),
              ir_edge(e->cx, e->block_next, 0, NULL), e->span);
}

/* Those that are not left pass on, on their way to where all meet, what their block says. */
static void emit_others(Emit *e, const SimtGuard *g, Ref left, Ref zero) {
    LaneLoop loops[AXES];
    Region *r = simt_region_at(e, g->other);
    if (g->other == g->join) return;
    e->passes = false;
    simt_visit_passes_of(e, r, g->other, note_pass);
    if (!e->passes) return;
    e->first[g->axis] = emit_max(e, left, zero);
    uint32_t n = simt_open_lanes(e, e->level[g->at], loops);
    simt_visit_passes_of(e, r, g->other, bring_in_passed);
    simt_thread_position(e);
    simt_visit_passes_of(e, r, g->other, leave_passed);
    simt_close_lanes(e, loops, n);
    e->first[g->axis] = 0;
}

enum { FAR_BITS = 61 };

/* A symbol within +-2**61: sums of a few then do not wrap around. No loop gets there. */
static Ref emit_near(Emit *e, Ref r) {
    const int64_t far = (int64_t)1 << FAR_BITS;
    Range range = affine_range(e->s->af, r);
    Ref x = simt_value(e, r);
    if (range.lo >= -far && range.hi <= far) return x;
    return emit_min(e, emit_max(e, x, simt_int(e, -far)), simt_int(e, far));
}

static Ref emit_left(Emit *e, const Lin *left) {
    Ref sum = simt_int(e, left->c);
    for (uint32_t k = 0; k < left->n; k++) {
        const Term2 *t = &left->t[k];
        Ref x =
            t->b ? add2(e, OP_MUL, simt_value(e, t->a), simt_value(e, t->b)) : emit_near(e, t->a);
        if (t->k == -1) {
            sum = add2(e, OP_SUB, sum, x);
            continue;
        }
        if (t->k != 1) x = add2(e, OP_MUL, x, simt_int(e, t->k));
        sum = add2(e, OP_ADD, sum, x);
    }
    return sum;
}

static void emit_scope(Emit *e, const SimtGuard *g) {
    Ref left = emit_left(e, &g->base), zero = simt_int(e, 0);
    Ref some = add2(e, OP_LT, zero, left);
    set_limit(e, g, emit_min(e, left, simt_limit(e, e->level[g->at], g->axis)));
    if (!g->loop) emit_others(e, g, left, zero);
    ir_branch(e->cx, e->to, e->b, some, ir_edge(e->cx, e->start[g->go], 0, NULL),
              ir_edge(e->cx, e->start[g->join], 0, NULL), e->span);
}

/* What follows the loops over the threads. */
static void emit_together_term(Emit *e, Region *r) {
    const Term *t = &e->fn->blocks.at[r->root].term;
    const SimtGuard *g = simt_guard_at(e->s, r->root);
    e->span = t->span;
    if (g) {
        (g->scoped ? emit_scope : emit_guard)(e, g);
        return;
    }
    switch ((TermKind)t->kind) {
    case TERM_JUMP: jump_edge(e, together_edge(e, &t->succ[0])); return;
    case TERM_BRANCH:
        ir_branch(e->cx, e->to, e->b, simt_value(e, t->arg), together_edge(e, &t->succ[0]),
                  together_edge(e, &t->succ[1]), t->span);
        return;
    case TERM_RETURN: ir_jump(e->cx, e->to, e->b, e->block_next, 0, NULL); return;
    case TERM_RAISE: emit_raise(e, t, false); return;
    case TERM_UNREACHABLE:
    case TERM_NONE: e->to->blocks.at[e->b].term.kind = TERM_UNREACHABLE; return;
    }
}

/* The edge by which the region's threads come to where they meet. */
static const Edge *exit_edge(const Emit *e, const Region *r) {
    for (uint32_t k = 0; k <= r->apart.n; k++) {
        const Term *t = &e->fn->blocks.at[k ? r->apart.at[k - 1] : r->root].term;
        for (int i = 0; i < 2; i++)
            if (t->succ[i].to == r->exit) return &t->succ[i];
    }
    return NULL;
}

static void emit_region(Emit *e, Region *r) {
    LaneLoop loops[AXES];
    e->b = e->start[r->root];
    emit_uniform(e, r->root);
    if (simt_has_collective(e->fn, r->root)) {
        simt_emit_collective(e, r);
    } else if (has_turn(e, r)) {
        uint32_t n = simt_open_lanes(e, e->level[r->root], loops);
        emit_turn(e, r);
        simt_close_lanes(e, loops, n);
    }
    if (!r->apart.n)
        emit_together_term(e, r);
    else if (r->exit == NO_BLOCK)
        ir_jump(e->cx, e->to, e->b, e->block_next, 0, NULL);
    else
        jump_edge(e, together_edge(e, exit_edge(e, r)));
}

/* --- the function ----------------------------------------------------------------------------- */

static void fill_levels(Emit *e) {
    const Cfg *cfg = e->s->cfg;
    for (uint32_t k = 1; k < cfg->nrpo; k++) {
        BlockId b = cfg->rpo[k];
        e->level[b] = e->level[cfg->idom[b]];
        for (uint32_t g = 0; g < e->s->nguards; g++)
            if (e->s->guards[g].go == b) e->level[b] = g + 1;
    }
}

static void open_emit(Emit *e, Simt *s) {
    Fn *fn = s->fn;
    uint32_t nb = fn->blocks.n, ni = fn->ins.n;
    *e = (Emit){.s = s, .cx = s->cx, .fn = fn, .span = fn->span};
    e->region_of = NEWN(s->cx, uint32_t, nb);
    e->level = NEWN(s->cx, uint32_t, nb);
    e->start = NEWN(s->cx, BlockId, nb);
    e->same = NEWN(s->cx, Ref, ni);
    e->lane = NEWN(s->cx, Ref, ni);
    e->leader = NEWN(s->cx, Ref, ni);
    e->stack = NEWN(s->cx, Ref, ni);
    e->axes[0] = s->has_warp ? 0 : simt_lane_axis(s);
    for (uint32_t a = 0, n = 1; a < AXES; a++)
        if (a != e->axes[0]) e->axes[n++] = a;
}

static void open_function(Emit *e) {
    Fn *to = e->to = ir_new_fn(e->cx, e->fn->name, STAGE_LOW);
    ir_new_block(e->cx, to, "entry");
    const Refs *entry = &e->fn->blocks.at[0].ins;
    for (uint32_t k = 0; k < entry->n; k++)
        if (ir_at(e->fn, entry->at[k])->op == OP_ARG)
            e->same[entry->at[k]] = copy_ins(e, 0, entry->at[k]);
}

/* Blocks for the roots, with parameters for what does not vary. */
static void make_roots(Emit *e) {
    for (uint32_t k = 0; k < e->regions.n; k++) {
        BlockId b = e->regions.at[k].root;
        const Refs *params = &e->fn->blocks.at[b].params;
        e->start[b] = new_block(e, e->fn->blocks.at[b].label);
        for (uint32_t p = 0; p < params->n; p++) {
            if (simt_varies(e, params->at[p])) continue;
            Ref made = ir_add_param(e->cx, e->to, e->start[b], ir_at(e->fn, params->at[p])->ty);
            e->same[params->at[p]] = made;
        }
    }
}

static void emit_blocks(Emit *e) {
    static const char *const labels[AXES] = {"blocks.x", "blocks.y", "blocks.z"};
    LaneLoop loops[AXES];
    e->b = 0;
    for (uint32_t k = AXES, n = 0; k-- > 0; n++) {
        uint32_t axis = e->axes[k];
        Ref first = add_sreg(e, 0, SREG_FIRST, axis), end = add_sreg(e, 0, SREG_END, axis);
        e->blocks[axis] = open_loop(e, &loops[n], labels[axis], first, end);
        e->to->blocks.at[loops[n].header].axis = (uint8_t)(4 + axis);
    }
    e->block_next = new_block(e, "block.done");
    make_roots(e);
    ir_jump(e->cx, e->to, e->b, e->start[0], 0, NULL);
    for (uint32_t k = 0; k < e->s->cfg->nrpo; k++) {
        BlockId b = e->s->cfg->rpo[k];
        if (e->region_of[b] && simt_region_at(e, b)->root == b)
            emit_region(e, simt_region_at(e, b));
    }
    e->b = e->block_next;
    for (uint32_t n = AXES; n-- > 0;) close_loop(e, &loops[n]);
    ir_return(e->to, e->b, 0, e->fn->span);
}

bool simt_emit(Simt *s) {
    Emit e;
    open_emit(&e, s);
    if (!simt_find_regions(&e)) return false;
    fill_levels(&e);
    e.live = ir_live(s->cx, s->fn, s->cfg, NULL);
    open_function(&e);
    if (!simt_plan_memory(&e)) return false;
    emit_blocks(&e);
    s->fn->ins = e.to->ins;
    s->fn->blocks = e.to->blocks;
    s->fn->runs_blocks = true;
    s->fn->method = UNIT_BLOCKS;
    return true;
}
