/* Reductions of a tree to one number, without an array between.
 *
 * Sums of floats go through a block of 128 elements on the stack: filled by a loop that vectorizes, then halved by adding
 * its second half to its first (what is left over at the end is summed by the runtime, in NumPy's order). The sums of
 * the blocks are added with their rounding errors carried along (Neumaier): at least as accurate as pairwise summation.
 *
 * The least and largest float are found among integers of the same order, which vectorizes; a NaN is beyond all. That is
 * better than the prelude's loop also where the array is there already. */
#include <math.h>
#include <string.h>

#include "builtins/elementwise.h"

enum { BLOCK = 128, MAX_STATE = 4 };

typedef struct Walk {
    ReduceFn fn;
    Node *tree;
    Type *acc;      /* what is accumulated */
    uint32_t rank, nstate;
    const Ref *shape;
    Ref index[MAX_RANK];
    Ref block;      /* sums of floats: memory for BLOCK elements */
} Walk;

static bool is_float_sum(const Walk *w) {
    return (w->fn == REDUCE_SUM || w->fn == REDUCE_MEAN) && w->acc->kind == TY_FLOAT;
}

static Ref element(Lower *lo, Walk *w) { return node_element(lo, w->tree, w->index); }

/* --- one element ----------------------------------------------------------------------------------------------- */

/* Is v better than the best so far? A NaN is the best of all. */
static Ref is_better(Lower *lo, bool max, Ref v, Ref best) {
    Ref better = lo_cmp(lo, max ? OP_GT : OP_LT, v, best);
    return lo_type(lo, v)->kind == TY_FLOAT ? lo_or(lo, better, lo_math1(lo, MATH_ISNAN, v))
                                            : better;
}

/* The bits of a float as an integer of the same order, and back: those of negative numbers are turned round. */
static Ref order_bits(Lower *lo, Ref bits) {
    Type *ty = lo_type(lo, bits);
    Ref turned = lo_const(lo, ir_const_int(lo->cx, ty, INT64_MAX >> (64 - ty->bits)));
    Ref below = lo_cmp(lo, OP_LT, bits, lo_number(lo, ty, 0));
    return lo_select(lo, below, lo_op2(lo, OP_XOR, bits, turned), bits);
}

/* The worst value there is, for the first element to be better. */
static Ref worst(Lower *lo, Type *ty, bool max) {
    if (ty->kind == TY_FLOAT) ty = TY_I(ty->bits);
    if (ty->kind == TY_BOOL) return lo_bool(lo, !max);
    uint64_t top = ty->is_signed ? UINT64_MAX >> (65 - ty->bits) : UINT64_MAX >> (64 - ty->bits);
    int64_t low = ty->is_signed ? -(int64_t)top - 1 : 0;
    return lo_const(lo, ir_const_int(lo->cx, ty, max ? low : (int64_t)top));
}

/* State: the best; of floats its order_bits. A NaN is the utmost number, whose bits are those of a NaN both as the
 * greatest and as the least one. */
static void step_pick(Lower *lo, Walk *w, const Ref *state, Ref *next) {
    Ref v = element_as(lo, element(lo, w), w->acc);
    bool max = w->fn == REDUCE_MAX;
    if (w->acc->kind == TY_BOOL) {
        next[0] = max ? lo_or(lo, state[0], v) : lo_and(lo, state[0], v);
        return;
    }
    if (w->acc->kind == TY_FLOAT) {
        Ref is_nan = lo_math1(lo, MATH_ISNAN, v);
        v = order_bits(lo, lo_op1(lo, OP_BITCAST, lo_type(lo, state[0]), v));
        v = lo_select(lo, is_nan, worst(lo, w->acc, !max), v);
    }
    next[0] = lo_math2(lo, max ? MATH_MAX : MATH_MIN, state[0], v);
}

static Ref finish_pick(Lower *lo, const Walk *w, const Ref *state) {
    if (w->acc->kind != TY_FLOAT) return state[0];
    return lo_op1(lo, OP_BITCAST, w->acc, order_bits(lo, state[0]));
}

/* State: the best, its place, the place of this element. */
static void step_place(Lower *lo, Walk *w, const Ref *state, Ref *next) {
    Ref v = element_as(lo, element(lo, w), w->acc), best = state[0];
    Ref first = lo_cmp(lo, OP_LT, state[1], lo_int(lo, 0));
    Ref better = is_better(lo, w->fn == REDUCE_ARGMAX, v, best);
    if (w->acc->kind == TY_FLOAT)
        better = lo_and(lo, better, lo_not(lo, lo_math1(lo, MATH_ISNAN, best)));
    better = lo_or(lo, first, better);
    next[0] = lo_select(lo, better, v, best);
    next[1] = lo_select(lo, better, state[2], state[1]);
    next[2] = lo_op2(lo, OP_ADD, state[2], lo_int(lo, 1));
}

static void step(Lower *lo, Walk *w, const Ref *state, Ref *next) {
    Ref v;
    switch (w->fn) {
    case REDUCE_SUM:
    case REDUCE_MEAN:
    case REDUCE_PROD:
        v = lo_convert(lo, element(lo, w), w->acc);
        next[0] = lo_op2(lo, w->fn == REDUCE_PROD ? OP_MUL : OP_ADD, state[0], v);
        return;
    case REDUCE_ANY: next[0] = lo_or(lo, state[0], lo_truth(lo, element(lo, w))); return;
    case REDUCE_ALL: next[0] = lo_and(lo, state[0], lo_truth(lo, element(lo, w))); return;
    case REDUCE_COUNT:
        v = lo_convert(lo, lo_truth(lo, element(lo, w)), TY_I(64));
        next[0] = lo_op2(lo, OP_ADD, state[0], v);
        return;
    case REDUCE_MIN:
    case REDUCE_MAX: step_pick(lo, w, state, next); return;
    case REDUCE_ARGMIN:
    case REDUCE_ARGMAX: step_place(lo, w, state, next); return;
    }
}

/* --- blocks of floats -------------------------------------------------------------------------------------------- */

static Ref block_address(Lower *lo, const Walk *w, Ref i) {
    Ref bytes = lo_op2(lo, OP_MUL, i, lo_int(lo, w->acc->size));
    return lo_op(lo, OP_OFFSET, TY_OF(TY_PTR), 2, (Ref[]){w->block, bytes});
}

/* State: the sum, and what rounding has lost of it. Infinite sums have no error: it would be NaN. */
static void add_exactly(Lower *lo, Ref v, const Ref *state, Ref *next) {
    Ref s = state[0], sum = lo_op2(lo, OP_ADD, s, v);
    Ref large = lo_cmp(lo, OP_GE, lo_math1(lo, MATH_FABS, s), lo_math1(lo, MATH_FABS, v));
    Ref more = lo_select(lo, large, s, v), less = lo_select(lo, large, v, s);
    Ref lost = lo_op2(lo, OP_ADD, lo_op2(lo, OP_SUB, more, sum), less);
    next[0] = sum;
    next[1] = lo_op2(lo, OP_ADD, state[1], lost);
}

static Ref load_block(Lower *lo, const Walk *w, Ref i) {
    return lo_load(lo, w->acc, block_address(lo, w, i), false);
}

/* m elements from `from` on. */
static void fill_block(Lower *lo, Walk *w, uint32_t axis, Ref from, Ref m) {
    LoopBuild loop;
    lo_loop(lo, &loop, m, 0, NULL);
    w->index[axis] = lo_op2(lo, OP_ADD, from, loop.i);
    lo_store(lo, block_address(lo, w, loop.i), lo_convert(lo, element(lo, w), w->acc), false);
    lo_loop_end(lo, &loop, NULL);
}

/* The sum of a full block. */
static Ref halve_block(Lower *lo, Walk *w) {
    enum { FEW = 8 };
    for (int64_t half = BLOCK / 2; half >= FEW; half /= 2) {
        LoopBuild loop;
        lo_loop(lo, &loop, lo_int(lo, half), 0, NULL);
        Ref other = lo_op2(lo, OP_ADD, loop.i, lo_int(lo, half));
        Ref sum = lo_op2(lo, OP_ADD, load_block(lo, w, loop.i), load_block(lo, w, other));
        lo_store(lo, block_address(lo, w, loop.i), sum, false);
        lo_loop_end(lo, &loop, NULL);
    }
    Ref v[FEW];
    for (int i = 0; i < FEW; i++) v[i] = load_block(lo, w, lo_int(lo, i));
    for (int half = FEW / 2; half; half /= 2)
        for (int i = 0; i < half; i++) v[i] = lo_op2(lo, OP_ADD, v[i], v[i + half]);
    return v[0];
}

/* The innermost axis, a block at a time. */
static void sum_blocks(Lower *lo, Walk *w, uint32_t axis, const Ref *state, Ref *out) {
    Ref n = w->shape[axis], size = lo_int(lo, BLOCK), next[MAX_STATE];
    Ref full = lo_op2(lo, OP_FLOORDIV, n, size);
    LoopBuild loop;
    lo_loop(lo, &loop, full, 2, state);
    fill_block(lo, w, axis, lo_op2(lo, OP_MUL, loop.i, size), size);
    add_exactly(lo, halve_block(lo, w), loop.carried, next);
    lo_loop_end(lo, &loop, next);
    Ref from = lo_op2(lo, OP_MUL, full, size), rest = lo_op2(lo, OP_SUB, n, from);
    fill_block(lo, w, axis, from, rest);
    const char *sum = w->acc->bits == 64 ? "ws_sum_f64" : "ws_sum_f32";
    Ref v = lo_rt(lo, sum, w->acc, 3, (Ref[]){w->block, rest, lo_int(lo, w->acc->size)});
    add_exactly(lo, v, loop.carried, out);
}

/* --- all elements ------------------------------------------------------------------------------------------------- */

static void walk(Lower *lo, Walk *w, uint32_t axis, const Ref *state, Ref *out) {
    if (axis == w->rank) {
        step(lo, w, state, out);
        return;
    }
    if (axis + 1 == w->rank && is_float_sum(w)) {
        sum_blocks(lo, w, axis, state, out);
        return;
    }
    LoopBuild loop;
    Ref next[MAX_STATE];
    lo_loop(lo, &loop, w->shape[axis], w->nstate, state);
    w->index[axis] = loop.i;
    walk(lo, w, axis + 1, loop.carried, next);
    lo_loop_end(lo, &loop, next);
    memcpy(out, loop.carried, w->nstate * sizeof(Ref));
}

static void start(Lower *lo, Walk *w, Ref *state) {
    w->nstate = 1;
    switch (w->fn) {
    case REDUCE_SUM:
    case REDUCE_MEAN:
    case REDUCE_COUNT:
    case REDUCE_ANY: state[0] = state[1] = lo_zero(lo, w->acc); break;
    case REDUCE_PROD:
    case REDUCE_ALL: state[0] = lo_number(lo, w->acc, 1); break;
    case REDUCE_MIN:
    case REDUCE_MAX: state[0] = worst(lo, w->acc, w->fn == REDUCE_MAX); break;
    case REDUCE_ARGMIN:
    case REDUCE_ARGMAX:
        w->nstate = 3;
        state[0] = lo_zero(lo, w->acc);
        state[1] = lo_int(lo, -1);
        state[2] = lo_int(lo, 0);
        break;
    }
    if (is_float_sum(w)) w->nstate = 2;
}

/* The sum with its error, unless that is none. */
static Ref finish_sum(Lower *lo, const Walk *w, const Ref *state, Ref size) {
    Ref r = state[0];
    if (w->nstate == 2) {
        Ref whole = lo_op2(lo, OP_ADD, r, state[1]);
        r = lo_select(lo, lo_math1(lo, MATH_ISNAN, whole), r, whole);
    }
    if (w->fn != REDUCE_MEAN) return r;
    return lo_op2(lo, OP_FDIV, r, lo_convert(lo, size, w->acc));
}

static void check_size(Lower *lo, ReduceFn fn, Ref size) {
    static const CheckKind kinds[] = {[REDUCE_MIN] = CHECK_EMPTY_MIN,
                                      [REDUCE_MAX] = CHECK_EMPTY_MAX,
                                      [REDUCE_ARGMIN] = CHECK_EMPTY_ARGMIN,
                                      [REDUCE_ARGMAX] = CHECK_EMPTY_ARGMAX};
    bool needs = fn == REDUCE_MIN || fn == REDUCE_MAX || fn == REDUCE_ARGMIN || fn == REDUCE_ARGMAX;
    if (needs) lo_check(lo, lo_cmp(lo, OP_GT, size, lo_int(lo, 0)), kinds[fn]);
}

static Ref reduce(Lower *lo, Walk *w, const Ref *shape) {
    Ref state[MAX_STATE], size = lo_int(lo, 1);
    for (uint32_t k = 0; k < w->tree->rank; k++) size = lo_op2(lo, OP_MUL, size, shape[k]);
    check_size(lo, w->fn, size);
    bool line = w->rank == 1 && w->tree->rank > 1;
    w->shape = line ? &size : shape;
    start(lo, w, state);
    if (is_float_sum(w)) {
        w->block = lo_op(lo, OP_STACK, TY_OF(TY_PTR), 0, NULL);
        ir_at(lo->fn, w->block)->imm = BLOCK * (int64_t)w->acc->size;
    }
    walk(lo, w, 0, state, state);
    if (w->fn == REDUCE_SUM || w->fn == REDUCE_MEAN) return finish_sum(lo, w, state, size);
    if (w->fn == REDUCE_MIN || w->fn == REDUCE_MAX) return finish_pick(lo, w, state);
    return state[w->nstate == 3 ? 1 : 0];
}

static Ref reduce_equal(Lower *lo, Walk *w, const Leaves *leaves, const Ref *shape) {
    bool line = nest_is_line(lo, leaves, NULL, shape, w->tree->rank) && leaves->n > 0 &&
                lo_type(lo, leaves->at[0]->leaf)->layout == 'C';
    if (!line) return reduce(lo, w, shape);
    nest_set_lines(lo, leaves, w->tree->rank, shape);
    w->rank = 1;
    Ref r = reduce(lo, w, shape);
    nest_clear_lines(leaves);
    w->rank = w->tree->rank;
    return r;
}

static Ref reduce_stretched(Lower *lo, Walk *w, const Leaves *leaves) {
    Ref shape[MAX_RANK];
    shape_broadcast(lo, w->tree, shape);
    nest_set_flags(lo, leaves, true);
    Ref r = reduce(lo, w, shape);
    nest_set_flags(lo, leaves, false);
    return r;
}

static Type *accumulator(ReduceFn fn, Type *elem, Type *result) {
    bool own = fn == REDUCE_ARGMIN || fn == REDUCE_ARGMAX || fn == REDUCE_MIN || fn == REDUCE_MAX;
    return own ? elem : result;
}

Ref fused_reduce(Lower *lo, Call *c) {
    for (uint32_t i = 1; i < c->nargs; i++)
        if (c->args[i].ref) return 0; /* something is asked for: an axis, a dtype ... */
    if (c->args[0].ty->kind != TY_ARRAY) return 0;
    bool pick = c->row->data == REDUCE_MIN || c->row->data == REDUCE_MAX;
    if (!pick && !elementwise_waits(lo, c->args[0])) return 0;
    Type *elem = c->args[0].ty->elem;
    if (elem->kind == TY_COMPLEX || elem == TY_F(16)) return 0;
    Walk w = {.fn = (ReduceFn)c->row->data, .tree = node_of_arg(lo, c->args[0])};
    w.rank = w.tree->rank;
    w.acc = accumulator(w.fn, elem, c->result);
    Leaves leaves = {0};
    Ref shape[MAX_RANK], equal;
    node_leaves(w.tree, &leaves);
    shape_if_equal(lo, w.rank, &leaves, NULL, shape, &equal);
    if (!equal) return reduce_equal(lo, &w, &leaves, shape);
    BlockId same = lo_block(lo, "same"), stretch = lo_block(lo, "stretch"),
            done = lo_block(lo, "done");
    lo_branch(lo, equal, same, stretch);
    lo->fn->blocks.at[lo->b].term.cold = true;
    lo->b = same;
    Ref r = reduce_equal(lo, &w, &leaves, shape);
    lo_jump(lo, done, 1, &r);
    lo->b = stretch;
    r = reduce_stretched(lo, &w, &leaves);
    lo_jump(lo, done, 1, &r);
    lo->b = done;
    return lo_param(lo, done, c->result);
}
