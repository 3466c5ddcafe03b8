/* The module math: values within 1 ulp of CPython's, the same exceptions.
 *
 * Exceptions to the 1 ulp, all because CPython asks the C library, which is farther off the true
 * value there than we are (we: 1 ulp; glibc: up to 2, cbrt 3.7): acosh, atanh, sinh, tanh, log10
 * may differ by 2, cbrt by 3. float32 arguments compute in float32, where CPython only has
 * float64.
 *
 * An error is a comparison of the argument or the result, written so that NaN passes: one check
 * a call, two where CPython tells two errors apart, and loops vectorize over them.
 * error_model='numpy' does not change them. */
#include <math.h>

#include "builtins/mathrules.h"

#define RADIANS 0.017453292519943295 /* pi / 180 */
#define DEGREES 57.29577951308232    /* 180 / pi */

/* --- functions of one float ------------------------------------------------------------------- */

/* Where a function is defined (Row.data2). */
enum { ANYWHERE, FINITE, TO_1, BELOW_1, FROM_1, POSITIVE, FROM_0, ABOVE_MINUS_1, IN_RANGE };

/* Is x outside, for the domains that end at a number. */
static Ref is_outside(Lower *lo, int domain, Ref x) {
    static const struct {
        bool magnitude;
        Op op;
        double limit;
    } rules[] = {[TO_1] = {true, OP_GT, 1},    [BELOW_1] = {true, OP_GE, 1},
                 [FROM_1] = {false, OP_LT, 1}, [POSITIVE] = {false, OP_LE, 0},
                 [FROM_0] = {false, OP_LT, 0}, [ABOVE_MINUS_1] = {false, OP_LE, -1}};
    if (rules[domain].magnitude) x = lo_math1(lo, MATH_FABS, x);
    return lo_cmp(lo, rules[domain].op, x, lo_float(lo, lo_type(lo, x), rules[domain].limit));
}

static Ref is_inf(Lower *lo, Ref x) { return lo_math1(lo, MATH_ISINF, x); }

/* OverflowError where r is infinite and x is not. */
static void check_range(Lower *lo, Ref x, Ref r) {
    lo_check(lo, lo_or(lo, lo_not(lo, is_inf(lo, r)), is_inf(lo, x)), CHECK_MATH_RANGE);
}

static Ref apply_checked(Lower *lo, MathFn fn, int domain, Ref x) {
    if (domain == FINITE) lo_check(lo, lo_not(lo, is_inf(lo, x)), CHECK_MATH_DOMAIN);
    if (domain != ANYWHERE && domain != FINITE && domain != IN_RANGE)
        lo_check(lo, lo_not(lo, is_outside(lo, domain, x)), CHECK_MATH_DOMAIN);
    Ref r = math_apply(lo, fn, x);
    if (domain == IN_RANGE) check_range(lo, x, r);
    return r;
}

static Type *type_unary(Call *c) { return math_float(c, 1); }

static Ref lower_unary(Lower *lo, Call *c) {
    Ref x = lo_arg_as(lo, c->args[0], c->result);
    bool whole = ty_is_integral(math_number(c, 0)); /* always finite */
    int domain = c->row->data2 == FINITE && whole ? ANYWHERE : c->row->data2;
    return apply_checked(lo, (MathFn)c->row->data, domain, x);
}

static Ref lower_scaled(Lower *lo, Call *c) {
    return math_scaled(lo, lo_arg_as(lo, c->args[0], c->result), c->row->data ? RADIANS : DEGREES);
}

/* Poles raise ValueError, what is too large OverflowError. */
static Ref lower_gamma(Lower *lo, Call *c) {
    Ref x = lo_arg_as(lo, c->args[0], c->result), r = lo_math1(lo, MATH_GAMMA, x);
    Ref pole = lo_cmp(lo, OP_EQ, x, lo_float(lo, lo_type(lo, x), 0));
    Ref lost = lo_and(lo, lo_math1(lo, MATH_ISNAN, r), lo_not(lo, lo_math1(lo, MATH_ISNAN, x)));
    lo_check(lo, lo_not(lo, lo_or(lo, pole, lost)), CHECK_MATH_DOMAIN);
    check_range(lo, x, r);
    return r;
}

static Ref lower_lgamma(Lower *lo, Call *c) {
    Ref x = lo_arg_as(lo, c->args[0], c->result), r = lo_math1(lo, MATH_LGAMMA, x);
    Ref fine = lo_or(lo, lo_not(lo, is_inf(lo, r)), is_inf(lo, x));
    Ref above = lo_cmp(lo, OP_GT, x, lo_float(lo, lo_type(lo, x), 0));
    lo_check(lo, lo_or(lo, fine, above), CHECK_MATH_DOMAIN);
    lo_check(lo, fine, CHECK_MATH_RANGE);
    return r;
}

static Ref lower_ulp(Lower *lo, Call *c) {
    Type *ty = c->result;
    Ref x = lo_math1(lo, MATH_FABS, lo_arg_as(lo, c->args[0], ty)),
        inf = lo_float(lo, ty, INFINITY);
    Ref next = lo_math2(lo, MATH_NEXTAFTER, x, inf),
        before = lo_math2(lo, MATH_NEXTAFTER, x, lo_float(lo, ty, 0));
    Ref last = is_inf(lo, next); /* x is the largest float, or infinite */
    Ref step = lo_select(lo, last, lo_op2(lo, OP_SUB, x, before), lo_op2(lo, OP_SUB, next, x));
    return lo_select(lo, is_inf(lo, x), x, step);
}

/* --- log(x, base) ----------------------------------------------------------------------------- */

static Type *type_log(Call *c) { return math_float(c, given(c, 1) ? 2 : 1); }

static Ref lower_log(Lower *lo, Call *c) {
    Type *ty = c->result;
    Ref r = apply_checked(lo, MATH_LOG, POSITIVE, lo_arg_as(lo, c->args[0], ty));
    if (!given(c, 1)) return r;
    Ref base = apply_checked(lo, MATH_LOG, POSITIVE, lo_arg_as(lo, c->args[1], ty));
    lo_check(lo, lo_cmp(lo, OP_NE, base, lo_float(lo, ty, 0)), CHECK_ZERO_DIV_FLOAT);
    return lo_op2(lo, OP_FDIV, r, base);
}

/* --- two floats ------------------------------------------------------------------------------- */

static Type *type_binary(Call *c) { return math_float(c, 2); }

static Ref lower_binary(Lower *lo, Call *c) {
    Type *ty = c->result;
    return lo_math2(lo, (MathFn)c->row->data, lo_arg_as(lo, c->args[0], ty),
                    lo_arg_as(lo, c->args[1], ty));
}

/* fmod, remainder: NaN from numbers is a domain error. */
static Ref lower_rest(Lower *lo, Call *c) {
    Type *ty = c->result;
    Ref x = lo_arg_as(lo, c->args[0], ty), y = lo_arg_as(lo, c->args[1], ty);
    Ref r = lo_math2(lo, (MathFn)c->row->data, x, y);
    Ref nan = lo_or(lo, lo_math1(lo, MATH_ISNAN, x), lo_math1(lo, MATH_ISNAN, y));
    lo_check(lo, lo_or(lo, lo_not(lo, lo_math1(lo, MATH_ISNAN, r)), nan), CHECK_MATH_DOMAIN);
    return r;
}

/* Not finite from finite x and y: 0 to a negative power and the root of a negative number are
 * domain errors. */
static Ref lower_pow(Lower *lo, Call *c) {
    Type *ty = c->result;
    Ref x = lo_arg_as(lo, c->args[0], ty), y = lo_arg_as(lo, c->args[1], ty),
        r = lo_math2(lo, MATH_POW, x, y);
    Ref finite = lo_and(lo, lo_math1(lo, MATH_ISFINITE, x), lo_math1(lo, MATH_ISFINITE, y));
    Ref fine = lo_or(lo, lo_math1(lo, MATH_ISFINITE, r), lo_not(lo, finite));
    Ref large = lo_and(lo, is_inf(lo, r), lo_cmp(lo, OP_NE, x, lo_float(lo, ty, 0)));
    lo_check(lo, lo_or(lo, fine, large), CHECK_MATH_DOMAIN);
    lo_check(lo, fine, CHECK_MATH_RANGE);
    return r;
}

static Type *type_ldexp(Call *c) {
    Type *e = math_number(c, 1);
    return e && ty_is_integral(e) ? math_float(c, 1) : math_refuse(c);
}

static Ref lower_ldexp(Lower *lo, Call *c) {
    Type *ty = c->result;
    Ref x = lo_arg_as(lo, c->args[0], ty), e = lo_arg_as(lo, c->args[1], TY_I(64));
    Ref r = lo_math2(lo, MATH_LDEXP, x, e);
    check_range(lo, x, r);
    return r;
}

static bool has_steps(const Call *c) { return given(c, 2) && c->args[2].ty->kind != TY_NONE; }

static Type *type_nextafter(Call *c) {
    if (!has_steps(c)) return math_float(c, 2);
    Type *steps = math_number(c, 2);
    return steps && ty_is_integral(steps) && math_float(c, 2) ? TY_F(64) : math_refuse(c);
}

static Ref lower_nextafter(Lower *lo, Call *c) {
    if (!has_steps(c)) return lower_binary(lo, c);
    Type *d = TY_F(64);
    Ref steps = lo_arg_as(lo, c->args[2], TY_I(64));
    lo_check(lo, lo_cmp(lo, OP_GE, steps, lo_int(lo, 0)), CHECK_STEPS);
    Ref args[] = {lo_arg_as(lo, c->args[0], d), lo_arg_as(lo, c->args[1], d), steps};
    return lo_rt(lo, "ws_nextafter_by", d, 3, args);
}

static Type *type_fma(Call *c) { return math_float(c, 3); }

static Ref lower_fma(Lower *lo, Call *c) {
    Type *ty = c->result;
    Ref v[3], any_nan = lo_bool(lo, false), all_finite = lo_bool(lo, true);
    for (uint32_t i = 0; i < 3; i++) {
        v[i] = lo_arg_as(lo, c->args[i], ty);
        any_nan = lo_or(lo, any_nan, lo_math1(lo, MATH_ISNAN, v[i]));
        all_finite = lo_and(lo, all_finite, lo_math1(lo, MATH_ISFINITE, v[i]));
    }
    Ref r = lo_math(lo, MATH_FMA, ty, 3, v);
    lo_check(lo, lo_or(lo, lo_not(lo, lo_math1(lo, MATH_ISNAN, r)), any_nan), CHECK_FMA_DOMAIN);
    lo_check(lo, lo_not(lo, lo_and(lo, is_inf(lo, r), all_finite)), CHECK_FMA_RANGE);
    return r;
}

/* --- floats in parts, classes of floats ------------------------------------------------------- */

static Type *type_frexp(Call *c) {
    Type *ty = math_float(c, 1);
    return ty ? ty_tuple((Type *[]){ty, TY_I(64)}, 2) : NULL;
}

static Ref lower_frexp(Lower *lo, Call *c) {
    Type *result = c->result;
    return math_frexp(lo, lo_arg_as(lo, c->args[0], result->items[0]), result);
}

static Type *type_modf(Call *c) {
    Type *ty = math_float(c, 1);
    return ty ? ty_tuple((Type *[]){ty, ty}, 2) : NULL;
}

static Ref lower_modf(Lower *lo, Call *c) {
    Type *result = c->result;
    return math_modf(lo, lo_arg_as(lo, c->args[0], result->items[0]), result);
}

static Type *type_class(Call *c) { return math_float(c, 1) ? TY_OF(TY_BOOL) : NULL; }

static Ref lower_class(Lower *lo, Call *c) {
    return math_is(lo, (MathFn)c->row->data, lo_arg_as(lo, c->args[0], math_number(c, 0)));
}

/* floor, ceil, trunc: an int. */
static Type *type_whole(Call *c) {
    if (!math_float(c, 1)) return NULL;
    Type *ty = math_number(c, 0);
    return ty_is_integral(ty) ? math_same(ty) : TY_I(64);
}

static Ref lower_whole(Lower *lo, Call *c) {
    Ref x = lo_arg_as(lo, c->args[0], math_number(c, 0));
    if (lo_type(lo, x)->kind != TY_FLOAT) return lo_convert(lo, x, c->result);
    return lo_float_to_int(lo, lo_math1(lo, (MathFn)c->row->data, x));
}

/* --- integers --------------------------------------------------------------------------------- */

/* gcd and lcm take any number of integers, packed in one tuple. */
static Type *type_divisors(Call *c) {
    Type *all = c->args[0].ty, *result = TY_I(64);
    for (uint32_t i = 0; i < all->nitems; i++) {
        Type *ty = infer_plain(all->items[i]);
        if (!ty_is_integral(ty) && !(ty->kind == TY_ENUM && ty->is_signed)) {
            infer_hint(c->in, "it takes integers");
            return math_refuse(c);
        }
        if (ty == TY_U(64)) result = ty;
    }
    return result;
}

static Ref divisor_arg(Lower *lo, Ref all, uint32_t i) {
    Ref v = lo_field(lo, all, i);
    Type *ty = infer_plain(lo_type(lo, v));
    return math_magnitude(lo, lo_convert(lo, v, ty == TY_U(64) ? ty : TY_I(64)));
}

static Ref lower_gcd(Lower *lo, Call *c) {
    Ref all = lo_arg(lo, c->args[0]), r = lo_number(lo, TY_U(64), 0);
    for (uint32_t i = 0; i < lo_type(lo, all)->nitems; i++) {
        Ref v = divisor_arg(lo, all, i);
        r = i ? math_gcd(lo, r, v) : v;
    }
    return lo_convert(lo, r, c->result);
}

/* One zero makes all of it zero, whatever the others come to. */
static Ref lower_lcm(Lower *lo, Call *c) {
    Ref all = lo_arg(lo, c->args[0]), r = lo_number(lo, TY_U(64), 1),
        zero = lo_number(lo, TY_U(64), 0);
    uint32_t n = lo_type(lo, all)->nitems;
    Ref *v = NEWN(lo->cx, Ref, n + 1), any = lo_bool(lo, false);
    for (uint32_t i = 0; i < n; i++) {
        v[i] = divisor_arg(lo, all, i);
        any = lo_or(lo, any, lo_cmp(lo, OP_EQ, v[i], zero));
    }
    for (uint32_t i = 0; i < n; i++) r = i ? math_lcm(lo, r, v[i], any) : v[i];
    r = lo_convert(lo, r, c->result);
    if (lo_type(lo, r)->is_signed)
        lo_check(lo, lo_cmp(lo, OP_GE, r, lo_int(lo, 0)), CHECK_INT_RESULT);
    return r;
}

static Type *type_isqrt(Call *c) { return math_int(c, 1) ? TY_I(64) : NULL; }

/* The float root is off by one at most. */
static Ref lower_isqrt(Lower *lo, Call *c) {
    Type *u = TY_U(64), *ty = math_int(c, 1);
    Ref v = lo_arg_as(lo, c->args[0], ty), one = lo_number(lo, u, 1),
        most = lo_number(lo, u, 4294967295.0);
    if (ty->is_signed) lo_check(lo, lo_cmp(lo, OP_GE, v, lo_int(lo, 0)), CHECK_ISQRT);
    Ref n = lo_convert(lo, v, u), root = lo_math1(lo, MATH_SQRT, lo_convert(lo, n, TY_F(64)));
    Ref r = lo_math2(lo, MATH_MIN, lo_convert(lo, root, u), most);
    r = lo_select(lo, lo_cmp(lo, OP_GT, lo_op2(lo, OP_MUL, r, r), n), lo_op2(lo, OP_SUB, r, one),
                  r);
    Ref up = lo_math2(lo, MATH_MIN, lo_op2(lo, OP_ADD, r, one), most);
    r = lo_select(lo, lo_cmp(lo, OP_LE, lo_op2(lo, OP_MUL, up, up), n), up, r);
    return lo_convert(lo, r, TY_I(64));
}

/* factorial, comb, perm: loops of the prelude on int64. */
static uint32_t int_args(const Call *c) {
    uint32_t n = 0;
    while (n < c->nargs && given(c, n) && c->args[n].ty->kind != TY_NONE) n++;
    return n;
}

/* perm(n) is n!. */
static const char *int_prelude(const Call *c) {
    return c->nargs == 2 && int_args(c) == 1 ? "math_int.factorial" : c->row->prelude;
}

static Type *type_int_loop(Call *c) {
    uint32_t n = int_args(c);
    Type *types[] = {TY_I(64), TY_I(64)};
    if (!math_int(c, n)) return NULL;
    infer_prelude(c->in, c->inst, int_prelude(c), types, n, c->ins);
    return TY_I(64);
}

static Ref lower_int_loop(Lower *lo, Call *c) {
    Ref args[2];
    for (uint32_t i = 0; i < int_args(c); i++) args[i] = lo_arg_as(lo, c->args[i], TY_I(64));
    return lo_prelude(lo, int_prelude(c), int_args(c), args);
}

/* --- several numbers -------------------------------------------------------------------------- */

static Type *uniform(Type *item, uint32_t n, Cx *cx) {
    Type **items = NEWN(cx, Type *, n + 1);
    for (uint32_t i = 0; i < n; i++) items[i] = item;
    return ty_tuple(items, n);
}

static bool is_real(const Type *ty) {
    return ty_is_integral(ty) || ty->kind == TY_FLOAT || (ty->kind == TY_ENUM && ty->is_signed);
}

/* What the prelude is given for a sequence of real numbers: a tuple of float64 (of int64, if all
 * are integers and `ints`), or the array or range itself. NULL: it is none. */
static Type *sequence_type(Cx *cx, Type *ty, bool ints) {
    if (ty->kind == TY_ARRAY) return ty->ndim == 1 && is_real(ty->elem) ? ty : NULL;
    if (ty->kind != TY_TUPLE) return ty->kind == TY_RANGE ? ty : NULL;
    for (uint32_t i = 0; i < ty->nitems; i++) {
        if (!is_real(infer_plain(ty->items[i]))) return NULL;
        ints = ints && infer_plain(ty->items[i])->kind != TY_FLOAT && ty->items[i] != TY_U(64);
    }
    return uniform(ints ? TY_I(64) : TY_F(64), ty->nitems, cx);
}

static bool is_of_ints(const Type *ty) {
    if (ty->kind == TY_ARRAY) return ty_is_integral(ty->elem);
    return ty->kind == TY_RANGE || ty->nitems == 0 || ty->items[0]->kind == TY_INT;
}

/* fsum(seq), dist(p, q), sumprod(p, q) */
static bool sequence_types(Call *c, Type **out) {
    bool ints = c->row->data;
    for (uint32_t i = 0; i < c->nargs; i++)
        if (!(out[i] = sequence_type(c->in->cx, c->args[i].ty, ints))) return false;
    for (uint32_t i = 0; i < c->nargs; i++) ints = ints && is_of_ints(out[i]);
    for (uint32_t i = 0; i < c->nargs; i++) out[i] = sequence_type(c->in->cx, c->args[i].ty, ints);
    return true;
}

static const char *sequence_prelude(const Call *c, Type *const *types) {
    bool ints = c->row->data && is_of_ints(types[0]) && is_of_ints(types[1]);
    return ints ? "math_sum.sumprod_of_ints" : c->row->prelude;
}

static Type *type_sequences(Call *c) {
    Type *types[2];
    if (!sequence_types(c, types)) return rule_no_overload(c);
    const char *name = sequence_prelude(c, types);
    infer_prelude(c->in, c->inst, name, types, c->nargs, c->ins);
    return name == c->row->prelude ? TY_F(64) : TY_I(64);
}

static Ref lower_sequences(Lower *lo, Call *c) {
    Type *types[2];
    Ref args[2];
    sequence_types(c, types);
    for (uint32_t i = 0; i < c->nargs; i++) args[i] = lo_arg_as(lo, c->args[i], types[i]);
    Ref r = lo_prelude(lo, sequence_prelude(c, types), c->nargs, args);
    /* for tuples of different lengths it always raises and has no result */
    return lo_type(lo, r) == c->result ? r : lo_zero(lo, c->result);
}

/* hypot(*coordinates): float32 only for two, by the rule of all functions. */
static Type *type_hypot(Call *c) {
    Type *all = c->args[0].ty;
    Call two = {.in = c->in, .inst = c->inst, .ins = c->ins, .span = c->span, .row = c->row};
    two.args = (Arg *)c->args[0].packed;
    two.nargs = all->nitems;
    if (all->nitems <= 2) return all->nitems ? math_float(&two, all->nitems) : TY_F(64);
    Type *tuple = sequence_type(c->in->cx, all, false);
    if (!tuple) return math_refuse(c);
    infer_prelude(c->in, c->inst, "math_sum.hypot", &tuple, 1, c->ins);
    return TY_F(64);
}

static Ref lower_hypot(Lower *lo, Call *c) {
    Type *ty = c->result, *all = c->args[0].ty;
    Ref v = lo_arg(lo, c->args[0]), x[2];
    if (all->nitems > 2) {
        Ref tuple = lo_convert(lo, v, sequence_type(lo->cx, all, false));
        return lo_prelude(lo, "math_sum.hypot", 1, &tuple);
    }
    for (uint32_t i = 0; i < all->nitems; i++) x[i] = lo_convert(lo, lo_field(lo, v, i), ty);
    if (all->nitems == 2) return lo_math2(lo, MATH_HYPOT, x[0], x[1]);
    return all->nitems ? lo_math1(lo, MATH_FABS, x[0]) : lo_float(lo, ty, 0);
}

/* --- table ------------------------------------------------------------------------------------ */

/* clang-format off */
#define UNARY(name_, fn, domain, doc_)                                                             \
    {.name = "math." name_, .params = "x", .type = type_unary, .lower = lower_unary,               \
     .data = MATH_##fn, .data2 = domain, .doc = doc_}
#define MIXED(name_, params_, t, l, data_, doc_)                                                   \
    {.name = "math." name_, .params = params_, .type = type_##t, .lower = lower_##l,               \
     .data = data_, .doc = doc_}
#define ROW(name_, params_, kind, data_, doc_) MIXED(name_, params_, kind, kind, data_, doc_)
#define LOOP(name_, params_, kind, prelude_, data_, doc_)                                          \
    {.name = "math." name_, .params = params_, .type = type_##kind, .lower = lower_##kind,         \
     .prelude = prelude_, .data = data_, .doc = doc_}

const Row rows_math[] = {
    UNARY("acos",  ACOS,  TO_1,          "arc cosine"),
    UNARY("acosh", ACOSH, FROM_1,        "inverse hyperbolic cosine"),
    UNARY("asin",  ASIN,  TO_1,          "arc sine"),
    UNARY("asinh", ASINH, ANYWHERE,      "inverse hyperbolic sine"),
    UNARY("atan",  ATAN,  ANYWHERE,      "arc tangent"),
    UNARY("atanh", ATANH, BELOW_1,       "inverse hyperbolic tangent"),
    UNARY("cbrt",  CBRT,  ANYWHERE,      "cube root"),
    UNARY("cos",   COS,   FINITE,        "cosine"),
    UNARY("cosh",  COSH,  IN_RANGE,      "hyperbolic cosine"),
    UNARY("erf",   ERF,   ANYWHERE,      "error function"),
    UNARY("erfc",  ERFC,  ANYWHERE,      "complementary error function"),
    UNARY("exp",   EXP,   IN_RANGE,      "e to the power of x"),
    UNARY("exp2",  EXP2,  IN_RANGE,      "2 to the power of x"),
    UNARY("expm1", EXPM1, IN_RANGE,      "exp(x) - 1, accurate for small x"),
    UNARY("fabs",  FABS,  ANYWHERE,      "absolute value as a float"),
    UNARY("log10", LOG10, POSITIVE,      "logarithm to base 10"),
    UNARY("log1p", LOG1P, ABOVE_MINUS_1, "log(1 + x), accurate for small x"),
    UNARY("log2",  LOG2,  POSITIVE,      "logarithm to base 2"),
    UNARY("sin",   SIN,   FINITE,        "sine"),
    UNARY("sinh",  SINH,  IN_RANGE,      "hyperbolic sine"),
    UNARY("sqrt",  SQRT,  FROM_0,        "square root"),
    UNARY("tan",   TAN,   FINITE,        "tangent"),
    UNARY("tanh",  TANH,  ANYWHERE,      "hyperbolic tangent"),

    ROW("ceil",      "x",            whole,     MATH_CEIL,      "the least int not below x"),
    ROW("floor",     "x",            whole,     MATH_FLOOR,     "the greatest int not above x"),
    ROW("trunc",     "x",            whole,     MATH_TRUNC,     "rounded towards zero, an int"),
    ROW("isfinite",  "x",            class,     MATH_ISFINITE,  "is x neither infinite nor NaN"),
    ROW("isinf",     "x",            class,     MATH_ISINF,     "is x infinite"),
    ROW("isnan",     "x",            class,     MATH_ISNAN,     "is x not a number"),
    ROW("frexp",     "x",            frexp,     0,              "m and e of x = m * 2**e"),
    ROW("modf",      "x",            modf,      0,              "fraction and whole part"),
    ROW("log",       "x, base=",     log,       0,              "logarithm, natural or to a base"),
    ROW("atan2",     "y, x",         binary,    MATH_ATAN2,     "angle of the point (x, y)"),
    ROW("copysign",  "x, y",         binary,    MATH_COPYSIGN,  "|x| with the sign of y"),
    ROW("ldexp",     "x, i",         ldexp,     0,              "x * 2**i"),
    ROW("nextafter", "x, y, steps=", nextafter, MATH_NEXTAFTER, "the next float towards y"),
    ROW("fma",       "x, y, z",      fma,       0,              "x * y + z, rounded once"),
    ROW("hypot",     "*coordinates", hypot,     0,              "length of a vector"),
    ROW("isqrt",     "n",            isqrt,     0,              "root of an int, rounded down"),

    MIXED("degrees",   "x",         unary,    scaled, 0,              "radians as degrees"),
    MIXED("radians",   "x",         unary,    scaled, 1,              "degrees as radians"),
    MIXED("gamma",     "x",         unary,    gamma,  0,              "gamma function"),
    MIXED("lgamma",    "x",         unary,    lgamma, 0,              "logarithm of |gamma(x)|"),
    MIXED("ulp",       "x",         unary,    ulp,    0,              "gap to the next float"),
    MIXED("fmod",      "x, y",      binary,   rest,   MATH_FMOD,      "rest with the sign of x"),
    MIXED("remainder", "x, y",      binary,   rest,   MATH_REMAINDER, "rest to nearest multiple"),
    MIXED("pow",       "x, y",      binary,   pow,    0,              "x to the power of y"),
    MIXED("gcd",       "*integers", divisors, gcd,    0,              "greatest common divisor"),
    MIXED("lcm",       "*integers", divisors, lcm,    0,              "least common multiple"),

    LOOP("factorial", "n",     int_loop,  "math_int.factorial", 0, "n!"),
    LOOP("comb",      "n, k",  int_loop,  "math_int.comb",      0, "choices of k of n"),
    LOOP("perm",      "n, k=", int_loop,  "math_int.perm",      0, "orders of k (n) of n"),
    LOOP("fsum",      "seq",   sequences, "math_sum.fsum",      0, "sum of floats, rounded once"),
    LOOP("dist",      "p, q",  sequences, "math_sum.dist",      0, "distance of two points"),
    LOOP("sumprod",   "p, q",  sequences, "math_sum.sumprod",   1, "sum of products"),
    {.name = "math.isclose", .flags = ROW_PRELUDE, .prelude = "math_float.isclose",
     .doc = "are two numbers close"},
    {0},
};
