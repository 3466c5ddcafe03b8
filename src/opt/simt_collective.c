/* Barriers and the operations of a warp, where all threads of a block come to them together.
 *
 *     s = shfl(v, lane)          after: for all threads: V[t] = v
 *                                       ws_simt_warp(..., V, lane, S)
 *     ... s ...                         for all threads: ... S[t] ...
 *
 * What a thread gives is stored in the thread's place, the run time looks at all of them at once, and what it leaves is
 * read where it is needed. A barrier without a vote is nothing but the end of the loops before it. */
#include "opt/simt_emit.h"

#include "ir/rt.h"

static Ref no_pointer(Emit *e) {
    return ir_const(e->cx, e->to, 0, ir_const_int(e->cx, TY_OF(TY_PTR), 0), (Span){0});
}

static Ref call(Emit *e, const char *name, Type *ty, uint32_t n, const Ref *args) {
    Ref r = simt_add(e, OP_CALL_RT, ty, n, args);
    ir_at(e->to, r)->rt = rt_find(name);
    return r;
}

/* A loop over the threads that stores operand k of the collective v in their places, which are made. */
static Ref gather(Emit *e, Region *r, Ref v, uint32_t k) {
    Ref x = ir_at(e->fn, v)->args[k];
    const Type *ty = ir_at(e->fn, x)->ty;
    uint32_t size = ty->size ? ty->size : 8;
    Ref places = simt_new_places(e, size);
    LaneLoop loops[AXES];
    uint32_t n = simt_open_lanes(e, e->level[r->root], loops);
    simt_bring_in(e, r, x);
    Ref at = simt_add(e, OP_MUL, TY_I(64), 2, (Ref[]){simt_thread_position(e), simt_int(e, size)});
    Ref place = simt_add(e, OP_OFFSET, TY_OF(TY_PTR), 2, (Ref[]){places, at});
    simt_add(e, OP_STORE, TY_OF(TY_NONE), 2, (Ref[]){place, simt_value(e, x)});
    simt_close_lanes(e, loops, n);
    return places;
}

/* Threads of the block along x, y, z, then those that are left: a tuple. */
static Ref make_extents(Emit *e, Region *r) {
    Ref items[2 * AXES];
    for (uint32_t axis = 0; axis < AXES; axis++) {
        items[axis] = simt_dim(e, axis);
        items[AXES + axis] = simt_limit(e, e->level[r->root], axis);
    }
    return simt_add(e, OP_MAKE, ty_int_tuple(2 * AXES), 2 * AXES, items);
}

static void emit_vote(Emit *e, Region *r, Ref v) {
    Ref values = gather(e, r, v, 0);
    Ref args[] = {simt_int(e, ir_at(e->fn, v)->sub), values, make_extents(e, r)};
    e->same[v] = call(e, "ws_simt_vote", TY_I(64), 3, args);
}

/* An int64 operand: the value, if it is the same for all threads, else places. */
static void add_operand(Emit *e, Region *r, Ref v, uint32_t k, Ref *same, Ref *places) {
    bool there = k < ir_at(e->fn, v)->nargs;
    Ref x = there ? ir_at(e->fn, v)->args[k] : 0;
    bool varies = there && simt_varies(e, x);
    *same = there && !varies ? simt_value(e, x) : simt_int(e, 0);
    *places = varies ? gather(e, r, v, k) : no_pointer(e);
}

static void emit_warp(Emit *e, Region *r, Ref v) {
    Ref same[2], args[7];
    args[0] = simt_int(e, simt_warp_code(e->fn, v));
    add_operand(e, r, v, 0, &same[0], &args[2]);
    args[3] = ir_at(e->fn, v)->nargs > 1 ? gather(e, r, v, 1) : no_pointer(e);
    add_operand(e, r, v, 2, &same[1], &args[4]);
    args[5] =
        e->leader[v] ? e->stack[simt_leader_of(e, v)] : simt_new_places(e, simt_place_size(e, v));
    args[1] = simt_add(e, OP_MAKE, ty_int_tuple(2), 2, same);
    args[6] = make_extents(e, r);
    call(e, "ws_simt_warp", TY_OF(TY_NONE), 7, args);
}

void simt_emit_collective(Emit *e, Region *r) {
    Ref v = e->fn->blocks.at[r->root].ins.at[0];
    const Ins *i = ir_at(e->fn, v);
    e->span = i->span;
    if (i->op == OP_BARRIER && i->nargs) emit_vote(e, r, v);
    if (i->op == OP_WARP && i->sub != WARP_SYNC) emit_warp(e, r, v);
}
