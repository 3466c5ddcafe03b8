/* Types and values that the tables of mathematical functions share. */
#include "builtins/mathrules.h"

#include <string.h>

/* --- types ------------------------------------------------------------------------------------ */

Type *math_number(const Call *c, uint32_t i) {
    Type *ty = plain(c, i);
    if (ty->kind == TY_ENUM && ty->is_signed) return TY_I(64);
    return ty_is_number(ty) ? ty : NULL;
}

/* NumPy's functions take arrays too, Python's do not. */
Type *math_refuse(Call *c) {
    bool python = strncmp(c->row->name, "numpy.", 6) != 0;
    for (uint32_t i = 0; i < c->nargs; i++) {
        if (!given(c, i)) continue;
        TyKind kind = (TyKind)plain(c, i)->kind;
        bool is_tuple = kind == TY_TUPLE && !c->args[i].packed;
        if (kind == TY_STR || is_tuple || kind == TY_NONE) infer_hint(c->in, "it takes numbers");
        if (kind == TY_ARRAY && python)
            infer_hint(c->in, "of arrays, NumPy's functions are taken: np.sin(a), np.sqrt(a) ...");
    }
    return rule_no_overload(c);
}

Type *math_require(Call *c, uint32_t i) {
    Type *ty = math_number(c, i);
    return ty ? ty : math_refuse(c);
}

/* Literals alone are float64, as all that NumPy and Python compute from them. */
Type *math_inexact(Call *c, uint32_t n) {
    Operand all = {0};
    for (uint32_t i = 0; i < n; i++) {
        Operand one = {.ty = math_number(c, i), .weak = c->args[i].weak};
        Promotion p;
        if (!one.ty) return math_refuse(c);
        if (!all.ty) all = one;
        if (!ty_promote(BIN_TRUEDIV, all, one, &p)) return math_refuse(c);
        all = (Operand){.ty = p.result, .weak = all.weak && one.weak};
    }
    return all.ty;
}

Type *math_float(Call *c, uint32_t n) {
    Type *ty = math_inexact(c, n);
    if (!ty || ty->kind != TY_COMPLEX) return ty;
    infer_hint(c->in, "it takes integers and floats");
    return math_refuse(c);
}

Type *math_int(Call *c, uint32_t n) {
    Type *all = TY_I(64);
    for (uint32_t i = 0; i < n; i++) {
        Type *ty = math_number(c, i);
        if (!ty || !ty_is_integral(ty)) {
            infer_hint(c->in, "it takes integers");
            return math_refuse(c);
        }
        if (ty == TY_U(64)) all = ty;
    }
    return all;
}

Type *math_same(Type *ty) {
    if (ty_is_integral(ty)) return ty->kind == TY_INT && ty->bits == 64 ? ty : TY_I(64);
    return ty;
}

/* --- functions of a float --------------------------------------------------------------------- */

Ref math_arg(Lower *lo, const Call *c, uint32_t i) {
    return lo_arg_as(lo, c->args[i], math_number(c, i));
}

Ref math_scaled(Lower *lo, Ref x, double by) {
    return lo_op2(lo, OP_MUL, x, lo_float(lo, lo_type(lo, x), by));
}

static bool is_wide(Lower *lo, Ref x) { return lo_type(lo, x)->bits == 64; }

static Ref is_beyond(Lower *lo, Ref x, double limit) {
    return lo_cmp(lo, OP_GT, lo_math1(lo, MATH_FABS, x), lo_float(lo, lo_type(lo, x), limit));
}

/* asinh, acosh, log1p square their argument inside and lose it near the square root of the
 * largest float. There f(x) = 2 f(sqrt(x)) - less, to the last bits. */
static Ref apply_by_root(Lower *lo, MathFn fn, Ref x, double limit, double less) {
    Type *ty = lo_type(lo, x);
    Ref big = is_beyond(lo, x, limit), root = lo_math1(lo, MATH_SQRT, lo_math1(lo, MATH_FABS, x));
    root = lo_math2(lo, MATH_COPYSIGN, root, x);
    Ref r = lo_math1(lo, fn, lo_select(lo, big, root, x));
    Ref c = lo_math2(lo, MATH_COPYSIGN, lo_float(lo, ty, less), x);
    Ref twice = lo_op2(lo, OP_SUB, lo_op2(lo, OP_ADD, r, r), c);
    return lo_select(lo, big, twice, r);
}

/* sinh and cosh end where exp does, a little before their results overflow. From there on
 * f(x) = f(x - k) e**k, with a k that makes x - k exact and e**k all but exact. */
static Ref apply_stepped(Lower *lo, MathFn fn, Ref x) {
    Type *ty = lo_type(lo, x);
    bool wide = is_wide(lo, x);
    Ref big = is_beyond(lo, x, wide ? 709 : 88);
    Ref step = lo_math2(lo, MATH_COPYSIGN, lo_float(lo, ty, wide ? 115 : 3), x);
    Ref r = lo_math1(lo, fn, lo_select(lo, big, lo_op2(lo, OP_SUB, x, step), x));
    Ref up = math_scaled(lo, r, wide ? 0x1.e103201f299b3p+165 : 0x1.415e5cp+4);
    return lo_select(lo, big, up, r);
}

/* f(x) = x for the tiniest x, whose sign and last bit would get lost. */
static Ref keep_tiny(Lower *lo, Ref x, Ref r) {
    return lo_select(lo, is_beyond(lo, x, is_wide(lo, x) ? 0x1p-1000 : 0x1p-120), r, x);
}

Ref math_apply(Lower *lo, MathFn fn, Ref x) {
    static const double ln2 = 0.6931471805599453;
    bool wide = is_wide(lo, x);
    double half_way = wide ? 1e150 : 1e18;
    switch (fn) {
    case MATH_SINH:
    case MATH_COSH: return apply_stepped(lo, fn, x);
    case MATH_ASINH: return keep_tiny(lo, x, apply_by_root(lo, fn, x, half_way, ln2));
    case MATH_ACOSH: return apply_by_root(lo, fn, x, half_way, ln2);
    case MATH_LOG1P: return keep_tiny(lo, x, apply_by_root(lo, fn, x, wide ? 1e300 : 1e37, 0));
    case MATH_TAN: return keep_tiny(lo, x, lo_math1(lo, fn, x));
    default: return lo_math1(lo, fn, x);
    }
}

Ref math_apply_complex(Lower *lo, ComplexFn fn, Ref z) {
    Type *ty = lo_type(lo, z), *wide = TY_C(128);
    Ref args[] = {lo_int(lo, fn), lo_convert(lo, z, wide)};
    return lo_convert(lo, lo_rt(lo, "ws_complex", wide, 2, args), ty);
}

Ref math_is(Lower *lo, MathFn test, Ref x) {
    Type *ty = lo_type(lo, x);
    if (ty->kind == TY_FLOAT) return lo_math1(lo, test, x);
    if (ty->kind != TY_COMPLEX) return lo_bool(lo, test == MATH_ISFINITE);
    Ref re = lo_math1(lo, test, lo_field(lo, x, 0)), im = lo_math1(lo, test, lo_field(lo, x, 1));
    return test == MATH_ISFINITE ? lo_and(lo, re, im) : lo_or(lo, re, im);
}

/* --- parts of a float ------------------------------------------------------------------------- */

/* By bits, so that loops vectorize: the mantissa gets the exponent of 0.5. */
Ref math_frexp(Lower *lo, Ref x, Type *result) {
    enum { BIAS = 1022, SHIFT = 52, EXPONENT = 0x7ff, UP = 54 };
    Type *d = TY_F(64), *i64 = TY_I(64);
    Ref v = lo_convert(lo, x, d), zero = lo_int(lo, 0);
    Ref small = lo_not(lo, is_beyond(lo, v, 0x1p-1022)); /* subnormal, or NaN */
    Ref up = lo_select(lo, small, lo_float(lo, d, 0x1p54), lo_float(lo, d, 1));
    Ref bits = lo_op1(lo, OP_BITCAST, i64, lo_op2(lo, OP_MUL, v, up));
    Ref e = lo_op2(lo, OP_AND, lo_op2(lo, OP_SHR, bits, lo_int(lo, SHIFT)), lo_int(lo, EXPONENT));
    e = lo_op2(lo, OP_SUB, e, lo_select(lo, small, lo_int(lo, BIAS + UP), lo_int(lo, BIAS)));
    Ref kept = lo_op2(lo, OP_AND, bits, lo_int(lo, ~((int64_t)EXPONENT << SHIFT)));
    Ref m = lo_op1(lo, OP_BITCAST, d, lo_op2(lo, OP_OR, kept, lo_int(lo, (int64_t)BIAS << SHIFT)));
    Ref plain =
        lo_and(lo, lo_math1(lo, MATH_ISFINITE, v), lo_cmp(lo, OP_NE, v, lo_float(lo, d, 0)));
    Ref fields[] = {lo_convert(lo, lo_select(lo, plain, m, v), lo_type(lo, x)),
                    lo_select(lo, plain, e, zero)};
    return lo_make(lo, result, 2, fields);
}

/* Both parts have the sign of x; infinity has no fraction. */
Ref math_modf(Lower *lo, Ref x, Type *result) {
    Ref whole = lo_math1(lo, MATH_TRUNC, x), rest = lo_op2(lo, OP_SUB, x, whole);
    Ref zero = lo_float(lo, lo_type(lo, x), 0);
    Ref fraction = lo_select(lo, lo_math1(lo, MATH_ISINF, x), zero, rest);
    return lo_make(lo, result, 2, (Ref[]){lo_math2(lo, MATH_COPYSIGN, fraction, x), whole});
}

/* --- integers --------------------------------------------------------------------------------- */

Ref math_magnitude(Lower *lo, Ref i) {
    if (lo_type(lo, i) == TY_U(64)) return i;
    return lo_convert(lo, lo_math1(lo, MATH_ABS, lo_convert(lo, i, TY_I(64))), TY_U(64));
}

Ref math_gcd(Lower *lo, Ref a, Ref b) { return lo_rt(lo, "ws_ugcd", TY_U(64), 2, (Ref[]){a, b}); }

Ref math_lcm(Lower *lo, Ref a, Ref b, Ref any) {
    Type *u = TY_U(64);
    Ref zero = lo_number(lo, u, 0), g = math_gcd(lo, a, b);
    Ref part = lo_op2(lo, OP_FLOORDIV, a, lo_math2(lo, MATH_MAX, g, lo_number(lo, u, 1)));
    if (any) {
        Ref fits = lo_cmp(lo, OP_EQ, lo_math2(lo, MATH_MULH, part, b), zero);
        lo_check(lo, lo_or(lo, fits, any), CHECK_INT_RESULT);
    }
    return lo_op2(lo, OP_MUL, part, b);
}
