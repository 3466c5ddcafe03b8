/* Loops over the elements of a tree.
 *
 * Whether operands are stretched is known only at run time (but for axes that are made with None). So there are two
 * nests: one for shapes that are all the same, which vectorizes; and one where each index is multiplied by 0 or 1.
 * If the arrays all lie in the same order without gaps, the first is one loop over all of them. */
#include "builtins/elementwise.h"

/* The order of the loops: that of the result, whose last (F: first) axis is the innermost. */
static bool is_fortran(Lower *lo, const Leaves *leaves, const Type *to) {
    if (to && to->ndim > 1 && to->layout != 'A') return to->layout == 'F';
    bool fortran = false;
    for (uint32_t i = 0; i < leaves->n; i++) {
        const Type *ty = lo_type(lo, leaves->at[i]->leaf);
        if (ty->ndim < 2) continue;
        if (ty->layout == 'C') return false;
        fortran = fortran || ty->layout == 'F';
    }
    return fortran;
}

bool nest_is_line(Lower *lo, const Leaves *leaves, const Type *to, const Ref *shape,
                  uint32_t rank) {
    if (rank < 2) return false;
    char layout = to ? to->layout : 0;
    if (layout == 'A') return false;
    for (uint32_t i = 0; i < leaves->n; i++) {
        const Type *ty = lo_type(lo, leaves->at[i]->leaf);
        if (!layout) layout = ty->layout;
        if (ty->ndim != rank || ty->layout != layout || layout == 'A') return false;
        for (uint32_t k = 0; k < rank; k++)
            if (is_one(lo, lo_array_dim(lo, leaves->at[i]->leaf, k)) && !is_one(lo, shape[k]))
                return false;
    }
    return true;
}

static Ref as_line(Lower *lo, Ref a, Ref n) {
    Type *ty = lo_type(lo, a), *line = ty_array(ty->elem, 1, 'C', ty->readonly, ty->aligned);
    return lo_array_make(lo, line, lo_array_data(lo, a), lo_array_owner(lo, a), &n, NULL);
}

static Ref size_of(Lower *lo, uint32_t rank, const Ref *shape) {
    Ref n = lo_int(lo, 1);
    for (uint32_t k = 0; k < rank; k++) n = k ? lo_op2(lo, OP_MUL, n, shape[k]) : shape[k];
    return n;
}

void nest_set_lines(Lower *lo, const Leaves *leaves, uint32_t rank, const Ref *shape) {
    Ref n = size_of(lo, rank, shape);
    for (uint32_t i = 0; i < leaves->n; i++)
        leaves->at[i]->line = as_line(lo, leaves->at[i]->leaf, n);
}

void nest_clear_lines(const Leaves *leaves) {
    for (uint32_t i = 0; i < leaves->n; i++) leaves->at[i]->line = 0;
}

static void open_nest(Lower *lo, Nest *nest, uint32_t rank, const Ref *shape, bool fortran) {
    nest->depth = rank;
    for (uint32_t d = 0; d < rank; d++) {
        uint32_t axis = fortran ? rank - 1 - d : d;
        lo_loop(lo, &nest->loop[d], shape[axis], 0, NULL);
        nest->index[axis] = nest->loop[d].i;
    }
}

static void close_nest(Lower *lo, Nest *nest) {
    for (uint32_t d = nest->depth; d-- > 0;) lo_loop_end(lo, &nest->loop[d], NULL);
}

/* --- storing ------------------------------------------------------------------------------------------------------ */

/* One array, or the several of a tuple, take the element's values. */
static void store(Lower *lo, uint32_t n, const Ref *to, const Ref *index, Ref v) {
    for (uint32_t i = 0; i < n; i++) {
        Ref part = lo_type(lo, v)->kind == TY_TUPLE ? lo_field(lo, v, i) : v;
        lo_array_set(lo, to[i], index, element_as(lo, part, lo_type(lo, to[i])->elem));
    }
}

static void fill(Lower *lo, Node *n, const Leaves *leaves, uint32_t nto, const Ref *to,
                 const Ref *shape, bool stretched) {
    const Type *ty = lo_type(lo, to[0]);
    uint32_t rank = ty->ndim;
    bool line = !stretched && nest_is_line(lo, leaves, ty, shape, rank);
    Nest nest = {0};
    Ref lines[2], size = line ? size_of(lo, rank, shape) : 0;
    if (line) {
        nest_set_lines(lo, leaves, rank, shape);
        for (uint32_t i = 0; i < nto; i++) lines[i] = as_line(lo, to[i], size);
        to = lines;
        open_nest(lo, &nest, 1, &size, false);
    } else {
        open_nest(lo, &nest, rank, shape, is_fortran(lo, leaves, ty));
    }
    const Ref *index = line ? nest.index : nest.index + (rank - n->rank);
    store(lo, nto, to, nest.index, node_element(lo, n, index));
    close_nest(lo, &nest);
    nest_clear_lines(leaves);
}

static Ref new_arrays(Lower *lo, uint32_t n, Type *const *types, const Ref *shape, Ref *out) {
    for (uint32_t i = 0; i < n; i++) out[i] = lo_array_new(lo, types[i], shape);
    return out[0];
}

void nest_set_flags(Lower *lo, const Leaves *leaves, bool stretched) {
    for (uint32_t i = 0; i < leaves->n; i++) {
        Node *leaf = leaves->at[i];
        leaf->flag = stretched ? NEWN(lo->cx, Ref, MAX_RANK) : NULL;
        for (uint32_t k = 0; stretched && k < leaf->rank; k++) {
            Ref more = lo_cmp(lo, OP_NE, lo_array_dim(lo, leaf->leaf, k), lo_int(lo, 1));
            leaf->flag[k] = lo_convert(lo, more, TY_I(64));
        }
    }
}

static void build_stretched(Lower *lo, Node *n, const Leaves *leaves, uint32_t nout,
                            Type *const *types, Ref *out) {
    Ref shape[MAX_RANK];
    shape_broadcast(lo, n, shape);
    new_arrays(lo, nout, types, shape, out);
    nest_set_flags(lo, leaves, true);
    fill(lo, n, leaves, nout, out, shape, true);
    nest_set_flags(lo, leaves, false);
}

/* --- new arrays --------------------------------------------------------------------------------------------------- */

static Ref pack(Lower *lo, Type *ty, uint32_t n, const Ref *v) {
    return ty->kind == TY_TUPLE ? lo_make(lo, ty, n, v) : v[0];
}

/* Makes the arrays, in a block behind everything; out: the values there. */
static void build(Lower *lo, Node *n, uint32_t nout, Type *const *types, Ref *out) {
    Leaves leaves = {0};
    Ref shape[MAX_RANK], equal;
    node_leaves(n, &leaves);
    shape_if_equal(lo, n->rank, &leaves, NULL, shape, &equal);
    if (!equal) {
        new_arrays(lo, nout, types, shape, out);
        fill(lo, n, &leaves, nout, out, shape, false);
        return;
    }
    BlockId same = lo_block(lo, "same"), stretch = lo_block(lo, "stretch"),
            done = lo_block(lo, "done");
    lo_branch(lo, equal, same, stretch);
    lo->fn->blocks.at[lo->b].term.cold = true;
    lo->b = same;
    new_arrays(lo, nout, types, shape, out);
    fill(lo, n, &leaves, nout, out, shape, false);
    lo_jump(lo, done, nout, out);
    lo->b = stretch;
    build_stretched(lo, n, &leaves, nout, types, out);
    lo_jump(lo, done, nout, out);
    lo->b = done;
    for (uint32_t i = 0; i < nout; i++) out[i] = lo_param(lo, done, types[i]);
}

Ref nest_array(Lower *lo, Node *n, Type *ty) {
    bool several = ty->kind == TY_TUPLE;
    Type *first = several ? ty->items[0] : ty;
    if (first->kind != TY_ARRAY) return node_element(lo, n, NULL);
    uint32_t nout = several ? ty->nitems : 1;
    Type **types = several ? ty->items : &ty;
    Ref out[2];
    build(lo, n, nout, types, out);
    return pack(lo, ty, nout, out);
}

/* --- assignment ---------------------------------------------------------------------------------------------------- */

/* A value, whose shape is broadcast to the target's; in place it is the target's, and NumPy says it in other words. */
static void require_shape(Lower *lo, Ref to, Ref value, bool in_place) {
    Ref shapes[2][MAX_RANK], fits = 0, arrays[] = {to, value};
    Ref *both[] = {shapes[!in_place], shapes[in_place]};
    uint32_t ranks[] = {lo_type(lo, to)->ndim, lo_type(lo, value)->ndim};
    for (int i = 0; i < 2; i++)
        for (uint32_t k = 0; k < ranks[i]; k++) shapes[i][k] = lo_array_dim(lo, arrays[i], k);
    if (ranks[0] != ranks[1] && in_place) fits = lo_bool(lo, false);
    for (uint32_t k = 0; k < ranks[1]; k++) {
        Ref good = lo_cmp(lo, OP_EQ, shapes[1][k], lo_int(lo, 1));
        uint32_t axis = k + ranks[0] - ranks[1];
        if (k + ranks[0] >= ranks[1]) {
            Ref same = lo_cmp(lo, OP_EQ, shapes[1][k], shapes[0][axis]);
            good = in_place ? same : lo_or(lo, good, same);
        }
        fits = fits ? lo_and(lo, fits, good) : good;
    }
    if (!fits) return;
    uint32_t in_order[] = {ranks[!in_place], ranks[in_place]};
    BlockId bad = lo_block(lo, "shapes"), good = lo_block(lo, "fit");
    lo_branch(lo, fits, good, bad);
    lo->fn->blocks.at[lo->b].term.cold = true;
    lo->b = bad;
    raise_shapes(lo, in_place ? SHAPES_OUTPUT : SHAPES_INPUT, 2, in_order, both);
    lo->b = good;
}

/* The value without the axes (of length 1) that the target does not have. */
static Ref drop_axes(Lower *lo, Ref value, uint32_t rank) {
    Type *ty = lo_type(lo, value);
    if (ty->ndim <= rank) return value;
    uint32_t from = ty->ndim - rank;
    Ref shape[MAX_RANK];
    for (uint32_t k = 0; k < rank; k++) shape[k] = lo_array_dim(lo, value, from + k);
    Type *less = ty_array(ty->elem, rank, rank < 2 ? 'C' : ty->layout, ty->readonly, ty->aligned);
    return lo_array_make(lo, less, lo_array_data(lo, value), lo_array_owner(lo, value), shape,
                         NULL);
}

/* By way of a new array. */
static void assign_copied(Lower *lo, Ref to, Node *n, Leaves *leaves, Type *tree_ty,
                          const Ref *shape, bool in_place) {
    Ref copy;
    build_stretched(lo, n, leaves, 1, &tree_ty, &copy);
    require_shape(lo, to, copy, in_place);
    Node *value = node_of_array(lo, drop_axes(lo, copy, lo_type(lo, to)->ndim));
    Leaves one = {.at = {value}, .n = 1};
    if (!in_place) nest_set_flags(lo, &one, true);
    fill(lo, value, &one, 1, &to, shape, !in_place);
}

void nest_assign(Lower *lo, Ref to, Node *n, Type *tree_ty, bool in_place) {
    Leaves leaves = {0};
    Type *ty = lo_type(lo, to);
    Ref shape[MAX_RANK], start[MAX_RANK], good;
    node_leaves(n, &leaves);
    for (uint32_t k = 0; k < ty->ndim; k++) start[k] = lo_array_dim(lo, to, k);
    if (n->rank > ty->ndim) {
        assign_copied(lo, to, n, &leaves, tree_ty, start, in_place);
        return;
    }
    shape_if_equal(lo, ty->ndim, &leaves, start, shape, &good);
    for (uint32_t i = 0; i < leaves.n; i++) {
        Ref bad = overlap(lo, to, leaves.at[i]), fine = bad ? lo_not(lo, bad) : 0;
        if (fine) good = good ? lo_and(lo, good, fine) : fine;
    }
    if (!good) {
        fill(lo, n, &leaves, 1, &to, shape, false);
        return;
    }
    BlockId direct = lo_block(lo, "direct"), copied = lo_block(lo, "copied"),
            done = lo_block(lo, "done");
    lo_branch(lo, good, direct, copied);
    lo->fn->blocks.at[lo->b].term.cold = true;
    lo->b = direct;
    fill(lo, n, &leaves, 1, &to, shape, false);
    lo_jump(lo, done, 0, NULL);
    lo->b = copied;
    assign_copied(lo, to, n, &leaves, tree_ty, start, in_place);
    lo_jump(lo, done, 0, NULL);
    lo->b = done;
}
