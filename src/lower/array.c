/* Arrays as values: fields, addresses, new ones, views. */
#include "lower/lower.h"

enum { F_DATA, F_OWNER, F_SHAPE };

Ref lo_array_data(Lower *lo, Ref a) { return lo_field(lo, a, F_DATA); }
Ref lo_array_owner(Lower *lo, Ref a) { return lo_field(lo, a, F_OWNER); }
Ref lo_array_dim(Lower *lo, Ref a, uint32_t axis) { return lo_field(lo, a, F_SHAPE + axis); }

Ref lo_array_stride(Lower *lo, Ref a, uint32_t axis) {
    Type *ty = lo_type(lo, a);
    if (ty->layout == 'A') return lo_field(lo, a, F_SHAPE + ty->ndim + axis);
    Ref r = lo_int(lo, ty->elem->size);
    uint32_t from = ty->layout == 'C' ? axis + 1 : 0, to = ty->layout == 'C' ? ty->ndim : axis;
    for (uint32_t i = from; i < to; i++) r = lo_op2(lo, OP_MUL, r, lo_array_dim(lo, a, i));
    return r;
}

Ref lo_array_size(Lower *lo, Ref a) {
    Type *ty = lo_type(lo, a);
    if (ty->ndim == 0) return lo_int(lo, 1);
    Ref r = lo_array_dim(lo, a, 0);
    for (uint32_t i = 1; i < ty->ndim; i++) r = lo_op2(lo, OP_MUL, r, lo_array_dim(lo, a, i));
    return r;
}

Ref lo_array_make(Lower *lo, Type *ty, Ref data, Ref owner, const Ref *shape, const Ref *strides) {
    Ref fields[2 + 2 * 32];
    uint32_t n = 0;
    fields[n++] = data;
    fields[n++] = owner;
    for (uint32_t i = 0; i < ty->ndim; i++) fields[n++] = shape[i];
    for (uint32_t i = 0; ty->layout == 'A' && i < ty->ndim; i++) fields[n++] = strides[i];
    return lo_make(lo, ty, n, fields);
}

Ref lo_array_bytes(Lower *lo, const Type *ty, const Ref *shape) {
    Ref zero = lo_int(lo, 0), one = lo_int(lo, 1), bytes = lo_int(lo, ty->elem->size);
    for (uint32_t i = 0; i < ty->ndim; i++) {
        lo_check(lo, lo_cmp(lo, OP_GE, shape[i], zero), CHECK_NEG_SIZE);
        Ref limit =
            lo_op2(lo, OP_FLOORDIV, lo_int(lo, INT64_MAX), lo_math2(lo, MATH_MAX, shape[i], one));
        lo_check(lo, lo_cmp(lo, OP_LE, bytes, limit), CHECK_SIZE_OVERFLOW);
        bytes = lo_op2(lo, OP_MUL, bytes, shape[i]);
    }
    return bytes;
}

Ref lo_array_new(Lower *lo, Type *ty, const Ref *shape) {
    Ref owner = lo_op1(lo, OP_ALLOC, TY_OF(TY_PTR), lo_array_bytes(lo, ty, shape));
    return lo_array_make(lo, ty, lo_op1(lo, OP_DATA, TY_OF(TY_PTR), owner), owner, shape, NULL);
}

static Ref element(Lower *lo, Ref a, const Ref *index) {
    Ref args[33] = {a};
    uint32_t n = lo_type(lo, a)->ndim;
    for (uint32_t i = 0; i < n; i++) args[1 + i] = index[i];
    return lo_op(lo, OP_ELEM, TY_OF(TY_PTR), n + 1, args);
}

Ref lo_array_get(Lower *lo, Ref a, const Ref *index) {
    Type *ty = lo_type(lo, a);
    return lo_load(lo, ty->elem, element(lo, a, index), !ty->aligned);
}

void lo_array_set(Lower *lo, Ref a, const Ref *index, Ref v) {
    Type *ty = lo_type(lo, a);
    lo_store(lo, element(lo, a, index), lo_convert(lo, v, ty->elem), !ty->aligned);
}

Ref lo_index(Lower *lo, Ref a, uint32_t axis, Ref i) {
    return lo_index_in(lo, i, lo_array_dim(lo, a, axis), axis);
}

Ref lo_index_in(Lower *lo, Ref i, Ref n, uint32_t axis) {
    Type *ty = lo_type(lo, i);
    if (ty->kind == TY_OPTIONAL || ty->kind == TY_ENUM) i = lo_convert(lo, i, TY_I(64));
    bool is_unsigned =
        ty->kind == TY_INT && !ty->is_signed; /* 2**63 and more become negative: out of range */
    Ref as64 = lo_convert(lo, i, TY_I(64));
    const Ins *k = ir_at(lo->fn, as64);
    bool positive = is_unsigned || (k->op == OP_CONST && k->k->i >= 0);
    Ref wrapped = positive ? as64 : lo_op2(lo, OP_WRAP, as64, n);
    Ref c = lo_op(lo, OP_CHECK_INDEX, TY_OF(TY_NONE), 3, (Ref[]){wrapped, n, as64});
    ir_at(lo->fn, c)->imm = axis;
    ir_at(lo->fn, c)->imm2 = !lo->fn->options.boundscheck;
    return wrapped;
}

Ref lo_array_row(Lower *lo, Ref a, Ref pos) {
    Type *ty = lo_type(lo, a);
    Ref shape[32], strides[32];
    char layout = ty->layout == 'C' ? 'C' : 'A';
    for (uint32_t i = 1; i < ty->ndim; i++) {
        shape[i - 1] = lo_array_dim(lo, a, i);
        if (layout == 'A') strides[i - 1] = lo_array_stride(lo, a, i);
    }
    Ref bytes = lo_op2(lo, OP_MUL, pos, lo_array_stride(lo, a, 0));
    Ref data = lo_op(lo, OP_OFFSET, TY_OF(TY_PTR), 2, (Ref[]){lo_array_data(lo, a), bytes});
    Type *row = ty_array(ty->elem, ty->ndim - 1u, layout, ty->readonly, ty->aligned);
    return lo_array_make(lo, row, data, lo_array_owner(lo, a), shape, strides);
}

Ref lo_array_same(Lower *lo, Ref a, Ref b) {
    if (lo_type(lo, a) != lo_type(lo, b)) return lo_bool(lo, false);
    Ref r = lo_bool(lo, true);
    for (uint32_t i = 0; i < ir_field_count(lo_type(lo, a)); i++)
        if (i != F_OWNER)
            r = lo_and(lo, r, lo_cmp(lo, OP_EQ, lo_field(lo, a, i), lo_field(lo, b, i)));
    return r;
}
