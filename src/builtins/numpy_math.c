/* NumPy's elementwise functions, on scalars: they never raise, x / 0 is inf. Results have NumPy
 * 2's types, but that integers below 64 bits compute as int64 (so do all of the compiler's) and
 * float16 as float32. */
#include <math.h>

#include "builtins/mathrules.h"

#define RADIANS 0.017453292519943295 /* pi / 180 */
#define DEGREES 57.29577951308232    /* 180 / pi */
#define LN2     0.6931471805599453
#define LOG2E   1.4426950408889634

static Ref arg(Lower *lo, const Call *c, uint32_t i, Type *ty) {
    return lo_arg_as(lo, c->args[i], ty);
}

static Ref is_nan(Lower *lo, Ref x) { return math_is(lo, MATH_ISNAN, x); }

/* --- functions of floats ---------------------------------------------------------------------- */

/* Row.data2: the complex function of the same name and 1, or 0. */
static Type *type_float1(Call *c) { return c->row->data2 ? math_inexact(c, 1) : math_float(c, 1); }

static Ref lower_float1(Lower *lo, Call *c) {
    Type *ty = c->result;
    Ref x = arg(lo, c, 0, ty);
    if (ty->kind == TY_COMPLEX) return math_apply_complex(lo, (ComplexFn)(c->row->data2 - 1), x);
    return math_apply(lo, (MathFn)c->row->data, x);
}

static Type *type_float2(Call *c) { return math_float(c, 2); }

static Ref lower_float2(Lower *lo, Call *c) {
    Type *ty = c->result;
    return lo_math2(lo, (MathFn)c->row->data, arg(lo, c, 0, ty), arg(lo, c, 1, ty));
}

static Type *type_float(Call *c) { return math_float(c, 1); }

static Ref lower_degrees(Lower *lo, Call *c) {
    return math_scaled(lo, arg(lo, c, 0, c->result), DEGREES);
}
static Ref lower_radians(Lower *lo, Call *c) {
    return math_scaled(lo, arg(lo, c, 0, c->result), RADIANS);
}

/* Away from zero: negative for negative x; NaN for infinities. */
static Ref lower_spacing(Lower *lo, Call *c) {
    Type *ty = c->result;
    Ref x = arg(lo, c, 0, ty), below = lo_cmp(lo, OP_LT, x, lo_float(lo, ty, 0));
    Ref away = lo_select(lo, below, lo_float(lo, ty, -INFINITY), lo_float(lo, ty, INFINITY));
    return lo_op2(lo, OP_SUB, lo_math2(lo, MATH_NEXTAFTER, x, away), x);
}

/* log(exp(x) + exp(y)), or to base 2: from the larger one. */
static Ref lower_logaddexp(Lower *lo, Call *c) {
    Type *ty = c->result;
    bool two = c->row->data;
    Ref x = arg(lo, c, 0, ty), y = arg(lo, c, 1, ty);
    Ref larger = lo_select(lo, lo_cmp(lo, OP_GT, x, y), x, y);
    Ref apart = lo_math1(lo, MATH_FABS, lo_op2(lo, OP_SUB, x, y));
    Ref small = lo_math1(lo, two ? MATH_EXP2 : MATH_EXP, lo_op1(lo, OP_NEG, ty, apart));
    Ref log = math_apply(lo, MATH_LOG1P, small);
    Ref r = lo_op2(lo, OP_ADD, larger, two ? math_scaled(lo, log, LOG2E) : log);
    Ref twice = lo_op2(lo, OP_ADD, x, lo_float(lo, ty, two ? 1 : LN2));
    return lo_select(lo, lo_cmp(lo, OP_EQ, x, y), twice, r); /* infinities, too */
}

/* 0 below 0, 1 above, and the second argument at 0 */
static Ref lower_heaviside(Lower *lo, Call *c) {
    Type *ty = c->result;
    Ref x = arg(lo, c, 0, ty), zero = lo_float(lo, ty, 0);
    Ref r = lo_select(lo, lo_cmp(lo, OP_LT, x, zero), zero, lo_float(lo, ty, 1));
    r = lo_select(lo, lo_cmp(lo, OP_EQ, x, zero), arg(lo, c, 1, ty), r);
    return lo_select(lo, is_nan(lo, x), x, r);
}

static Type *type_ldexp(Call *c) {
    Type *e = math_require(c, 1);
    return e && ty_is_integral(e) ? math_float(c, 1) : e ? math_refuse(c) : NULL;
}

static Ref lower_ldexp(Lower *lo, Call *c) {
    return lo_math2(lo, MATH_LDEXP, arg(lo, c, 0, c->result), arg(lo, c, 1, TY_I(64)));
}

static Type *type_frexp(Call *c) {
    Type *ty = math_float(c, 1);
    return ty ? ty_tuple((Type *[]){ty, TY_I(64)}, 2) : NULL;
}

static Ref lower_frexp(Lower *lo, Call *c) {
    Type *result = c->result;
    return math_frexp(lo, arg(lo, c, 0, result->items[0]), result);
}

static Type *type_modf(Call *c) {
    Type *ty = math_float(c, 1);
    return ty ? ty_tuple((Type *[]){ty, ty}, 2) : NULL;
}

static Ref lower_modf(Lower *lo, Call *c) {
    Type *result = c->result;
    return math_modf(lo, arg(lo, c, 0, result->items[0]), result);
}

/* --- functions that keep the kind of a number ------------------------------------------------- */

static Type *type_same(Call *c) {
    Type *ty = math_require(c, 0);
    if (ty && ty->kind == TY_COMPLEX && c->row->data2) return math_refuse(c);
    return ty ? math_same(ty) : NULL;
}

/* Integers are whole as they are; rint makes floats of them. */
static Ref lower_whole(Lower *lo, Call *c) {
    Type *ty = c->result;
    Ref x = arg(lo, c, 0, ty);
    return ty->kind == TY_FLOAT ? lo_math1(lo, (MathFn)c->row->data, x) : x;
}

static Type *type_abs(Call *c) {
    Type *ty = math_require(c, 0);
    return !ty ? NULL : ty->kind == TY_COMPLEX ? TY_F(ty->bits / 2u) : math_same(ty);
}

static Ref lower_abs(Lower *lo, Call *c) {
    Ref x = math_arg(lo, c, 0);
    Type *ty = lo_type(lo, x);
    if (ty->kind == TY_COMPLEX)
        return lo_math2(lo, MATH_HYPOT, lo_field(lo, x, 0), lo_field(lo, x, 1));
    if (ty->kind == TY_FLOAT) return lo_math1(lo, MATH_FABS, x);
    x = lo_convert(lo, x, c->result);
    return lo_type(lo, x)->is_signed ? lo_math1(lo, MATH_ABS, x) : x;
}

/* -1, 0 or 1; NaN stays. Of complex numbers, as since NumPy 2: z / |z|. */
static Ref lower_sign(Lower *lo, Call *c) {
    Type *ty = c->result;
    Ref x = arg(lo, c, 0, ty);
    if (ty->kind == TY_COMPLEX) {
        Ref size = lo_math2(lo, MATH_HYPOT, lo_field(lo, x, 0), lo_field(lo, x, 1));
        Ref zero = lo_cmp(lo, OP_EQ, size, lo_float(lo, lo_type(lo, size), 0));
        size = lo_select(lo, zero, lo_float(lo, lo_type(lo, size), 1), size);
        Ref re = lo_op2(lo, OP_FDIV, lo_field(lo, x, 0), size),
            im = lo_op2(lo, OP_FDIV, lo_field(lo, x, 1), size);
        return lo_complex(lo, ty, re, im);
    }
    Ref zero = lo_number(lo, ty, 0), one = lo_number(lo, ty, 1);
    Ref below = ty->kind == TY_INT && !ty->is_signed ? zero : lo_number(lo, ty, -1);
    Ref r = lo_select(lo, lo_cmp(lo, OP_LT, x, zero), below, zero);
    r = lo_select(lo, lo_cmp(lo, OP_GT, x, zero), one, r);
    return ty->kind == TY_FLOAT ? lo_select(lo, is_nan(lo, x), x, r) : r;
}

static Ref negative(Lower *lo, Ref x) {
    Type *ty = lo_type(lo, x);
    if (ty->kind != TY_COMPLEX) return lo_op1(lo, OP_NEG, ty, x);
    Ref re = lo_field(lo, x, 0), im = lo_field(lo, x, 1);
    return lo_complex(lo, ty, lo_op1(lo, OP_NEG, lo_type(lo, re), re),
                      lo_op1(lo, OP_NEG, lo_type(lo, im), im));
}

static Ref lower_negative(Lower *lo, Call *c) { return negative(lo, arg(lo, c, 0, c->result)); }
static Ref lower_positive(Lower *lo, Call *c) { return arg(lo, c, 0, c->result); }

static Ref lower_square(Lower *lo, Call *c) {
    Type *ty = c->result;
    Ref x = arg(lo, c, 0, ty);
    return lo_binary_number(lo, BIN_MUL, x, x, ty, ty, NULL);
}

/* --- complex parts ---------------------------------------------------------------------------- */

static Ref lower_conjugate(Lower *lo, Call *c) {
    Type *ty = c->result;
    Ref x = arg(lo, c, 0, ty);
    if (ty->kind != TY_COMPLEX) return x;
    Ref im = lo_field(lo, x, 1);
    return lo_complex(lo, ty, lo_field(lo, x, 0), lo_op1(lo, OP_NEG, lo_type(lo, im), im));
}

/* --- questions -------------------------------------------------------------------------------- */

static Type *type_class(Call *c) { return math_require(c, 0) ? TY_OF(TY_BOOL) : NULL; }

static Ref lower_class(Lower *lo, Call *c) {
    return math_is(lo, (MathFn)c->row->data, math_arg(lo, c, 0));
}

static Type *type_signbit(Call *c) { return math_float(c, 1) ? TY_OF(TY_BOOL) : NULL; }

static Ref lower_signbit(Lower *lo, Call *c) {
    return lo_math1(lo, MATH_SIGNBIT, arg(lo, c, 0, math_float(c, 1)));
}

/* --- table ------------------------------------------------------------------------------------ */

/* clang-format off */
#define INTS "bBhHiIlL"
#define FLOAT1(name_, fn, doc_)                                                                    \
    {.name = "numpy." name_, .params = "x", .type = type_float1, .lower = lower_float1,            \
     .data = MATH_##fn, .loops = "X>X:efd", .flags = ROW_UFUNC, .doc = doc_}
#define INEXACT1(name_, fn, cfn, doc_)                                                             \
    {.name = "numpy." name_, .params = "x", .type = type_float1, .lower = lower_float1,            \
     .data = MATH_##fn, .data2 = COMPLEX_##cfn + 1, .loops = "X>X:efdFD", .flags = ROW_UFUNC, .doc = doc_}
#define FLOAT2(name_, params_, fn, doc_)                                                           \
    {.name = "numpy." name_, .params = params_, .type = type_float2, .lower = lower_float2,        \
     .data = MATH_##fn, .loops = "XX>X:efd", .flags = ROW_UFUNC, .doc = doc_}
#define ROW(name_, params_, t, l, data_, data2_, loops_, doc_)                                     \
    {.name = "numpy." name_, .params = params_, .type = type_##t, .lower = lower_##l,              \
     .data = data_, .data2 = data2_, .loops = loops_, .flags = ROW_UFUNC, .doc = doc_}

const Row rows_numpy_math[] = {
    INEXACT1("sqrt",    SQRT,  sqrt,  "square root"),
    INEXACT1("exp",     EXP,   exp,   "e to the power of x"),
    INEXACT1("log",     LOG,   log,   "natural logarithm"),
    INEXACT1("log10",   LOG10, log10, "logarithm to base 10"),
    INEXACT1("sin",     SIN,   sin,   "sine"),
    INEXACT1("cos",     COS,   cos,   "cosine"),
    INEXACT1("tan",     TAN,   tan,   "tangent"),
    INEXACT1("arcsin",  ASIN,  asin,  "arc sine"),
    INEXACT1("arccos",  ACOS,  acos,  "arc cosine"),
    INEXACT1("arctan",  ATAN,  atan,  "arc tangent"),
    INEXACT1("sinh",    SINH,  sinh,  "hyperbolic sine"),
    INEXACT1("cosh",    COSH,  cosh,  "hyperbolic cosine"),
    INEXACT1("tanh",    TANH,  tanh,  "hyperbolic tangent"),
    INEXACT1("arcsinh", ASINH, asinh, "inverse hyperbolic sine"),
    INEXACT1("arccosh", ACOSH, acosh, "inverse hyperbolic cosine"),
    INEXACT1("arctanh", ATANH, atanh, "inverse hyperbolic tangent"),
    FLOAT1("cbrt",  CBRT,  "cube root"),
    FLOAT1("exp2",  EXP2,  "2 to the power of x"),
    FLOAT1("expm1", EXPM1, "exp(x) - 1, accurate for small x"),
    FLOAT1("log1p", LOG1P, "log(1 + x), accurate for small x"),
    FLOAT1("log2",  LOG2,  "logarithm to base 2"),
    FLOAT1("fabs",  FABS,  "absolute value as a float"),
    FLOAT1("rint",  RINT,  "the nearest whole number, half to even"),
    FLOAT2("arctan2",   "y, x",   ATAN2,     "angle of the point (x, y)"),
    FLOAT2("hypot",     "x1, x2", HYPOT,     "length of the vector (x1, x2)"),
    FLOAT2("copysign",  "x1, x2", COPYSIGN,  "|x1| with the sign of x2"),
    ROW("nextafter",  "x1, x2",  float2,  float2,    MATH_NEXTAFTER, 0, "XX>X:!fd", "the float next to x1 towards x2"),
    ROW("degrees",    "x",       float,   degrees,   0,             0, "X>X:efd", "radians as degrees"),
    ROW("rad2deg",    "x",       float,   degrees,   0,             0, "X>X:efd", "radians as degrees"),
    ROW("radians",    "x",       float,   radians,   0,             0, "X>X:efd", "degrees as radians"),
    ROW("deg2rad",    "x",       float,   radians,   0,             0, "X>X:efd", "degrees as radians"),
    ROW("spacing",    "x",       float,   spacing,   0,             0, "X>X:!fd", "gap to the next float"),
    ROW("logaddexp",  "x1, x2",  float2,  logaddexp, 0,             0, "XX>X:efd", "log(exp(x1) + exp(x2))"),
    ROW("logaddexp2", "x1, x2",  float2,  logaddexp, 1,             0, "XX>X:efd", "the same to base 2"),
    ROW("heaviside",  "x1, x2",  float2,  heaviside, 0,             0, "XX>X:efd", "0, 1, or x2 where x1 is 0"),
    ROW("ldexp",      "x1, x2",  ldexp,   ldexp,     0,             0, "Xl>X:efd", "x1 * 2**x2"),
    ROW("frexp",      "x",       frexp,   frexp,     0,             0, "X>Xi:efd", "m and e of x = m * 2**e"),
    ROW("modf",       "x",       modf,    modf,      0,             0, "X>XX:efd", "fraction and whole part"),
    ROW("floor",      "x",       same,    whole,     MATH_FLOOR,    1, "X>X:?" INTS "efd", "rounded down"),
    ROW("ceil",       "x",       same,    whole,     MATH_CEIL,     1, "X>X:?" INTS "efd", "rounded up"),
    ROW("trunc",      "x",       same,    whole,     MATH_TRUNC,    1, "X>X:?" INTS "efd", "x rounded towards zero"),
    ROW("fix",        "x",       same,    whole,     MATH_TRUNC,    1, "X>X:?" INTS "efd", "x rounded towards zero"),
    ROW("absolute",   "x",       abs,     abs,       0,             0, "X>R:?" INTS "efdFD", "absolute value"),
    ROW("sign",       "x",       same,    sign,      0,             0, "X>X:!" INTS "efdFD", "-1, 0 or 1"),
    ROW("negative",   "x",       same,    negative,  0,             0, "X>X:!" INTS "efdFD", "-x"),
    ROW("positive",   "x",       same,    positive,  0,             0, "X>X:!" INTS "efdFD", "+x"),
    ROW("square",     "x",       same,    square,    0,             0, "X>X:" INTS "efdFD", "x * x"),
    ROW("conjugate",  "x",       same,    conjugate, 0,             0, "X>X:" INTS "efdFD", "complex conjugate"),
    ROW("isnan",      "x",       class,   class,     MATH_ISNAN,    0, "X>?:?" INTS "efdFD", "is x or a part NaN"),
    ROW("isinf",      "x",       class,   class,     MATH_ISINF,    0, "X>?:?" INTS "efdFD", "is x or a part infinite"),
    ROW("isfinite",   "x",       class,   class,     MATH_ISFINITE, 0, "X>?:?" INTS "efdFD", "is it not inf, not NaN"),
    ROW("signbit",    "x",       signbit, signbit,   0,             0, "X>?:efd", "is the sign of x negative"),
    {0},
};
