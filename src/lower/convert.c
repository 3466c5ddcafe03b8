/* Conversions between types, truth, equality. */
#include <string.h>

#include "lower/lower_int.h"

static Ref convert_number(Lower *lo, Ref v, Type *from, Type *to) {
    if (from->kind == TY_ENUM) from = from->of;
    if (to->kind == TY_COMPLEX) {
        Type *part = TY_F(to->bits / 2u);
        if (from->kind == TY_COMPLEX)
            return lo_complex(lo, to, lo_convert(lo, lo_field(lo, v, 0), part),
                              lo_convert(lo, lo_field(lo, v, 1), part));
        return lo_complex(lo, to, lo_convert(lo, v, part), lo_float(lo, part, 0));
    }
    if (from->kind == TY_COMPLEX)
        return lo_convert(lo, lo_field(lo, v, 0), to); /* the real part, as astype */
    if (to->kind == TY_BOOL) return lo_cmp(lo, OP_NE, v, lo_number(lo, from, 0));
    const Ins *ins = ir_at(lo->fn, v);
    if (ins->op == OP_CONST) {
        if (from->kind != TY_FLOAT && to->kind == TY_FLOAT) {
            double f = from->kind == TY_INT && !from->is_signed ? (double)(uint64_t)ins->k->i
                                                                : (double)ins->k->i;
            return lo_float(lo, to, to->bits == 32 ? (double)(float)ins->k->i : f);
        }
        if (from->kind == TY_FLOAT && to->kind == TY_FLOAT)
            return lo_float(lo, to, to->bits == 32 ? (double)(float)ins->k->f[0] : ins->k->f[0]);
        if (from->kind != TY_FLOAT && to->kind == TY_INT && to->bits == 64)
            return lo_const(lo, ir_const_int(lo->cx, to, ins->k->i));
    }
    return lo_op1(lo, OP_CAST, to, v);
}

static Ref convert_optional(Lower *lo, Ref v, Type *from, Type *to) {
    if (to->kind == TY_OPTIONAL) {
        if (from->kind == TY_NONE) return lo_zero(lo, to);
        if (from->kind == TY_OPTIONAL)
            return lo_make(lo, to, 2,
                           (Ref[]){lo_field(lo, v, 0), lo_convert(lo, lo_field(lo, v, 1), to->of)});
        return lo_make(lo, to, 2, (Ref[]){lo_bool(lo, true), lo_convert(lo, v, to->of)});
    }
    lo_check(lo, lo_field(lo, v, 0), CHECK_IS_NONE);
    return lo_convert(lo, lo_field(lo, v, 1), to);
}

static Ref convert_tuple(Lower *lo, Ref v, Type *from, Type *to) {
    Ref *fields = NEWN(lo->cx, Ref, to->nitems + 1);
    for (uint32_t i = 0; i < to->nitems; i++)
        fields[i] = lo_convert(lo, lo_field(lo, v, i), to->items[i]);
    (void)from;
    return lo_make(lo, to, to->nitems, fields);
}

static Ref convert_array(Lower *lo, Ref v, Type *to) {
    Ref shape[32], strides[32];
    for (uint32_t i = 0; i < to->ndim; i++) {
        shape[i] = lo_array_dim(lo, v, i);
        if (to->layout == 'A') strides[i] = lo_array_stride(lo, v, i);
    }
    return lo_array_make(lo, to, lo_array_data(lo, v), lo_array_owner(lo, v), shape, strides);
}

static int64_t place_of(const Type *choice, const Type *function) {
    for (uint32_t i = 0; i < choice->nitems; i++)
        if (choice->items[i] == function) return i;
    return 0;
}

/* A function, or one of fewer functions, as one of several. */
static Ref convert_function(Lower *lo, Ref v, Type *from, Type *to) {
    if (!from->nitems) {
        Ref which = lo_int(lo, place_of(to, from));
        return lo_make(lo, to, 1, &which);
    }
    Ref old = lo_field(lo, v, 0), which = lo_int(lo, place_of(to, from->items[0]));
    for (uint32_t i = 1; i < from->nitems; i++)
        which = lo_select(lo, lo_cmp(lo, OP_EQ, old, lo_int(lo, i)),
                          lo_int(lo, place_of(to, from->items[i])), which);
    return lo_make(lo, to, 1, &which);
}

Ref lo_convert(Lower *lo, Ref v, Type *to) {
    Type *from = lo_type(lo, v);
    if (from == to) return v;
    if (from->kind == TY_OPTIONAL || to->kind == TY_OPTIONAL)
        return convert_optional(lo, v, from, to);
    if ((ty_is_number(from) || from->kind == TY_ENUM) && ty_is_number(to))
        return convert_number(lo, v, from, to);
    if (from->kind == TY_TUPLE && to->kind == TY_TUPLE && from->nitems == to->nitems)
        return convert_tuple(lo, v, from, to);
    if (from->kind == TY_ARRAY && to->kind == TY_ARRAY && from->ndim == to->ndim &&
        from->elem == to->elem)
        return convert_array(lo, v, to);
    if (from->kind == TY_UNDEF) return lo_zero(lo, to);
    if (from->kind == TY_FUNC && to->kind == TY_FUNC && to->nitems)
        return convert_function(lo, v, from, to);
    if (from->nparts == to->nparts &&
        (from->nparts == 0 || !memcmp(from->parts, to->parts, from->nparts))) {
        uint32_t n = ir_field_count(from);
        if (!n) return lo_zero(lo, to);
        Ref *fields = NEWN(lo->cx, Ref, n);
        for (uint32_t i = 0; i < n; i++) fields[i] = lo_field(lo, v, i);
        return lo_make(lo, to, n, fields);
    }
    diag_fail(lo->cx, lo->span, D_BAD_CONVERSION, infer_type_text(lo->cx, from),
              infer_type_text(lo->cx, to));
}

/* --- truth ---------------------------------------------------------------------------------------------------------- */

Ref lo_truth(Lower *lo, Ref v) {
    Type *ty = lo_type(lo, v);
    switch ((TyKind)ty->kind) {
    case TY_BOOL: return v;
    case TY_INT:
    case TY_FLOAT:
    case TY_ENUM: return lo_cmp(lo, OP_NE, v, lo_zero(lo, ty));
    case TY_COMPLEX:
        return lo_or(lo, lo_truth(lo, lo_field(lo, v, 0)), lo_truth(lo, lo_field(lo, v, 1)));
    case TY_NONE: return lo_bool(lo, false);
    case TY_OPTIONAL: return lo_and(lo, lo_field(lo, v, 0), lo_truth(lo, lo_field(lo, v, 1)));
    case TY_TUPLE: return lo_bool(lo, ty->nitems > 0);
    case TY_STR:
    case TY_BYTES: return lo_cmp(lo, OP_NE, lo_field(lo, v, 1), lo_int(lo, 0));
    case TY_RANGE: return lo_cmp(lo, OP_NE, lo_range_length(lo, v), lo_int(lo, 0));
    case TY_EXC:
        if (ty->bits != EXC_ITS_ARGS) return lo_bool(lo, true);
        return lo_cmp(lo, OP_NE, lo_rt(lo, "ws_exc_count", TY_I(64), 1, &v), lo_int(lo, 0));
    case TY_ARRAY: return lo_truth(lo, lo_array_get(lo, v, NULL));
    default: return lo_bool(lo, true);
    }
}

/* --- equality -------------------------------------------------------------------------------------------------------- */

bool lo_can_equal(const Type *a, const Type *b) {
    if (ty_is_number(a) && ty_is_number(b)) return true;
    if (a->kind == TY_OPTIONAL || b->kind == TY_OPTIONAL)
        return lo_can_equal(infer_plain((Type *)a), infer_plain((Type *)b));
    if (a->kind == TY_ARRAY || b->kind == TY_ARRAY) return false;
    if (ty_is_exc(a, EXC_ITS_ARGS) || ty_is_exc(b, EXC_ITS_ARGS)) return false;
    if (a->kind == TY_TUPLE && b->kind == TY_TUPLE && a->nitems == b->nitems) {
        for (uint32_t i = 0; i < a->nitems; i++)
            if (!lo_can_equal(a->items[i], b->items[i])) return false;
    }
    return true;
}

static Ref equal_optional(Lower *lo, Ref v, Ref w) {
    Type *a = lo_type(lo, v), *b = lo_type(lo, w);
    if (b->kind != TY_OPTIONAL) return equal_optional(lo, w, v);
    if (a->kind == TY_NONE) return lo_not(lo, lo_field(lo, w, 0));
    Ref has = lo_field(lo, w, 0),
        same = lo_equal(lo, a->kind == TY_OPTIONAL ? lo_field(lo, v, 1) : v, lo_field(lo, w, 1));
    if (a->kind != TY_OPTIONAL) return lo_and(lo, has, same);
    Ref both = lo_and(lo, has, lo_field(lo, v, 0)),
        none = lo_not(lo, lo_or(lo, has, lo_field(lo, v, 0)));
    return lo_or(lo, none, lo_and(lo, both, same));
}

Ref lo_equal(Lower *lo, Ref v, Ref w) {
    Type *a = lo_type(lo, v), *b = lo_type(lo, w);
    if (a->kind == TY_OPTIONAL || b->kind == TY_OPTIONAL) return equal_optional(lo, v, w);
    if (ty_is_number(a) && ty_is_number(b)) return lo_compare_number(lo, CMP_EQ, v, w);
    if (a->kind == TY_ENUM || b->kind == TY_ENUM) {
        if (a == b) return lo_cmp(lo, OP_EQ, v, w);
        bool numbers = (ty_is_number(a) || (a->kind == TY_ENUM && a->is_signed)) &&
                       (ty_is_number(b) || (b->kind == TY_ENUM && b->is_signed));
        if (!numbers) return lo_bool(lo, false);
        return lo_compare_number(lo, CMP_EQ, a->kind == TY_ENUM ? lo_convert(lo, v, TY_I(64)) : v,
                                 b->kind == TY_ENUM ? lo_convert(lo, w, TY_I(64)) : w);
    }
    if (ty_is_exc(a, EXC_ITS_CLASS)) return lower_exc_class_is(lo, v, w);
    if (ty_is_exc(b, EXC_ITS_CLASS)) return lower_exc_class_is(lo, w, v);
    if (a->kind != b->kind) return lo_bool(lo, false);
    switch ((TyKind)a->kind) {
    case TY_STR:
    case TY_BYTES: return lo_rt(lo, "ws_str_eq", TY_OF(TY_BOOL), 2, (Ref[]){v, w});
    case TY_TUPLE: {
        if (a->nitems != b->nitems) return lo_bool(lo, false);
        Ref r = lo_bool(lo, true);
        for (uint32_t i = 0; i < a->nitems; i++)
            r = lo_and(lo, r, lo_equal(lo, lo_field(lo, v, i), lo_field(lo, w, i)));
        return r;
    }
    case TY_RANGE:
    case TY_SLICE: {
        Ref r = lo_bool(lo, a == b);
        for (uint32_t i = 0; a == b && i < ir_field_count(a); i++)
            r = lo_and(lo, r, lo_cmp(lo, OP_EQ, lo_field(lo, v, i), lo_field(lo, w, i)));
        return r;
    }
    case TY_EXC: return lower_exc_is(lo, v, w);
    default: return lo_bool(lo, a == b);
    }
}
