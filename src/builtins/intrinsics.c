/* More of what the prelude is written with (whipsnake/prelude/intrinsics.py); views of arrays are in array.c,
 * sorting in sorting.c. */
#include "builtins/tables.h"

/* readonly(a): a view that cannot be written. */
static Type *type_readonly(Call *c) {
    const Type *ty = c->args[0].ty;
    if (ty->kind != TY_ARRAY) return rule_no_overload(c);
    return ty_array(ty->elem, ty->ndim, ty->layout, true, ty->aligned);
}

static Ref lower_readonly(Lower *lo, Call *c) {
    return lo_convert(lo, lo_arg(lo, c->args[0]), c->result);
}

/* reinterpret(a, dtype): the bytes of `a` as other elements; in C order where their size is another. The last axis
 * has a length that fits. */
static Type *type_reinterpret(Call *c) {
    const Type *ty = c->args[0].ty;
    Type *elem = rule_dtype(c, 1, NULL);
    if (!elem || ty->kind != TY_ARRAY) return elem ? rule_no_overload(c) : NULL;
    bool same = elem->size == ty->elem->size;
    if (!same && (ty->layout != 'C' || !ty->ndim)) return rule_no_overload(c);
    return ty_array(elem, ty->ndim, ty->layout, ty->readonly,
                    ty->aligned && elem->size <= ty->elem->size);
}

static Ref lower_reinterpret(Lower *lo, Call *c) {
    Ref a = lo_arg(lo, c->args[0]), shape[32], strides[32];
    uint32_t n = c->result->ndim;
    int64_t old = (int64_t)c->args[0].ty->elem->size, size = (int64_t)c->result->elem->size;
    for (uint32_t k = 0; k < n; k++) {
        shape[k] = lo_array_dim(lo, a, k);
        strides[k] = lo_array_stride(lo, a, k);
    }
    if (old > size) shape[n - 1] = lo_op2(lo, OP_MUL, shape[n - 1], lo_int(lo, old / size));
    if (old < size) shape[n - 1] = lo_op2(lo, OP_FLOORDIV, shape[n - 1], lo_int(lo, size / old));
    if (old != size && n) strides[n - 1] = lo_int(lo, size);
    return lo_array_make(lo, c->result, lo_array_data(lo, a), lo_array_owner(lo, a), shape,
                         strides);
}

/* refuse(text): what leads here cannot be compiled. */
static Type *type_refuse(Call *c) {
    const Const *text = c->args[0].k;
    if (!text) return rule_no_overload(c);
    return infer_fail(c->in, c->span, D_TYPING, text->str.s);
}

static Ref lower_none(Lower *lo, Call *c) { return (void)c, lo_zero(lo, TY_OF(TY_NONE)); }

/* --- dtypes ------------------------------------------------------------------------------------------------------ */

/* May the number be Python's, of which only the kind counts? */
static bool is_weak(const Type *ty) {
    return ty->kind == TY_INT ? ty == TY_I(64) : ty == TY_F(64) || ty == TY_C(128);
}

/* What an item says of the dtype; *weak: only its kind. NULL: nothing. */
static Type *dtype_in(Call *c, Type *ty, bool *weak) {
    ty = infer_plain(ty);
    *weak = ty_is_number(ty) && is_weak(ty);
    if (ty->kind == TY_ARRAY) return ty->elem;
    if (ty->kind == TY_DTYPE) return ty->of;
    if ((ty->kind == TY_CLASS || ty->kind == TY_FUNC) && ty->obj)
        return rule_object_type(c->in, ty->obj);
    return ty_is_number(ty) ? ty : NULL;
}

/* The dtype that arrays, numbers and dtypes of a tuple have in common: numbers of Python only count with
 * their kind. NULL: there is none. */
static Type *common_dtype(Call *c) {
    Type *items = c->args[0].ty, *all = NULL;
    if (items->kind != TY_TUPLE) return NULL;
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < items->nitems; i++) {
            bool weak;
            Type *one = dtype_in(c, items->items[i], &weak);
            if (!one) return NULL;
            if (weak == round)
                all = !all ? one : weak ? ty_dtype_weak(all, one) : ty_dtype_join(all, one);
        }
    return all;
}

static Type *type_common_dtype(Call *c) {
    Type *all = common_dtype(c);
    return all ? ty_dtype(all) : rule_no_overload(c);
}

static Const *const_common_dtype(Call *c) {
    Const *k = NEW(c->in->cx, Const);
    k->ty = type_common_dtype(c);
    return k;
}

/* copy_items(to, from): arrays of one type and shape without gaps, apart from each other. */
static Type *type_copy_items(Call *c) {
    const Type *to = c->args[0].ty, *from = c->args[1].ty;
    bool good = to->kind == TY_ARRAY && from->kind == TY_ARRAY && to->elem == from->elem &&
                to->ndim == from->ndim && to->layout == from->layout && to->layout != 'A';
    return good ? TY_OF(TY_NONE) : rule_no_overload(c);
}

static Ref lower_copy_items(Lower *lo, Call *c) {
    Ref to = lo_arg(lo, c->args[0]), from = lo_arg(lo, c->args[1]);
    Ref bytes = lo_op2(lo, OP_MUL, lo_array_size(lo, from), lo_int(lo, c->args[0].ty->elem->size));
    Ref args[] = {lo_array_data(lo, to), lo_array_data(lo, from), bytes};
    return lo_rt(lo, "ws_copy_bytes", TY_OF(TY_NONE), 3, args);
}

/* returned_dtype(f, args): of the number that f(*args) gives. */
static Type *type_returned_dtype(Call *c) {
    Type *items = c->args[1].ty;
    if (items->kind != TY_TUPLE) return rule_no_overload(c);
    Arg *args = NEWN(c->in->cx, Arg, items->nitems + 1);
    for (uint32_t i = 0; i < items->nitems; i++) args[i] = (Arg){.item = -1, .ty = items->items[i]};
    Callee callee;
    Inst *f = infer_call_value(c->in, c->inst, c->args[0], args, items->nitems, c->ins, &callee);
    if (!f || f->ret->kind == TY_UNDEF) return NULL;
    if (ty_is_number(f->ret)) return ty_dtype(f->ret);
    return infer_fail(c->in, f->high->span, D_TYPING,
                      cx_printf(c->in->cx, "%s() has to return a number here, not %s", f->def->name,
                                infer_value_text(c->in->cx, f->ret)));
}

static Const *const_returned_dtype(Call *c) {
    Const *k = NEW(c->in->cx, Const);
    k->ty = type_returned_dtype(c);
    return k;
}

/* --- masks -------------------------------------------------------------------------------------------------------- */

static bool is_mask(const Call *c) {
    const Type *ty = c->args[0].ty;
    return ty->kind == TY_ARRAY && ty->ndim == 1 && ty->layout == 'C' && ty->elem->kind == TY_BOOL;
}

/* count_true(mask) */
static Type *type_count_true(Call *c) { return is_mask(c) ? TY_I(64) : rule_no_overload(c); }

static Ref lower_count_true(Lower *lo, Call *c) {
    Ref a = lo_arg(lo, c->args[0]), args[] = {lo_array_data(lo, a), lo_array_dim(lo, a, 0)};
    return lo_rt(lo, "ws_count_true", TY_I(64), 2, args);
}

/* find_bool(mask, value): the first place of True or False, or how many there are. */
static Type *type_find_bool(Call *c) {
    return is_mask(c) && plain(c, 1)->kind == TY_BOOL ? TY_I(64) : rule_no_overload(c);
}

static Ref lower_find_bool(Lower *lo, Call *c) {
    Ref a = lo_arg(lo, c->args[0]), value = lo_arg_as(lo, c->args[1], TY_I(64));
    Ref args[] = {lo_array_data(lo, a), lo_array_dim(lo, a, 0), value};
    return lo_rt(lo, "ws_find_bool", TY_I(64), 3, args);
}

/* true_places(mask, places): int64, with room for all and one more. */
static Type *type_true_places(Call *c) {
    const Type *to = c->args[1].ty;
    bool good = is_mask(c) && to->kind == TY_ARRAY && to->ndim == 1 && to->layout == 'C' &&
                to->elem == TY_I(64);
    return good ? TY_OF(TY_NONE) : rule_no_overload(c);
}

static Ref lower_true_places(Lower *lo, Call *c) {
    Ref a = lo_arg(lo, c->args[0]), to = lo_arg(lo, c->args[1]);
    Ref args[] = {lo_array_data(lo, a), lo_array_dim(lo, a, 0), lo_array_data(lo, to)};
    return lo_rt(lo, "ws_true_places", TY_OF(TY_NONE), 3, args);
}

/* take_true(a, mask, out): the items along the first axis of a C array where the mask is true, side by side. */
static Type *type_take_true(Call *c) {
    const Type *a = c->args[0].ty, *mask = c->args[1].ty, *to = c->args[2].ty;
    bool good = a->kind == TY_ARRAY && a->layout == 'C' && mask->kind == TY_ARRAY &&
                mask->ndim == 1 && mask->layout == 'C' && mask->elem->kind == TY_BOOL &&
                to->kind == TY_ARRAY && to->layout == 'C' && to->elem == a->elem &&
                to->ndim == a->ndim && a->ndim;
    return good ? TY_OF(TY_NONE) : rule_no_overload(c);
}

static Ref lower_take_true(Lower *lo, Call *c) {
    Ref a = lo_arg(lo, c->args[0]), mask = lo_arg(lo, c->args[1]), to = lo_arg(lo, c->args[2]);
    Ref width = lo_int(lo, c->args[0].ty->elem->size);
    for (uint32_t k = 1; k < c->args[0].ty->ndim; k++)
        width = lo_op2(lo, OP_MUL, width, lo_array_dim(lo, a, k));
    Ref args[] = {lo_array_data(lo, a),  lo_array_data(lo, mask), lo_array_dim(lo, mask, 0), width,
                  lo_array_data(lo, to), lo_array_dim(lo, to, 0)};
    return lo_rt(lo, "ws_take_true", TY_OF(TY_NONE), 6, args);
}

#define INTRINSIC "whipsnake.prelude.intrinsics."

const Row rows_intrinsics[] = {
    {.name = INTRINSIC "readonly", .params = "a", .type = type_readonly, .lower = lower_readonly},
    {.name = INTRINSIC "reinterpret",
     .params = "a, dtype",
     .type = type_reinterpret,
     .lower = lower_reinterpret},
    {.name = INTRINSIC "refuse", .params = "text", .type = type_refuse, .lower = lower_none},
    {.name = INTRINSIC "count_true",
     .params = "mask",
     .type = type_count_true,
     .lower = lower_count_true},
    {.name = INTRINSIC "true_places",
     .params = "mask, places",
     .type = type_true_places,
     .lower = lower_true_places},
    {.name = INTRINSIC "copy_items",
     .params = "to, a",
     .type = type_copy_items,
     .lower = lower_copy_items},
    {.name = INTRINSIC "find_bool",
     .params = "mask, value",
     .type = type_find_bool,
     .lower = lower_find_bool},
    {.name = INTRINSIC "take_true",
     .params = "a, mask, out",
     .type = type_take_true,
     .lower = lower_take_true},
    {.name = INTRINSIC "common_dtype",
     .params = "arrays",
     .type = type_common_dtype,
     .lower = lower_constant,
     .constant = const_common_dtype},
    {.name = INTRINSIC "returned_dtype",
     .params = "f, args",
     .type = type_returned_dtype,
     .lower = lower_constant,
     .constant = const_returned_dtype},
    {.name = "numpy.result_type",
     .params = "*arrays_and_dtypes",
     .takes = "arrays, numbers and dtypes",
     .type = type_common_dtype,
     .lower = lower_constant,
     .constant = const_common_dtype,
     .doc = "the dtype that arrays, numbers and dtypes have in common"},
    {0},
};
