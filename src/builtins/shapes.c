/* Broadcasting, and what overlaps what. */
#include "builtins/elementwise.h"

void node_leaves(Node *n, Leaves *out) {
    if (n->is_array && out->n == MAX_LEAVES) return;
    if (n->is_array) out->at[out->n++] = n;
    for (uint32_t i = 0; n->row && i < n->loop.nin; i++)
        if (n->args[i]) node_leaves(n->args[i], out);
}

bool is_one(Lower *lo, Ref v) {
    const Ins *ins = ir_at(lo->fn, v);
    return ins->op == OP_CONST && ins->k->ty->kind == TY_INT && ins->k->i == 1;
}

static bool same_dim(Lower *lo, Ref a, Ref b) {
    const Ins *x = ir_at(lo->fn, a), *y = ir_at(lo->fn, b);
    return a == b || (x->op == OP_CONST && y->op == OP_CONST && x->k->i == y->k->i);
}

static void also(Lower *lo, Ref *all, Ref one) { *all = *all ? lo_and(lo, *all, one) : one; }

void shape_if_equal(Lower *lo, uint32_t rank, const Leaves *leaves, const Ref *start, Ref *shape,
                    Ref *equal) {
    *equal = 0;
    for (uint32_t k = 0; k < rank; k++) {
        shape[k] = start ? start[k] : 0;
        for (uint32_t i = 0; i < leaves->n; i++) {
            const Node *leaf = leaves->at[i];
            if (k + leaf->rank < rank) continue;
            Ref d = lo_array_dim(lo, leaf->leaf, k + leaf->rank - rank);
            if (is_one(lo, d)) continue;
            if (!shape[k])
                shape[k] = d;
            else if (!same_dim(lo, d, shape[k]))
                also(lo, equal, lo_cmp(lo, OP_EQ, d, shape[k]));
        }
        if (!shape[k]) shape[k] = lo_int(lo, 1);
    }
}

/* --- at run time ------------------------------------------------------------------------------------------------- */

void raise_shapes(Lower *lo, ShapeFault fault, uint32_t n, const uint32_t *ranks,
                  Ref *const *shapes) {
    Ref items[MAX_INPUTS * (MAX_RANK + 1)];
    Type *types[MAX_INPUTS * (MAX_RANK + 1)];
    uint32_t m = 0;
    for (uint32_t i = 0; i < n; i++) {
        items[m++] = lo_int(lo, ranks[i]);
        for (uint32_t k = 0; k < ranks[i]; k++) items[m++] = shapes[i][k];
    }
    for (uint32_t i = 0; i < m; i++) types[i] = TY_I(64);
    Ref all = lo_make(lo, ty_tuple(types, m), m, items);
    lo_rt(lo, "ws_raise_shapes", TY_OF(TY_NONE), 3, (Ref[]){lo_int(lo, fault), lo_int(lo, n), all});
    lo->fn->blocks.at[lo->b].term.kind = TERM_UNREACHABLE;
}

/* One axis: the length, and whether all fit. */
static Ref broadcast_axis(Lower *lo, uint32_t n, const Ref *dims, Ref *fits) {
    Ref d = dims[0];
    for (uint32_t i = 1; i < n; i++) {
        Ref e = dims[i];
        if (same_dim(lo, d, e) || is_one(lo, e)) continue;
        if (is_one(lo, d)) {
            d = e;
            continue;
        }
        Ref one = lo_int(lo, 1), stretch = lo_cmp(lo, OP_EQ, d, one);
        Ref good =
            lo_or(lo, lo_cmp(lo, OP_EQ, d, e), lo_or(lo, stretch, lo_cmp(lo, OP_EQ, e, one)));
        also(lo, fits, good);
        d = lo_select(lo, stretch, e, d);
    }
    return d;
}

static void leaf_shape(Lower *lo, const Node *n, Ref *shape) {
    for (uint32_t k = 0; k < n->rank; k++) shape[k] = lo_array_dim(lo, n->leaf, k);
}

void shape_broadcast(Lower *lo, Node *n, Ref *shape) {
    if (!n->row) {
        leaf_shape(lo, n, shape);
        return;
    }
    Ref *shapes[MAX_INPUTS], fits = 0, dims[MAX_INPUTS] = {0};
    uint32_t ranks[MAX_INPUTS], count = 0;
    for (uint32_t i = 0; i < n->loop.nin; i++) {
        if (!n->args[i]) continue;
        ranks[count] = n->args[i]->rank;
        shapes[count] = NEWN(lo->cx, Ref, MAX_RANK);
        shape_broadcast(lo, n->args[i], shapes[count++]);
    }
    for (uint32_t k = 0; k < n->rank; k++) {
        uint32_t m = 0;
        for (uint32_t i = 0; i < count; i++)
            if (k + ranks[i] >= n->rank) dims[m++] = shapes[i][k + ranks[i] - n->rank];
        shape[k] = broadcast_axis(lo, m, dims, &fits);
    }
    if (!fits) return;
    BlockId bad = lo_block(lo, "shapes"), good = lo_block(lo, "fit");
    lo_branch(lo, fits, good, bad);
    lo->fn->blocks.at[lo->b].term.cold = true;
    lo->b = bad;
    lo->span = n->span;
    raise_shapes(lo, SHAPES_BROADCAST, count, ranks, shapes);
    lo->b = good;
}

/* --- overlap ------------------------------------------------------------------------------------------------------ */

void array_extent(Lower *lo, Ref a, Ref *low, Ref *high) {
    Type *ty = lo_type(lo, a), *i64 = TY_I(64);
    Ref first = lo_op1(lo, OP_BITCAST, i64, lo_array_data(lo, a)), last = first;
    Ref zero = lo_int(lo, 0), one = lo_int(lo, 1);
    for (uint32_t i = 0; i < ty->ndim; i++) {
        Ref steps = lo_math2(lo, MATH_MAX, lo_op2(lo, OP_SUB, lo_array_dim(lo, a, i), one), zero);
        Ref way = lo_op2(lo, OP_MUL, steps, lo_array_stride(lo, a, i));
        first = lo_op2(lo, OP_ADD, first, lo_math2(lo, MATH_MIN, way, zero));
        last = lo_op2(lo, OP_ADD, last, lo_math2(lo, MATH_MAX, way, zero));
    }
    *low = first;
    *high = lo_op2(lo, OP_ADD, last, lo_int(lo, ty->elem->size));
}

/* The same elements at the same indices. */
static Ref same_elements(Lower *lo, Ref a, Ref b) {
    Ref r = lo_cmp(lo, OP_EQ, lo_array_data(lo, a), lo_array_data(lo, b));
    for (uint32_t i = 0; i < lo_type(lo, a)->ndim; i++) {
        r = lo_and(lo, r, lo_cmp(lo, OP_EQ, lo_array_dim(lo, a, i), lo_array_dim(lo, b, i)));
        r = lo_and(lo, r, lo_cmp(lo, OP_EQ, lo_array_stride(lo, a, i), lo_array_stride(lo, b, i)));
    }
    return r;
}

/* The block of memory that an array lies in, or the value that it came with. */
static const Ins *find_root(Lower *lo, Ref a) {
    const Ins *i = ir_at(lo->fn, lo_array_data(lo, a));
    while (i->op == OP_FIELD || i->op == OP_DATA || i->op == OP_OFFSET)
        i = ir_at(lo->fn, i->args[0]);
    return i;
}

/* A new array overlaps none that was there before, and no other new one. */
static bool is_apart(Lower *lo, Ref to, Ref from) {
    const Ins *a = find_root(lo, to), *b = find_root(lo, from);
    return a->op == OP_ALLOC && a != b &&
           (b->op == OP_ARG || b->op == OP_GLOBAL || b->op == OP_ALLOC);
}

Ref overlap(Lower *lo, Ref to, Node *leaf) {
    if (leaf->leaf == to || is_apart(lo, to, leaf->leaf)) return 0;
    Ref low[2], high[2];
    array_extent(lo, to, &low[0], &high[0]);
    array_extent(lo, leaf->leaf, &low[1], &high[1]);
    Ref r = lo_and(lo, lo_cmp(lo, OP_LT, low[0], high[1]), lo_cmp(lo, OP_LT, low[1], high[0]));
    if (lo_type(lo, to)->ndim != leaf->rank || lo_type(lo, to)->elem != leaf->elem) return r;
    return lo_and(lo, r, lo_not(lo, same_elements(lo, to, leaf->leaf)));
}
