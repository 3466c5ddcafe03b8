/* The module cmath: CPython's results to the last bit (runtime/complex.c), and its exceptions.
 * What is given complex64 or float32 alone gives complex64. */
#include "builtins/mathrules.h"

static Type *complex_of(Type *ty) {
    return !ty || ty->kind == TY_COMPLEX ? ty : TY_C(2u * ty->bits);
}

static Type *part_of(Type *ty) { return ty->kind == TY_COMPLEX ? TY_F(ty->bits / 2u) : ty; }

/* --- functions of one complex number ---------------------------------------------------------- */

static Type *type_unary(Call *c) { return complex_of(math_inexact(c, 1)); }

static Ref apply(Lower *lo, ComplexFn fn, Ref z) {
    Type *wide = TY_C(128);
    Ref args[] = {lo_int(lo, fn), lo_convert(lo, z, wide)};
    return lo_rt(lo, "ws_cmath", wide, 2, args);
}

static Ref lower_unary(Lower *lo, Call *c) {
    Type *ty = c->result;
    return lo_convert(lo, apply(lo, (ComplexFn)c->row->data, lo_arg_as(lo, c->args[0], ty)), ty);
}

static Type *type_log(Call *c) { return complex_of(math_inexact(c, given(c, 1) ? 2 : 1)); }

/* With a base, CPython forgets that the logarithm of 0 was an error, but not that of the base; a
 * base whose logarithm is 0 is one, too. */
static Ref lower_log(Lower *lo, Call *c) {
    Type *ty = c->result, *wide = TY_C(128);
    Ref z = lo_arg_as(lo, c->args[0], ty);
    if (!given(c, 1)) return lo_convert(lo, apply(lo, COMPLEX_log, z), ty);
    Ref r = math_apply_complex(lo, COMPLEX_log, lo_convert(lo, z, wide));
    Ref base = apply(lo, COMPLEX_log, lo_arg_as(lo, c->args[1], ty));
    lo_check(lo, lo_truth(lo, base), CHECK_MATH_DOMAIN);
    return lo_convert(lo, lo_binary_number(lo, BIN_TRUEDIV, r, base, wide, wide, NULL), ty);
}

/* --- polar coordinates ------------------------------------------------------------------------ */

static Type *type_phase(Call *c) {
    Type *ty = math_inexact(c, 1);
    return ty ? part_of(ty) : NULL;
}

static Ref phase(Lower *lo, Ref z) {
    return lo_math2(lo, MATH_ATAN2, lo_field(lo, z, 1), lo_field(lo, z, 0));
}

static Ref lower_phase(Lower *lo, Call *c) {
    return phase(lo, lo_arg_as(lo, c->args[0], complex_of(c->result)));
}

static Type *type_polar(Call *c) {
    Type *ty = type_phase(c);
    return ty ? ty_tuple((Type *[]){ty, ty}, 2) : NULL;
}

static Ref lower_polar(Lower *lo, Call *c) {
    Type *result = c->result;
    Ref z = lo_arg_as(lo, c->args[0], complex_of(result->items[0]));
    Ref r = lo_math2(lo, MATH_HYPOT, lo_field(lo, z, 0), lo_field(lo, z, 1));
    Ref fine = lo_or(lo, lo_not(lo, lo_math1(lo, MATH_ISINF, r)), math_is(lo, MATH_ISINF, z));
    lo_check(lo, fine, CHECK_MATH_RANGE);
    return lo_make(lo, result, 2, (Ref[]){r, phase(lo, z)});
}

static Type *type_rect(Call *c) { return complex_of(math_float(c, 2)); }

static Ref lower_rect(Lower *lo, Call *c) {
    Type *ty = c->result, *d = TY_F(64);
    Ref args[] = {lo_arg_as(lo, c->args[0], d), lo_arg_as(lo, c->args[1], d)};
    return lo_convert(lo, lo_rt(lo, "ws_crect", TY_C(128), 2, args), ty);
}

/* --- questions -------------------------------------------------------------------------------- */

static Type *type_class(Call *c) { return math_inexact(c, 1) ? TY_OF(TY_BOOL) : NULL; }

static Ref lower_class(Lower *lo, Call *c) {
    return math_is(lo, (MathFn)c->row->data, lo_arg_as(lo, c->args[0], math_number(c, 0)));
}

/* --- table ------------------------------------------------------------------------------------ */

/* clang-format off */
#define UNARY(fn, doc_)                                                                            \
    {.name = "cmath." #fn, .params = "z", .type = type_unary, .lower = lower_unary,                \
     .data = COMPLEX_##fn, .doc = doc_}
#define ROW(name_, params_, kind, data_, doc_)                                                     \
    {.name = "cmath." name_, .params = params_, .type = type_##kind, .lower = lower_##kind,        \
     .data = data_, .doc = doc_}

const Row rows_cmath[] = {
    UNARY(acos,  "arc cosine"),
    UNARY(acosh, "inverse hyperbolic cosine"),
    UNARY(asin,  "arc sine"),
    UNARY(asinh, "inverse hyperbolic sine"),
    UNARY(atan,  "arc tangent"),
    UNARY(atanh, "inverse hyperbolic tangent"),
    UNARY(cos,   "cosine"),
    UNARY(cosh,  "hyperbolic cosine"),
    UNARY(exp,   "e to the power of z"),
    UNARY(log10, "logarithm to base 10"),
    UNARY(sin,   "sine"),
    UNARY(sinh,  "hyperbolic sine"),
    UNARY(sqrt,  "square root"),
    UNARY(tan,   "tangent"),
    UNARY(tanh,  "hyperbolic tangent"),
    ROW("log",      "z, base=", log,   0,             "logarithm, natural or to a base"),
    ROW("phase",    "z",        phase, 0,             "angle of z, from -pi to pi"),
    ROW("polar",    "z",        polar, 0,             "length and angle of z"),
    ROW("rect",     "r, phi",   rect,  0,             "from length and angle"),
    ROW("isfinite", "z",        class, MATH_ISFINITE, "are both parts finite"),
    ROW("isinf",    "z",        class, MATH_ISINF,    "is a part infinite"),
    ROW("isnan",    "z",        class, MATH_ISNAN,    "is a part not a number"),
    {.name = "cmath.isclose", .flags = ROW_PRELUDE, .prelude = "math_float.isclose_complex",
     .doc = "are two complex numbers close"},
    {0},
};
