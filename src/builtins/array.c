/* Arrays: attributes, np.empty, views that need no code of their own. */
#include <string.h>

#include "builtins/elementwise.h"

static Type *self_type(const Call *c) { return c->self.ty; }

/* --- attributes --------------------------------------------------------------------------------------------------------- */

static Type *int_tuple(Call *c) { return ty_int_tuple(self_type(c)->ndim); }

static Ref lower_shape(Lower *lo, Call *c) {
    Ref a = lo_arg(lo, c->self), dims[32];
    for (uint32_t i = 0; i < self_type(c)->ndim; i++) dims[i] = lo_array_dim(lo, a, i);
    return lo_make(lo, int_tuple(c), self_type(c)->ndim, dims);
}

static Ref lower_strides(Lower *lo, Call *c) {
    Ref a = lo_arg(lo, c->self), dims[32];
    for (uint32_t i = 0; i < self_type(c)->ndim; i++) dims[i] = lo_array_stride(lo, a, i);
    return lo_make(lo, int_tuple(c), self_type(c)->ndim, dims);
}

static Type *type_int64(Call *c) { return (void)c, TY_I(64); }

static Ref lower_size(Lower *lo, Call *c) { return lo_array_size(lo, lo_arg(lo, c->self)); }

static Ref lower_nbytes(Lower *lo, Call *c) {
    return lo_op2(lo, OP_MUL, lo_array_size(lo, lo_arg(lo, c->self)),
                  lo_int(lo, self_type(c)->elem->size));
}

static Const *const_ndim(Call *c) { return ir_const_int(c->in->cx, TY_I(64), self_type(c)->ndim); }
static Const *const_itemsize(Call *c) {
    return ir_const_int(c->in->cx, TY_I(64), self_type(c)->elem->size);
}

static Type *type_dtype(Call *c) { return ty_dtype(self_type(c)->elem); }

static Const *const_dtype(Call *c) {
    Const *k = NEW(c->in->cx, Const);
    k->ty = type_dtype(c);
    return k;
}

/* --- views ---------------------------------------------------------------------------------------------------------------- */

static Type *type_transposed(Call *c) {
    Type *ty = self_type(c);
    char layout = ty->ndim < 2        ? ty->layout
                  : ty->layout == 'C' ? 'F'
                  : ty->layout == 'F' ? 'C'
                                      : 'A';
    return ty_array(ty->elem, ty->ndim, layout, ty->readonly, ty->aligned);
}

static Ref lower_transposed(Lower *lo, Call *c) {
    Ref a = lo_arg(lo, c->self), shape[32], strides[32];
    Type *ty = type_transposed(c);
    for (uint32_t i = 0; i < ty->ndim; i++) {
        shape[i] = lo_array_dim(lo, a, ty->ndim - 1 - i);
        if (ty->layout == 'A') strides[i] = lo_array_stride(lo, a, ty->ndim - 1 - i);
    }
    return lo_array_make(lo, ty, lo_array_data(lo, a), lo_array_owner(lo, a), shape, strides);
}

/* a.real, a.imag of complex arrays: every other float. Of others: the array itself, and zeros that cannot be written. */
static Type *type_part(Call *c) {
    Type *ty = self_type(c);
    if (ty->elem->kind != TY_COMPLEX && c->row->data) {
        Inst *zeros = infer_prelude(c->in, c->inst, "creation.zeros_like", &ty, 1, c->ins);
        Type *r = zeros->ret;
        return r->kind == TY_UNDEF ? NULL : ty_array(r->elem, r->ndim, r->layout, true, true);
    }
    if (ty->elem->kind != TY_COMPLEX) return ty;
    return ty_array(TY_F(ty->elem->bits / 2u), ty->ndim, 'A', ty->readonly, ty->aligned);
}

static Ref lower_part(Lower *lo, Call *c) {
    Type *ty = self_type(c), *view = type_part(c);
    Ref a = lo_arg(lo, c->self), shape[32], strides[32], data = lo_array_data(lo, a);
    if (ty->elem->kind != TY_COMPLEX)
        return c->row->data ? lo_convert(lo, lo_prelude(lo, "creation.zeros_like", 1, &a), view)
                            : a;
    for (uint32_t i = 0; i < ty->ndim; i++)
        shape[i] = lo_array_dim(lo, a, i), strides[i] = lo_array_stride(lo, a, i);
    if (c->row->data)
        data =
            lo_op(lo, OP_OFFSET, TY_OF(TY_PTR), 2, (Ref[]){data, lo_int(lo, ty->elem->size / 2)});
    return lo_array_make(lo, view, data, lo_array_owner(lo, a), shape, strides);
}

/* a.flat: of arrays in C order a view with one axis; of others a copy that cannot be written, since what is written
 * would be lost. */
static Type *type_flat(Call *c) {
    Type *ty = self_type(c);
    if (ty->layout == 'C') return ty_array(ty->elem, 1, 'C', ty->readonly, ty->aligned);
    Inst *copy = infer_prelude(c->in, c->inst, "manipulate.flatten", &ty, 1, c->ins);
    return copy && copy->ret->kind != TY_UNDEF ? ty_array(ty->elem, 1, 'C', true, true) : NULL;
}

static Ref lower_flat(Lower *lo, Call *c) {
    Ref a = lo_arg(lo, c->self), n = lo_array_size(lo, a);
    if (self_type(c)->layout != 'C')
        return lo_convert(lo, lo_prelude(lo, "manipulate.flatten", 1, &a), c->result);
    return lo_array_make(lo, c->result, lo_array_data(lo, a), lo_array_owner(lo, a), &n, NULL);
}

/* a.astype(dtype): each element converted, always a new array. */
static Type *type_astype(Call *c) { return rule_dtype(c, 1, NULL); }
static Ref lower_astype(Lower *lo, Call *c) { return lo_arg(lo, c->args[0]); }

/* --- np.empty ---------------------------------------------------------------------------------------------------------------- */

int rule_shape_rank(const Type *ty) {
    if (ty_is_integral(ty)) return 1;
    if (ty->kind != TY_TUPLE || ty->nitems > 32) return -1;
    for (uint32_t i = 0; i < ty->nitems; i++)
        if (!ty_is_integral(ty->items[i])) return -1;
    return (int)ty->nitems;
}

static Type *type_empty(Call *c) {
    int n = rule_shape_rank(plain(c, 0));
    if (n < 0) return rule_no_overload(c);
    Type *elem = rule_dtype(c, 1, TY_F(64));
    if (!elem) return NULL;
    if (!elem->size) return rule_no_overload(c);
    char layout = 'C';
    if (given(c, 2) && c->args[2].ty->kind == TY_STR) {
        const Const *k = c->args[2].k;
        if (!k) return infer_fail(c->in, c->span, D_NOT_CONSTANT, "order");
        layout = k->str.n == 1 && *k->str.s == 'F' && n > 1 ? 'F' : 'C';
    }
    return ty_array(elem, (unsigned)n, layout, false, true);
}

static Ref lower_empty(Lower *lo, Call *c) {
    Type *ty = c->result;
    Ref v = lo_arg_as(lo, c->args[0], plain(c, 0)), shape[32];
    if (lo_type(lo, v)->kind != TY_TUPLE) {
        shape[0] = lo_convert(lo, v, TY_I(64));
        return lo_array_new(lo, ty, shape);
    }
    for (uint32_t i = 0; i < ty->ndim; i++) shape[i] = lo_convert(lo, lo_field(lo, v, i), TY_I(64));
    return lo_array_new(lo, ty, shape);
}

/* --- np.array -------------------------------------------------------------------------------------------------------------- */

/* Nested tuples of numbers as an array: the lengths. False: it is none. */
static bool nested_shape(const Type *ty, uint32_t *rank, uint32_t *shape) {
    *rank = 0;
    if (ty_is_number(ty)) return true;
    if (ty->kind != TY_TUPLE) return false;
    uint32_t inner[32], depth = 0;
    for (uint32_t i = 0; i < ty->nitems; i++) {
        uint32_t this_rank, lengths[32];
        if (!nested_shape(ty->items[i], &this_rank, lengths) || this_rank > 30) return false;
        if (i && (this_rank != depth || memcmp(inner, lengths, depth * sizeof *inner) != 0))
            return false;
        depth = this_rank;
        memcpy(inner, lengths, depth * sizeof *inner);
    }
    *rank = depth + 1;
    shape[0] = ty->nitems;
    memcpy(shape + 1, inner, depth * sizeof *inner);
    return true;
}

/* What the numbers have in common; NULL: there are none. */
static Type *nested_dtype(Type *ty) {
    if (ty->kind != TY_TUPLE) return ty;
    Type *all = NULL;
    for (uint32_t i = 0; i < ty->nitems; i++) {
        Type *one = nested_dtype(ty->items[i]);
        all = !all ? one : one ? ty_dtype_join(all, one) : all;
    }
    return all;
}

static bool has_arrays(const Type *ty) {
    if (ty->kind != TY_TUPLE) return ty->kind == TY_ARRAY;
    for (uint32_t i = 0; i < ty->nitems; i++)
        if (has_arrays(ty->items[i])) return true;
    return false;
}

/* Arrays side by side: what the prelude stacks. */
static Type *type_stacked(Call *c) {
    Type *elem = rule_dtype(c, 1, NULL), *none = TY_OF(TY_NONE);
    if (given(c, 1) && c->args[1].ty != none && !elem) return NULL;
    Type *types[] = {plain(c, 0), elem ? ty_dtype(elem) : none};
    Inst *f = infer_prelude(c->in, c->inst, "arrange.stacked", types, 2, c->ins);
    return f && f->ret->kind != TY_UNDEF ? f->ret : NULL;
}

static Ref lower_stacked(Lower *lo, Call *c) {
    Type *elem = rule_dtype(c, 1, NULL);
    Ref dtype = lo_zero(lo, elem ? ty_dtype(elem) : TY_OF(TY_NONE));
    return lo_prelude(lo, "arrange.stacked", 2, (Ref[]){lo_arg(lo, c->args[0]), dtype});
}

/* array(object, dtype=): of an array a copy; of nested tuples, and lists, of numbers or arrays. */
static Type *type_array(Call *c) {
    Type *ty = plain(c, 0);
    uint32_t rank, shape[32];
    if (ty->kind == TY_ARRAY) {
        Type *elem = rule_dtype(c, 1, ty->elem);
        return elem ? elementwise_array(elem, 1, &ty) : NULL;
    }
    if (has_arrays(ty)) return type_stacked(c);
    if (!nested_shape(ty, &rank, shape)) return rule_no_overload(c);
    Type *own = nested_dtype(ty), *elem = rule_dtype(c, 1, own ? own : TY_F(64));
    return elem ? ty_array(elem, rank, 'C', false, true) : NULL;
}

static void store_nested(Lower *lo, Ref to, Ref v, uint32_t depth, Ref *index) {
    if (depth == lo_type(lo, to)->ndim) {
        lo_array_set(lo, to, index, element_as(lo, v, lo_type(lo, to)->elem));
        return;
    }
    for (uint32_t i = 0; i < lo_type(lo, v)->nitems; i++) {
        index[depth] = lo_int(lo, i);
        store_nested(lo, to, lo_field(lo, v, i), depth + 1, index);
    }
}

static Ref lower_array(Lower *lo, Call *c) {
    if (plain(c, 0)->kind == TY_ARRAY)
        return nest_array(lo, node_of_arg(lo, c->args[0]), c->result);
    if (has_arrays(plain(c, 0))) return lower_stacked(lo, c);
    uint32_t rank, lengths[32];
    Ref shape[32], index[32];
    nested_shape(plain(c, 0), &rank, lengths);
    for (uint32_t i = 0; i < rank; i++) shape[i] = lo_int(lo, lengths[i]);
    Ref a = lo_array_new(lo, c->result, shape);
    store_nested(lo, a, lo_arg(lo, c->args[0]), 0, index);
    return a;
}

/* with_item(values, i, v): a tuple of integers with another item at one place, which is an axis. */
static Type *type_with_item(Call *c) {
    Type *ty = c->args[0].ty;
    return ty->kind == TY_TUPLE && rule_shape_rank(ty) > 0 && ty_is_integral(plain(c, 1))
               ? ty
               : rule_no_overload(c);
}

static Ref checked_axis(Lower *lo, Ref axis, int64_t n);

static Ref lower_with_item(Lower *lo, Call *c) {
    Ref values = lo_arg(lo, c->args[0]), items[32], v = lo_arg_as(lo, c->args[2], TY_I(64));
    uint32_t rank = c->result->nitems;
    Ref axis = checked_axis(lo, lo_arg_as(lo, c->args[1], TY_I(64)), rank);
    for (uint32_t k = 0; k < rank; k++) {
        Ref here = lo_cmp(lo, OP_EQ, axis, lo_int(lo, k));
        Ref old = lo_convert(lo, lo_field(lo, values, k), TY_I(64));
        items[k] = lo_convert(lo, lo_select(lo, here, v, old), c->result->items[k]);
    }
    return lo_make(lo, c->result, rank, items);
}

/* --- reshape of what lies in C order: a view -------------------------------------------------------------------------------------- */

/* _reshape(a, shape): a is C-contiguous and the sizes agree (the prelude has checked). */
static Type *type_reshape(Call *c) {
    int n = rule_shape_rank(c->args[1].ty);
    Type *ty = c->args[0].ty;
    if (n < 0 || ty->kind != TY_ARRAY || ty->layout != 'C') return rule_no_overload(c);
    return ty_array(ty->elem, (unsigned)n, 'C', ty->readonly, ty->aligned);
}

static Ref lower_reshape(Lower *lo, Call *c) {
    Type *ty = c->result;
    Ref a = lo_arg(lo, c->args[0]), v = lo_arg(lo, c->args[1]), shape[32];
    for (uint32_t i = 0; i < ty->ndim; i++)
        shape[i] =
            lo_convert(lo, lo_type(lo, v)->kind == TY_TUPLE ? lo_field(lo, v, i) : v, TY_I(64));
    return lo_array_make(lo, ty, lo_array_data(lo, a), lo_array_owner(lo, a), shape, NULL);
}

/* --- what the prelude is written with: whipsnake.prelude.intrinsics ------------------------------------------------------- */

static bool is_array_arg(const Call *c, uint32_t i) { return c->args[i].ty->kind == TY_ARRAY; }

/* contiguous(a): the same memory as an array of layout 'C'; is_contiguous(a) has said yes. */
static Type *type_contiguous(Call *c) {
    Type *ty = c->args[0].ty;
    return is_array_arg(c, 0) ? ty_array(ty->elem, ty->ndim, 'C', ty->readonly, ty->aligned)
                              : rule_no_overload(c);
}

static Ref lower_contiguous(Lower *lo, Call *c) {
    Ref a = lo_arg(lo, c->args[0]), shape[32];
    Type *ty = type_contiguous(c);
    for (uint32_t i = 0; i < ty->ndim; i++) shape[i] = lo_array_dim(lo, a, i);
    return lo_array_make(lo, ty, lo_array_data(lo, a), lo_array_owner(lo, a), shape, NULL);
}

static Type *type_is_contiguous(Call *c) {
    return is_array_arg(c, 0) ? TY_OF(TY_BOOL) : rule_no_overload(c);
}

static Const *const_is_contiguous(Call *c) {
    return c->args[0].ty->layout == 'C' ? const_bool(c->in->cx, true) : NULL;
}

/* Strides are those of C order, but for axes of length 1 and arrays without elements. */
static Ref lower_is_contiguous(Lower *lo, Call *c) {
    Ref a = lo_arg(lo, c->args[0]);
    Type *ty = lo_type(lo, a);
    if (ty->layout == 'C') return lo_bool(lo, true);
    Ref r = lo_bool(lo, true), want = lo_int(lo, ty->elem->size), one = lo_int(lo, 1);
    for (uint32_t i = ty->ndim; i-- > 0;) {
        Ref dim = lo_array_dim(lo, a, i);
        Ref good = lo_or(lo, lo_cmp(lo, OP_EQ, dim, one),
                         lo_cmp(lo, OP_EQ, lo_array_stride(lo, a, i), want));
        r = lo_and(lo, r, good);
        want = lo_op2(lo, OP_MUL, want, dim);
    }
    return lo_or(lo, r, lo_cmp(lo, OP_EQ, lo_array_size(lo, a), lo_int(lo, 0)));
}

/* layout(a): "C", "F" or "A", when compiling. */
static Type *type_layout(Call *c) {
    return is_array_arg(c, 0) ? TY_OF(TY_STR) : rule_no_overload(c);
}

static Const *const_layout(Call *c) {
    Const *k = NEW(c->in->cx, Const);
    k->ty = TY_OF(TY_STR);
    k->str.s = cx_intern(c->in->cx, &c->args[0].ty->layout, 1);
    k->str.n = 1;
    return k;
}

static Type *type_transpose_fn(Call *c) {
    Call self = *c;
    self.self = c->args[0];
    return is_array_arg(c, 0) ? type_transposed(&self) : rule_no_overload(c);
}

static Ref lower_transpose_fn(Lower *lo, Call *c) {
    Call self = *c;
    self.self = c->args[0];
    return lower_transposed(lo, &self);
}

/* dtype_of(x): the dtype of a scalar or array. */
static Type *type_dtype_of(Call *c) {
    Type *ty = plain(c, 0);
    if (ty->kind == TY_ARRAY) ty = ty->elem;
    return ty->size ? ty_dtype(ty) : rule_no_overload(c);
}

static Const *const_dtype_of(Call *c) {
    Const *k = NEW(c->in->cx, Const);
    k->ty = type_dtype_of(c);
    return k;
}

/* pairwise_sum(a): of a one-dimensional float or complex array, as accurate as NumPy's. */
static Type *type_pairwise(Call *c) {
    Type *ty = c->args[0].ty;
    bool good = ty->kind == TY_ARRAY && ty->ndim == 1 &&
                (ty->elem->kind == TY_FLOAT || ty->elem->kind == TY_COMPLEX);
    return good ? ty->elem : rule_no_overload(c);
}

static Ref lower_pairwise(Lower *lo, Call *c) {
    Ref a = lo_arg(lo, c->args[0]);
    Type *elem = type_pairwise(c);
    bool complex = elem->kind == TY_COMPLEX, wide = elem->bits == (complex ? 128 : 64);
    SumKind kind = complex ? (wide ? SUM_C128 : SUM_C64) : wide ? SUM_F64 : SUM_F32;
    static const char *const names[] = {"ws_sum_f32", "ws_sum_f64", "ws_sum_c64", "ws_sum_c128"};
    Ref n = lo_array_dim(lo, a, 0), number = lo_number(lo, TY_I(32), kind);
    Ref args[] = {lo_array_data(lo, a), n, lo_array_stride(lo, a, 0), number};
    BlockId some = lo_block(lo, "sum"), many = lo_block(lo, "sum.long"),
            done = lo_block(lo, "summed");
    Ref most = lo_int(lo, WS_SUM_LONG);
    lo_branch(lo, lo_op(lo, OP_LE, TY_OF(TY_BOOL), 2, (Ref[]){n, most}), some, many);
    lo->fn->blocks.at[lo->b].term.cold = true;
    for (int i = 0; i < 2; i++) {
        lo->b = i ? many : some;
        Ref sum =
            i ? lo_rt(lo, "ws_sum_long", elem, 4, args) : lo_rt(lo, names[kind], elem, 3, args);
        lo_jump(lo, done, 1, &sum);
    }
    lo->b = done;
    return lo_param(lo, done, elem);
}

/* Number of the element type in runtime/runtime.h's RtMatmul, or -1: NumPy has no BLAS for it. */
static int matmul_kind(const Call *c) {
    const Type *a = c->args[0].ty, *b = c->args[1].ty;
    if (a->kind != TY_ARRAY || b->kind != TY_ARRAY || a->elem != b->elem) return -1;
    Type *const elems[] = {TY_F(32), TY_F(64), TY_C(64), TY_C(128)};
    for (int k = 0; k < 4; k++)
        if (a->elem == elems[k]) return k;
    return -1;
}

static Type *type_has_matmul(Call *c) { return (void)c, TY_OF(TY_BOOL); }

static Const *const_has_matmul(Call *c) { return const_bool(c->in->cx, matmul_kind(c) >= 0); }

/* library_matmul(a, b, out): out, C-contiguous, becomes a @ b. */
static Type *type_matmul(Call *c) {
    bool good = matmul_kind(c) >= 0 && is_array_arg(c, 2) && c->args[2].ty->layout == 'C';
    return good ? TY_OF(TY_NONE) : rule_no_overload(c);
}

static Ref lower_matmul(Lower *lo, Call *c) {
    Ref args[10];
    uint32_t n = 0;
    args[n++] = lo_int(lo, matmul_kind(c));
    for (int k = 0; k < 2; k++) {
        Call self = {.self = c->args[k], .in = c->in, .inst = c->inst, .ins = c->ins};
        args[n++] = lo_array_data(lo, lo_arg(lo, c->args[k]));
        args[n++] = lo_int(lo, c->args[k].ty->ndim);
        args[n++] = lower_shape(lo, &self);
        args[n++] = lower_strides(lo, &self);
    }
    args[n++] = lo_array_data(lo, lo_arg(lo, c->args[2]));
    return lo_rt(lo, "ws_matmul", TY_OF(TY_NONE), n, args);
}

/* same_memory(a, b): may the two arrays share an element? Decided by their address ranges. */
static Type *type_same_memory(Call *c) {
    return is_array_arg(c, 0) && is_array_arg(c, 1) ? TY_OF(TY_BOOL) : rule_no_overload(c);
}

static Ref lower_same_memory(Lower *lo, Call *c) {
    Ref low[2], high[2];
    for (int i = 0; i < 2; i++) array_extent(lo, lo_arg(lo, c->args[i]), &low[i], &high[i]);
    return lo_and(lo, lo_cmp(lo, OP_LT, low[0], high[1]), lo_cmp(lo, OP_LT, low[1], high[0]));
}

/* reshape_plan(a, shape): (1, strides ...) of a view of the new shape (sizes agree); (0, ...): a copy is needed. */
static Type *type_reshape_plan(Call *c) {
    int n = rule_shape_rank(c->args[1].ty);
    if (!is_array_arg(c, 0) || c->args[1].ty->kind != TY_TUPLE || n < 0) return rule_no_overload(c);
    return n == 32 ? rule_no_overload(c) : ty_int_tuple((uint32_t)n + 1);
}

static Ref lower_reshape_plan(Lower *lo, Call *c) {
    Call self = {.self = c->args[0], .in = c->in, .inst = c->inst, .ins = c->ins};
    Ref shape = lower_shape(lo, &self), strides = lower_strides(lo, &self),
        to = lo_arg(lo, c->args[1]);
    Type *plain_shape = type_reshape_plan(c);
    to = lo_convert(lo, to, ty_tuple(plain_shape->items, plain_shape->nitems - 1));
    Ref args[] = {lo_int(lo, c->args[0].ty->ndim), shape, strides,
                  lo_int(lo, lo_type(lo, to)->nitems), to};
    return lo_rt(lo, "ws_reshape_plan", c->result, 5, args);
}

/* strided(a, shape, strides): the memory of `a` seen so. */
static Type *type_strided(Call *c) {
    int n = rule_shape_rank(c->args[1].ty);
    Type *ty = c->args[0].ty;
    if (!is_array_arg(c, 0) || n < 0 || c->args[2].ty->kind != TY_TUPLE ||
        (int)c->args[2].ty->nitems != n)
        return rule_no_overload(c);
    return ty_array(ty->elem, (unsigned)n, 'A', ty->readonly, ty->aligned);
}

static Ref lower_strided(Lower *lo, Call *c) {
    Ref a = lo_arg(lo, c->args[0]), shape = lo_arg(lo, c->args[1]),
        strides = lo_arg(lo, c->args[2]), s[32], t[32];
    for (uint32_t i = 0; i < c->result->ndim; i++) {
        s[i] = lo_convert(lo, lo_field(lo, shape, i), TY_I(64));
        t[i] = lo_convert(lo, lo_field(lo, strides, i), TY_I(64));
    }
    return lo_array_make(lo, c->result, lo_array_data(lo, a), lo_array_owner(lo, a), s, t);
}

/* --- one axis ------------------------------------------------------------------------------------------------------------ */

/* numpy.exceptions.AxisError; borrowed from the module. */
static PyObject *axis_error(Lower *lo) {
    PyObject *mod = PyImport_ImportModule("numpy.exceptions"), *cls = NULL;
    if (mod) cls = build_get_attr(mod, "AxisError");
    Py_XDECREF(mod);
    if (!cls) cx_abort(lo->cx);
    cx_defer(lo->cx, (void (*)(void *))Py_DecRef, cls);
    return cls;
}

/* 0 <= axis < n, or AxisError. */
static Ref checked_axis(Lower *lo, Ref axis, int64_t n) {
    Ref rank = lo_int(lo, n), at = lo_op2(lo, OP_WRAP, axis, rank);
    Ref good = lo_and(lo, lo_cmp(lo, OP_GE, at, lo_int(lo, 0)), lo_cmp(lo, OP_LT, at, rank));
    BlockId bad = lo_block(lo, "axis"), done = lo_block(lo, "in");
    lo_branch(lo, good, done, bad);
    lo->fn->blocks.at[lo->b].term.cold = true;
    lo->b = bad;
    ir_raise(lo->fn, bad, lower_new_exception(lo, axis_error(lo), 2, (Ref[]){axis, rank}), 0,
             lo->span);
    lo->b = done;
    return at;
}

static bool takes_axis(const Call *c) { return is_array_arg(c, 0) && ty_is_integral(plain(c, 1)); }

/* axis_first(a, axis): a view with this axis in front. */
static Type *type_axis_first(Call *c) {
    Type *ty = c->args[0].ty;
    if (!takes_axis(c)) return rule_no_overload(c);
    const Const *k = c->args[1].k;
    int64_t axis = !k ? -1 : k->i < 0 ? k->i + ty->ndim : k->i;
    if (ty->ndim == 1 || axis == 0) return ty;
    char layout = 'A';
    if (ty->ndim == 2 && axis == 1 && ty->layout != 'A') layout = ty->layout == 'C' ? 'F' : 'C';
    return ty_array(ty->elem, ty->ndim, layout, ty->readonly, ty->aligned);
}

static Ref lower_axis_first(Lower *lo, Call *c) {
    Ref a = lo_arg(lo, c->args[0]), shape[32], strides[32];
    uint32_t n = c->result->ndim;
    Ref axis = checked_axis(lo, lo_arg_as(lo, c->args[1], TY_I(64)), n);
    if (c->result == lo_type(lo, a) && (n < 2 || c->result->layout != 'A')) return a;
    for (uint32_t k = 0; k < n; k++)
        shape[k] = lo_array_dim(lo, a, k), strides[k] = lo_array_stride(lo, a, k);
    Ref dim = shape[0], stride = strides[0];
    for (uint32_t k = 1; k < n; k++) {
        Ref here = lo_cmp(lo, OP_EQ, axis, lo_int(lo, k)),
            behind = lo_cmp(lo, OP_LT, axis, lo_int(lo, k));
        dim = lo_select(lo, here, shape[k], dim);
        stride = lo_select(lo, here, strides[k], stride);
        /* axes before the one that goes to the front move back by one */
        shape[k - 1] = lo_select(lo, behind, shape[k], shape[k - 1]);
        strides[k - 1] = lo_select(lo, behind, strides[k], strides[k - 1]);
    }
    memmove(shape + 1, shape, (n - 1) * sizeof *shape);
    memmove(strides + 1, strides, (n - 1) * sizeof *strides);
    shape[0] = dim, strides[0] = stride;
    return lo_array_make(lo, c->result, lo_array_data(lo, a), lo_array_owner(lo, a), shape,
                         strides);
}

/* axis_part(a, axis, start, stop): a view of these items of an axis, which there are. */
static Type *type_axis_part(Call *c) {
    Type *ty = c->args[0].ty;
    bool good = takes_axis(c) && ty_is_integral(plain(c, 2)) && ty_is_integral(plain(c, 3));
    if (!good || !ty->ndim) return rule_no_overload(c);
    const Const *axis = c->args[1].k;
    bool first = ty->ndim == 1 || (axis && axis->i == 0);
    return ty_array(ty->elem, ty->ndim, ty->layout == 'C' && first ? 'C' : 'A', ty->readonly,
                    ty->aligned);
}

static Ref lower_axis_part(Lower *lo, Call *c) {
    Ref a = lo_arg(lo, c->args[0]), shape[32], strides[32];
    uint32_t n = c->result->ndim;
    Type *i64 = TY_I(64);
    Ref axis = checked_axis(lo, lo_arg_as(lo, c->args[1], i64), n);
    Ref start = lo_arg_as(lo, c->args[2], i64);
    Ref count = lo_op2(lo, OP_SUB, lo_arg_as(lo, c->args[3], i64), start), stride = 0;
    for (uint32_t k = 0; k < n; k++) {
        Ref here = lo_cmp(lo, OP_EQ, axis, lo_int(lo, k));
        strides[k] = lo_array_stride(lo, a, k);
        shape[k] = lo_select(lo, here, count, lo_array_dim(lo, a, k));
        stride = stride ? lo_select(lo, here, strides[k], stride) : strides[k];
    }
    Ref data = lo_op(lo, OP_OFFSET, TY_OF(TY_PTR), 2,
                     (Ref[]){lo_array_data(lo, a), lo_op2(lo, OP_MUL, start, stride)});
    return lo_array_make(lo, c->result, data, lo_array_owner(lo, a), shape, strides);
}

/* axis_insert(a, axis): one more axis, of length 1, at this place. */
static Type *type_axis_insert(Call *c) {
    Type *ty = c->args[0].ty;
    if (!takes_axis(c) || ty->ndim == 32) return rule_no_overload(c);
    char layout = ty->layout == 'C' ? 'C' : 'A';
    return ty_array(ty->elem, ty->ndim + 1u, layout, ty->readonly, ty->aligned);
}

/* The values of n axes with one more in their midst. */
static void insert_at(Lower *lo, uint32_t n, Ref *values, Ref axis, Ref v) {
    Ref old[32];
    memcpy(old, values, n * sizeof *old);
    for (uint32_t k = 0; k <= n; k++) {
        Ref at = lo_int(lo, k), before = k < n ? old[k] : v, behind = k ? old[k - 1] : v;
        Ref here = lo_select(lo, lo_cmp(lo, OP_EQ, at, axis), v, behind);
        values[k] = lo_select(lo, lo_cmp(lo, OP_LT, at, axis), before, here);
    }
}

static Ref lower_axis_insert(Lower *lo, Call *c) {
    Ref a = lo_arg(lo, c->args[0]), shape[33], strides[33];
    uint32_t n = c->args[0].ty->ndim;
    Ref axis = checked_axis(lo, lo_arg_as(lo, c->args[1], TY_I(64)), n + 1);
    for (uint32_t k = 0; k < n; k++)
        shape[k] = lo_array_dim(lo, a, k), strides[k] = lo_array_stride(lo, a, k);
    insert_at(lo, n, shape, axis, lo_int(lo, 1));
    insert_at(lo, n, strides, axis, lo_int(lo, 0));
    return lo_array_make(lo, c->result, lo_array_data(lo, a), lo_array_owner(lo, a), shape,
                         strides);
}

#define INTRINSIC "whipsnake.prelude.intrinsics."

const Row rows_array_functions[] = {
    {.name = "numpy.empty",
     .takes = "a size: an integer or a tuple of integers",
     .params = "shape, dtype=, order=",
     .type = type_empty,
     .lower = lower_empty},
    {.name = "numpy.array",
     .params = "object, dtype=",
     .flags = ROW_LISTS,
     .takes = "an array, a number, or tuples (or lists) of numbers, of one length at each depth",
     .type = type_array,
     .lower = lower_array,
     .doc = "a new array"},
    {.name = INTRINSIC "with_item",
     .params = "values, i, v",
     .type = type_with_item,
     .lower = lower_with_item},
    {.name = INTRINSIC "reshape",
     .params = "a, shape",
     .type = type_reshape,
     .lower = lower_reshape},
    {.name = INTRINSIC "contiguous",
     .params = "a",
     .type = type_contiguous,
     .lower = lower_contiguous},
    {.name = INTRINSIC "is_contiguous",
     .params = "a",
     .type = type_is_contiguous,
     .lower = lower_is_contiguous,
     .constant = const_is_contiguous},
    {.name = INTRINSIC "layout",
     .params = "a",
     .type = type_layout,
     .lower = lower_constant,
     .constant = const_layout},
    {.name = INTRINSIC "reshape_plan",
     .params = "a, shape",
     .type = type_reshape_plan,
     .lower = lower_reshape_plan},
    {.name = INTRINSIC "strided",
     .params = "a, shape, strides",
     .type = type_strided,
     .lower = lower_strided},
    {.name = INTRINSIC "transpose",
     .params = "a",
     .type = type_transpose_fn,
     .lower = lower_transpose_fn},
    {.name = INTRINSIC "dtype_of",
     .params = "x",
     .type = type_dtype_of,
     .lower = lower_constant,
     .constant = const_dtype_of},
    {.name = INTRINSIC "pairwise_sum",
     .params = "a",
     .type = type_pairwise,
     .lower = lower_pairwise},
    {.name = INTRINSIC "has_library_matmul",
     .params = "a, b",
     .type = type_has_matmul,
     .lower = lower_constant,
     .constant = const_has_matmul},
    {.name = INTRINSIC "library_matmul",
     .params = "a, b, out",
     .type = type_matmul,
     .lower = lower_matmul},
    {.name = INTRINSIC "axis_first",
     .params = "a, axis",
     .type = type_axis_first,
     .lower = lower_axis_first},
    {.name = INTRINSIC "axis_part",
     .params = "a, axis, start, stop",
     .type = type_axis_part,
     .lower = lower_axis_part},
    {.name = INTRINSIC "axis_insert",
     .params = "a, axis",
     .type = type_axis_insert,
     .lower = lower_axis_insert},
    {.name = INTRINSIC "same_memory",
     .params = "a, b",
     .type = type_same_memory,
     .lower = lower_same_memory},
    {0},
};

#define ATTRIBUTE(name_, type_, lower_, ...) \
    {.name = name_,                          \
     .params = "",                           \
     .type = type_,                          \
     .lower = lower_,                        \
     .flags = ROW_ATTRIBUTE,                 \
     __VA_ARGS__}

#define ELEMENTWISE(name_, params_, loops_) \
    {.name = name_, .params = params_, .flags = ROW_METHOD | ROW_UFUNC, .loops = loops_}

const Row rows_array_methods[] = {
    ATTRIBUTE("array.shape", int_tuple, lower_shape, ),
    ATTRIBUTE("array.strides", int_tuple, lower_strides, ),
    ATTRIBUTE("array.size", type_int64, lower_size, ),
    ATTRIBUTE("array.nbytes", type_int64, lower_nbytes, ),
    ATTRIBUTE("array.ndim", type_int64, lower_constant, .constant = const_ndim),
    ATTRIBUTE("array.itemsize", type_int64, lower_constant, .constant = const_itemsize),
    ATTRIBUTE("array.dtype", type_dtype, lower_constant, .constant = const_dtype),
    ATTRIBUTE("array.flat", type_flat, lower_flat, ),
    ATTRIBUTE("array.T", type_transposed, lower_transposed, ),
    ATTRIBUTE("array.real", type_part, lower_part, .data = 0),
    ATTRIBUTE("array.imag", type_part, lower_part, .data = 1),
    {.name = "array.astype",
     .params = "dtype",
     .flags = ROW_METHOD,
     .loops = "X>",
     .type = type_astype,
     .lower = lower_astype},
    ELEMENTWISE("array.clip", "min=, max=", "=numpy.clip"),
    ELEMENTWISE("array.round", "decimals=", "=numpy.round"),
    ELEMENTWISE("array.conj", "", "=numpy.conjugate"),
    ELEMENTWISE("array.conjugate", "", "=numpy.conjugate"),
    {0},
};
