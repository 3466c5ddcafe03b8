/* Arithmetic on numbers with Python's meaning: checks that raise, then operations that cannot. */
#include <math.h>

#include "lower/lower.h"

static Ref is_nonzero(Lower *lo, Ref v) {
    return lo_cmp(lo, OP_NE, v, lo_number(lo, lo_type(lo, v), 0));
}

/* --- complex ------------------------------------------------------------------------------------------------------ */

static Ref complex_mul(Lower *lo, Type *ty, Ref a, Ref b) {
    Ref ar = lo_field(lo, a, 0), ai = lo_field(lo, a, 1), br = lo_field(lo, b, 0),
        bi = lo_field(lo, b, 1);
    Ref re = lo_op2(lo, OP_SUB, lo_op2(lo, OP_MUL, ar, br), lo_op2(lo, OP_MUL, ai, bi));
    Ref im = lo_op2(lo, OP_ADD, lo_op2(lo, OP_MUL, ar, bi), lo_op2(lo, OP_MUL, ai, br));
    return lo_complex(lo, ty, re, im);
}

/* Smith's method, as CPython's and NumPy's: scaled by the larger part of the divisor. */
static Ref complex_div(Lower *lo, Type *ty, Ref a, Ref b) {
    Ref ar = lo_field(lo, a, 0), ai = lo_field(lo, a, 1), br = lo_field(lo, b, 0),
        bi = lo_field(lo, b, 1);
    if (!lo->fn->options.numpy_errors)
        lo_check(lo, lo_or(lo, is_nonzero(lo, br), is_nonzero(lo, bi)), CHECK_ZERO_DIV_CPLX);
    Ref wide = lo_cmp(lo, OP_GE, lo_math1(lo, MATH_FABS, br), lo_math1(lo, MATH_FABS, bi));
    Ref big = lo_select(lo, wide, br, bi), small = lo_select(lo, wide, bi, br);
    Ref ratio = lo_op2(lo, OP_FDIV, small, big);
    Ref den = lo_op2(lo, OP_ADD, big, lo_op2(lo, OP_MUL, small, ratio));
    /* wide: ((ar + ai*r) / den, (ai - ar*r) / den); else ((ar*r + ai) / den, (ai*r - ar) / den) */
    Ref air = lo_op2(lo, OP_MUL, ai, ratio), arr = lo_op2(lo, OP_MUL, ar, ratio);
    Ref re = lo_select(lo, wide, lo_op2(lo, OP_ADD, ar, air), lo_op2(lo, OP_ADD, arr, ai));
    Ref im = lo_select(lo, wide, lo_op2(lo, OP_SUB, ai, arr), lo_op2(lo, OP_SUB, air, ar));
    if (lo->fn->options.numpy_errors) { /* by zero: each part by +0.0 */
        Ref zero = lo_not(lo, is_nonzero(lo, big));
        re = lo_select(lo, zero, ar, re);
        im = lo_select(lo, zero, ai, im);
        den = lo_select(lo, zero, lo_math1(lo, MATH_FABS, big), den);
    }
    return lo_complex(lo, ty, lo_op2(lo, OP_FDIV, re, den), lo_op2(lo, OP_FDIV, im, den));
}

static Ref complex_pow(Lower *lo, Type *ty, Ref a, Ref b, const Const *kb) {
    if (kb && kb->ty->kind != TY_COMPLEX) {
        double e = kb->ty->kind == TY_FLOAT ? kb->f[0] : (double)kb->i;
        if (e == 2) return complex_mul(lo, ty, a, a);
        if (e == 3) return complex_mul(lo, ty, complex_mul(lo, ty, a, a), a);
    }
    Type *c = TY_C(128);
    Ref args[] = {lo_convert(lo, a, c), lo_convert(lo, b, c)};
    const char *fn = lo->fn->options.numpy_errors ? "ws_cpow_numpy" : "ws_cpow";
    return lo_convert(lo, lo_rt(lo, fn, c, 2, args), ty);
}

static Ref complex_binary(Lower *lo, BinOp op, Ref a, Ref b, Type *ty, const Const *kb) {
    switch (op) {
    case BIN_ADD:
    case BIN_SUB: {
        Op o = op == BIN_ADD ? OP_ADD : OP_SUB;
        return lo_complex(lo, ty, lo_op2(lo, o, lo_field(lo, a, 0), lo_field(lo, b, 0)),
                          lo_op2(lo, o, lo_field(lo, a, 1), lo_field(lo, b, 1)));
    }
    case BIN_MUL: return complex_mul(lo, ty, a, b);
    case BIN_TRUEDIV: return complex_div(lo, ty, a, b);
    case BIN_POW: return complex_pow(lo, ty, a, b, kb);
    default: INTERNAL(lo->cx, lo->span, "no such complex operation");
    }
}

/* --- powers ------------------------------------------------------------------------------------------------------------ */

/* v ** n by squaring, n >= 1 and small. */
static Ref power_chain(Lower *lo, Ref v, uint64_t n) {
    Ref r = 0;
    for (; n; n >>= 1) {
        if (n & 1) r = r ? lo_op2(lo, OP_MUL, r, v) : v;
        if (n > 1) v = lo_op2(lo, OP_MUL, v, v);
    }
    return r;
}

static Ref int_pow(Lower *lo, Ref a, Ref b, Type *ty, const Const *kb) {
    if (kb && kb->i == 0) return lo_number(lo, ty, 1);
    if (kb && kb->i > 0 && kb->i <= 64) return power_chain(lo, a, (uint64_t)kb->i);
    if (lo_type(lo, b)->is_signed)
        lo_check(lo, lo_cmp(lo, OP_GE, b, lo_number(lo, lo_type(lo, b), 0)), CHECK_NEG_POW);
    return lo_rt(lo, "ws_ipow", ty, 2,
                 (Ref[]){a, b}); /* wraps: the same bits for signed and unsigned */
}

/* Python's `x ** y`: 0.0 to a negative power raises, so does a finite power that overflows. */
static Ref float_pow(Lower *lo, Ref a, Ref b, const Const *kb) {
    bool checked = !lo->fn->options.numpy_errors;
    Ref r;
    double e = kb && kb->ty->kind == TY_FLOAT ? kb->f[0] : kb ? (double)kb->i : 0.5;
    if (kb && e == 0) return lo_number(lo, lo_type(lo, a), 1);
    bool whole = kb && e == (double)(int64_t)e && e >= -8 && e <= 8;
    if (checked && !(kb && e > 0)) {
        Ref zero = lo_number(lo, lo_type(lo, a), 0);
        /* 0.0 ** -inf is inf */
        Ref finite = lo_cmp(lo, OP_GT, b, lo_number(lo, lo_type(lo, b), -INFINITY));
        Ref bad =
            lo_and(lo, lo_cmp(lo, OP_EQ, a, zero), lo_and(lo, lo_cmp(lo, OP_LT, b, zero), finite));
        lo_check(lo, lo_not(lo, bad), CHECK_ZERO_POW);
    }
    if (kb && e == 0.5 && lo->fn->options.fast & FAST_AFN)
        r = lo_math1(lo, MATH_SQRT, a);
    else if (whole)
        r = power_chain(lo, e < 0 ? lo_op2(lo, OP_FDIV, lo_number(lo, lo_type(lo, a), 1), a) : a,
                        (uint64_t)(e < 0 ? -e : e));
    else
        r = lo_math2(lo, MATH_POW, a, b);
    if (checked && !(whole && e == 1)) {
        Ref fine = lo_not(lo, lo_math1(lo, MATH_ISINF, r));
        Ref given = lo_or(lo, lo_math1(lo, MATH_ISINF, a), lo_math1(lo, MATH_ISINF, b));
        lo_check(lo, lo_or(lo, fine, given), CHECK_POW_RANGE);
    }
    return r;
}

/* --- division ------------------------------------------------------------------------------------------------------------ */

static Ref int_divide(Lower *lo, BinOp op, Ref a, Ref b, const Const *kb) {
    Op o = op == BIN_MOD ? OP_FLOORMOD : OP_FLOORDIV;
    if (kb && kb->i) return lo_op2(lo, o, a, b);
    Ref good = is_nonzero(lo, b);
    if (!lo->fn->options.numpy_errors) {
        lo_check(lo, good, op == BIN_MOD ? CHECK_ZERO_MOD_INT : CHECK_ZERO_DIV_INT);
        return lo_op2(lo, o, a, b);
    }
    /* NumPy's model: x // 0 and x % 0 are 0 */
    Ref zero = lo_number(lo, lo_type(lo, a), 0);
    Ref safe = lo_select(lo, good, b, lo_number(lo, lo_type(lo, b), 1));
    return lo_select(lo, good, lo_op2(lo, o, a, safe), zero);
}

static Ref float_divide(Lower *lo, BinOp op, Ref a, Ref b, const Const *kb, bool of_ints) {
    static const CheckKind kinds[] = {[BIN_TRUEDIV] = CHECK_ZERO_DIV_FLOAT,
                                      [BIN_FLOORDIV] = CHECK_ZERO_FLOORDIV,
                                      [BIN_MOD] = CHECK_ZERO_MOD_FLOAT};
    bool known = kb && (kb->ty->kind == TY_FLOAT ? kb->f[0] != 0 : kb->i != 0);
    CheckKind kind = op == BIN_TRUEDIV && of_ints ? CHECK_ZERO_DIV : kinds[op];
    if (!lo->fn->options.numpy_errors && !known) lo_check(lo, is_nonzero(lo, b), kind);
    return lo_op2(lo,
                  op == BIN_TRUEDIV ? OP_FDIV
                  : op == BIN_MOD   ? OP_FLOORMOD
                                    : OP_FLOORDIV,
                  a, b);
}

/* --- the operators ------------------------------------------------------------------------------------------------------- */

static Ref shift(Lower *lo, BinOp op, Ref a, Ref b, const Const *kb) {
    Type *ty = lo_type(lo, b);
    if (ty->is_signed && !(kb && kb->i >= 0))
        lo_check(lo, lo_cmp(lo, OP_GE, b, lo_number(lo, ty, 0)), CHECK_NEG_SHIFT);
    if (ty != lo_type(lo, a)) {
        /* counts beyond int64 shift everything out: keep them large */
        if (!ty->is_signed) b = lo_math2(lo, MATH_MIN, b, lo_number(lo, ty, 64));
        b = lo_convert(lo, b, lo_type(lo, a));
    }
    return lo_op2(lo, op == BIN_LSHIFT ? OP_SHL : OP_SHR, a, b);
}

Ref lo_binary_number(Lower *lo, BinOp op, Ref a, Ref b, Type *operand, Type *result, Const *kb) {
    bool keeps = op == BIN_LSHIFT || op == BIN_RSHIFT || (op == BIN_POW && operand->kind == TY_INT);
    bool of_ints = lo_type(lo, a)->kind != TY_FLOAT && lo_type(lo, b)->kind != TY_FLOAT;
    a = lo_convert(lo, a, operand);
    if (keeps) {
        if (lo_type(lo, b)->kind == TY_BOOL || lo_type(lo, b)->bits < 64)
            b = lo_convert(lo, b, TY_I(64));
    } else {
        b = lo_convert(lo, b, operand);
    }
    if (operand->kind == TY_COMPLEX) return complex_binary(lo, op, a, b, result, kb);
    bool is_float = operand->kind == TY_FLOAT;
    static const Op plain[] = {[BIN_ADD] = OP_ADD, [BIN_SUB] = OP_SUB, [BIN_MUL] = OP_MUL,
                               [BIN_AND] = OP_AND, [BIN_OR] = OP_OR,   [BIN_XOR] = OP_XOR};
    switch (op) {
    case BIN_ADD:
    case BIN_SUB:
    case BIN_MUL:
    case BIN_AND:
    case BIN_OR:
    case BIN_XOR: return lo_op2(lo, plain[op], a, b);
    case BIN_TRUEDIV: return float_divide(lo, op, a, b, kb, of_ints);
    case BIN_FLOORDIV:
    case BIN_MOD:
        return is_float ? float_divide(lo, op, a, b, kb, false) : int_divide(lo, op, a, b, kb);
    case BIN_POW: return is_float ? float_pow(lo, a, b, kb) : int_pow(lo, a, b, result, kb);
    case BIN_LSHIFT:
    case BIN_RSHIFT: return shift(lo, op, a, b, kb);
    case BIN_MATMUL:
    case BIN_OPS: break;
    }
    INTERNAL(lo->cx, lo->span, "no such operation on numbers");
}

/* --- comparison -------------------------------------------------------------------------------------------------------- */

/* A signed integer against an unsigned one of 64 bits, by value: a negative one is less than all. */
static Ref compare_mixed(Lower *lo, CmpOp op, Ref a, Ref b) {
    static const CmpOp flipped[] = {CMP_EQ, CMP_NE, CMP_GT, CMP_GE, CMP_LT, CMP_LE};
    static const Op ops[] = {OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE};
    if (!lo_type(lo, a)->is_signed) return compare_mixed(lo, flipped[op], b, a);
    Ref negative = lo_cmp(lo, OP_LT, a, lo_number(lo, lo_type(lo, a), 0));
    Ref r = lo_cmp(lo, ops[op], lo_convert(lo, a, lo_type(lo, b)), b);
    bool less = op == CMP_NE || op == CMP_LT || op == CMP_LE;
    return less ? lo_or(lo, negative, r) : lo_and(lo, lo_not(lo, negative), r);
}

Ref lo_compare_number(Lower *lo, CmpOp op, Ref a, Ref b) {
    static const Op ops[] = {OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE};
    Type *common;
    bool mixed = false;
    if (!ty_promote_compare((Operand){.ty = lo_type(lo, a)}, (Operand){.ty = lo_type(lo, b)},
                            &common, &mixed))
        INTERNAL(lo->cx, lo->span, "these numbers do not compare");
    if (mixed) return compare_mixed(lo, op, a, b);
    a = lo_convert(lo, a, common);
    b = lo_convert(lo, b, common);
    if (common->kind != TY_COMPLEX) return lo_cmp(lo, ops[op], a, b);
    Ref re = lo_cmp(lo, ops[op], lo_field(lo, a, 0), lo_field(lo, b, 0));
    Ref im = lo_cmp(lo, ops[op], lo_field(lo, a, 1), lo_field(lo, b, 1));
    return op == CMP_EQ ? lo_and(lo, re, im) : lo_or(lo, re, im);
}
